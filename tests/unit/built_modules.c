/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Finds the built module files by the environment that make check sets. */
#include "unit/built_modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "registry/profile_parts.h"
#include "unit/expect.h"

#define PATH_SIZE 1024

static kc_capsule_module_t *open_module(const char *path)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_module_file_t *file = NULL;
    kc_capsule_module_t *module = NULL;
    EXPECT_OK(error, kci_module_file_inspect(path, &file, &error));
    EXPECT_OK(error, kci_capsule_module_from_file(file, &module, &error));
    kci_module_file_release(file);
    return module;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    ck_assert_msg(value != NULL, "%s is not set", name);
    return value;
}

kc_capsule_module_t *built_mock(const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/tests/mocks/.libs/%s.so",
             variable("KC_BUILDDIR"), name);
    return open_module(path);
}

kc_capsule_module_t *built_module(const char *name)
{
    char path[PATH_SIZE];
    const char *folder = variable("KCAPSULE_MODULE_PATH");
    snprintf(path, sizeof path, "%.*s/%s.so", (int)strcspn(folder, ":"), folder,
             name);
    return open_module(path);
}

kci_entry_t built_entry(kc_capsule_module_t *module, const char *capsule)
{
    kci_entry_t entry = {.module = module,
                         .is_aligned = true,
                         .is_device_available = true,
                         .is_provider_available = true};
    for (size_t i = 0; i < module->capsule_count; i++) {
        if (strcmp(module->capsules[i].name, capsule) == 0) {
            entry.capsule = &module->capsules[i];
        }
    }
    ck_assert_msg(entry.capsule != NULL, "no capsule %s", capsule);
    return entry;
}

/* Mock first, as if prepended, then the maintained modules in their order. */
static kc_profile_t *make_profile(const char *mock, const char *provider)
{
    const char *const maintained[] = {"attention", "native_cuda", "reference"};
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    kc_capsule_module_t *modules[4];
    kci_provider_t providers[3] = {"reference", "torchlean"};
    size_t count = 0;
    if (mock != NULL) {
        modules[count++] = built_mock(mock);
        snprintf(providers[2], sizeof providers[2], "%s", provider);
    }
    for (size_t i = 0; i < 3; i++) {
        modules[count++] = built_module(maintained[i]);
    }
    kci_profile_parts_t parts = {.name = "checked_cpu",
                                 .source = "test",
                                 .policy = {.struct_size = sizeof(kc_policy_t),
                                            .device = KC_DEVICE_CPU,
                                            .vjp_mode = KC_VJP_TORCHLEAN_TAPE},
                                 .device_bits = 1u << KC_DEVICE_CPU,
                                 .providers = providers,
                                 .provider_count = mock != NULL ? 3 : 2,
                                 .found_providers = providers,
                                 .found_provider_count = mock != NULL ? 3 : 2,
                                 .modules = modules,
                                 .module_count = count};
    EXPECT_OK(error, kci_profile_create(&parts, &profile, &error));
    for (size_t i = 0; i < count; i++) {
        kci_capsule_module_release(modules[i]);
    }
    return profile;
}

kc_profile_t *built_checked_cpu(void)
{
    return make_profile(NULL, NULL);
}

kc_profile_t *built_profile_with(const char *mock, const char *provider)
{
    return make_profile(mock, provider);
}

static void mark_path(char *out, size_t size)
{
    const char *folder = getenv("TMPDIR");
    snprintf(out, size, "%s/kc_mark_%ld", folder != NULL ? folder : "/tmp",
             (long)getpid());
}

void built_mark_begin(void)
{
    char path[PATH_SIZE];
    mark_path(path, sizeof path);
    unlink(path);
    ck_assert_int_eq(setenv("KC_TEST_MARK", path, 1), 0);
}

const char *built_mark(void)
{
    static char text[256];
    char path[PATH_SIZE];
    size_t length = 0;
    mark_path(path, sizeof path);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        unlink(path);
    }
    text[length] = '\0';
    return text;
}
