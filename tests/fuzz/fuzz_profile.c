/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds bytes as a whole profile file, with one module found and no profile
 * path. What comes out is a whole profile or an error that names the file.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "base/label.h"
#include "registry/profile_load.h"

const char kc_fuzz_name[] = "profile";

/* The one reference of its own keeps the record alive for ever. */
static kci_module_set_t *found_modules(void)
{
    static kc_capsule_record_t capsule = {.struct_size = sizeof capsule,
                                          .name = "reference.relu",
                                          .op = KC_OP_RELU,
                                          .provider = "reference",
                                          .supports_forward = 1};
    static char path[] = "/fuzz/reference.so";
    static kci_module_file_t file = {.reference_count = 1,
                                     .path = path,
                                     .descriptor = -1,
                                     .record = {.name = "reference"},
                                     .capsules = &capsule,
                                     .capsule_count = 1};
    static kci_module_file_t *files[] = {&file};
    static kci_module_set_t set = {.files = files, .file_count = 1};
    return &set;
}

static bool has_word(const uint8_t *data, size_t size, const char *word)
{
    return size > 0 && memmem(data, size, word, strlen(word)) != NULL;
}

/* Trust and receipts are in a profile only where its text says so. */
static void check_profile(const kc_profile_t *profile, const uint8_t *data,
                          size_t size)
{
    const kc_policy_t *policy = &profile->policy;
    bool may_trust = has_word(data, size, "external") ||
                     has_word(data, size, "libtorch_forward_cuda");
    if (policy->allow_trusted_external && !may_trust) {
        abort();
    }
    if (profile->module_count == 0 || !kci_is_profile_name(profile->name)) {
        abort();
    }
    for (size_t idx = 0; idx < profile->provider_count; idx++) {
        if (!kci_is_provider_label(profile->providers[idx])) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kci_search_path_t no_path = {NULL, 0, NULL};
    kci_profile_source_t source = {.modules = found_modules(),
                                   .profile_path = &no_path};
    kc_error_t error = KC_ERROR_INIT;
    kc_profile_t *profile = NULL;
    kc_status_t status = kci_profile_parse(&source, (const char *)data, size,
                                           "fuzz.ini", &profile, &error);
    if (status != KC_OK) {
        if (profile != NULL || strncmp(error.message, "fuzz.ini:", 9) != 0) {
            abort();
        }
        return 0;
    }
    check_profile(profile, data, size);
    kci_profile_release(profile);
    return 0;
}
