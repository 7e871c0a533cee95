/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The built modules for benchmarks. */
#include "bench/bench_context.h"

#include <stdio.h>
#include <string.h>

static void print_line(void *context, int32_t level, const char *line)
{
    (void)context;
    (void)level;
    fprintf(stderr, "%s\n", line);
}

static kc_status_t load(bench_context_t *context, const char *profile,
                        unsigned thread_count)
{
    kci_profile_source_t source = {.modules = &context->modules,
                                   .profile_path = &context->path,
                                   .log = &context->log};
    kc_status_t status = kci_module_search_path(
        NULL, 0, &context->log, &context->path, &context->error);
    if (status == KC_OK) {
        status = kci_module_search(&context->path, &context->log,
                                   &context->modules, &context->error);
    }
    if (status == KC_OK) {
        status = kci_profile_load(&source, profile, &context->profile,
                                  &context->error);
    }
    if (status == KC_OK) {
        status = kci_host_create(&context->allocator, &context->log,
                                 thread_count, &context->host, &context->error);
    }
    return status;
}

int bench_begin(bench_context_t *context, unsigned thread_count)
{
    return bench_begin_under(context, "checked_cpu", thread_count);
}

int bench_begin_under(bench_context_t *context, const char *profile,
                      unsigned thread_count)
{
    memset(context, 0, sizeof *context);
    context->error = (kc_error_t)KC_ERROR_INIT;
    context->log.function = print_line;
    kci_host_allocator_init(&context->allocator, NULL, NULL, NULL);
    if (load(context, profile, thread_count) != KC_OK) {
        fprintf(stderr, "%s\n", context->error.message);
        return 0;
    }
    return 1;
}

void bench_end(bench_context_t *context)
{
    kci_profile_release(context->profile);
    kci_module_set_release(&context->modules);
    kci_search_path_release(&context->path);
    kci_host_release(context->host);
}
