/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * An opened module file without a file: the record that opening leaves, with
 * nothing mapped. */
#include "unit/handler_fixture.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "unit/expect.h"

static void *allocate(size_t count, size_t size)
{
    kc_error_t error = KC_ERROR_INIT;
    void *memory = NULL;
    EXPECT_OK(error, kci_alloc_array(count, size, &memory, &error));
    return memory;
}

kc_capsule_module_t *handler_module(const char *name,
                                    const kc_capsule_record_t *capsules,
                                    size_t capsule_count,
                                    const kc_handler_t *handlers,
                                    size_t handler_count)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_module_t *module = NULL;
    char path[128];
    snprintf(path, sizeof path, "/fixture/%s.so", name);
    kci_module_file_t *file =
        fixture_file(path, name, capsules, capsule_count, NULL);
    file->entry = allocate(1, sizeof *file->entry);
    file->handlers = allocate(handler_count, sizeof *handlers);
    if (handler_count > 0) {
        memcpy(file->handlers, handlers, handler_count * sizeof *handlers);
    }
    file->handler_count = handler_count;
    file->is_opened = true;
    EXPECT_OK(error, kci_capsule_module_from_file(file, &module, &error));
    kci_module_file_release(file);
    return module;
}

kc_handler_t handler_for(int32_t op, const char *provider,
                         kc_handler_fn forward)
{
    return (kc_handler_t){.struct_size = sizeof(kc_handler_t),
                          .op = op,
                          .device = KC_DEVICE_CPU,
                          .provider = provider,
                          .forward = forward};
}

static void keep_line(void *context, int32_t level, const char *line)
{
    host_fixture_t *fixture = context;
    fixture->log_count++;
    fixture->log_level = level;
    snprintf(fixture->log_line, sizeof fixture->log_line, "%s", line);
}

void host_fixture_begin(host_fixture_t *fixture, uint32_t thread_count)
{
    kc_error_t error = KC_ERROR_INIT;
    memset(fixture, 0, sizeof *fixture);
    kci_host_allocator_init(&fixture->allocator, NULL, NULL, NULL);
    kci_log_t log = {keep_line, fixture};
    EXPECT_OK(error, kci_host_create(&fixture->allocator, &log, thread_count,
                                     &fixture->host, &error));
}

void host_fixture_end(host_fixture_t *fixture)
{
    kci_host_release(fixture->host);
    ck_assert_uint_eq(atomic_load(&fixture->allocator.live_bytes), 0);
}

void bound_fixture_begin(bound_fixture_t *fixture,
                         const kc_capsule_record_t *capsule,
                         const kc_handler_t *handler)
{
    kc_error_t error = KC_ERROR_INIT;
    host_fixture_begin(&fixture->host, 1);
    fixture->module = handler_module("fixture", capsule, 1, handler, 1);
    fixture->entry = (kci_entry_t){.capsule = fixture->module->capsules,
                                   .module = fixture->module,
                                   .is_aligned = true,
                                   .is_device_available = true,
                                   .is_provider_available = true};
    EXPECT_OK(error, kci_bind(&fixture->entry, fixture->host.host,
                              &fixture->binding, &error));
}

void bound_fixture_end(bound_fixture_t *fixture)
{
    kci_capsule_module_release(fixture->module);
    host_fixture_end(&fixture->host);
}
