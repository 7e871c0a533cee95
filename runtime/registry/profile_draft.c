/* SPDX-License-Identifier: Apache-2.0
 *
 * Drafts of profiles: lists that are replaced or prepended to as a whole, so
 * that a refused list leaves the draft as it was.
 */
#include "registry/profile_draft.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

bool kci_is_profile_name(const char *text)
{
    return kci_is_provider_label(text) && strlen(text) < KCI_PROFILE_NAME_SIZE;
}

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (words[count] != NULL) {
        count++;
    }
    return count;
}

kc_status_t kci_profile_draft_begin(kci_profile_draft_t *draft,
                                    const kci_maintained_profile_t *base,
                                    kc_error_t *error)
{
    memcpy(draft->name, base->name, strlen(base->name) + 1);
    draft->policy = base->policy;
    draft->device_bits = base->device_bits;
    KC_RETURN_IF_ERROR(kci_profile_draft_set_providers(
        draft, base->providers, count_words(base->providers), error));
    kci_origin_t origin = {NULL, 0};
    return kci_profile_draft_prepend(draft, base->modules,
                                     count_words(base->modules), origin, error);
}

static void release_modules(kci_wanted_module_t *modules, size_t count)
{
    for (size_t idx = 0; idx < count; idx++) {
        kci_free(modules[idx].name);
    }
    kci_free(modules);
}

void kci_profile_draft_release(kci_profile_draft_t *draft)
{
    release_modules(draft->modules, draft->module_count);
    kci_free(draft->providers);
    memset(draft, 0, sizeof *draft);
}

static bool is_word(const char *const *words, size_t count, const char *text)
{
    for (size_t idx = 0; idx < count; idx++) {
        if (strcmp(words[idx], text) == 0) {
            return true;
        }
    }
    return false;
}

static kc_status_t check_labels(const char *const *labels, size_t count,
                                kc_error_t *error)
{
    for (size_t idx = 0; idx < count; idx++) {
        if (!kci_is_provider_label(labels[idx])) {
            return kci_fail(error, KC_ERR_CONFIG,
                            "provider label `%s`: expected "
                            "[a-z][a-z0-9_.-]* of at most %d bytes",
                            labels[idx], KC_PROVIDER_SIZE - 1);
        }
        if (is_word(labels, idx, labels[idx])) {
            return kci_fail(error, KC_ERR_CONFIG,
                            "provider label `%s` is given twice", labels[idx]);
        }
    }
    return KC_OK;
}

kc_status_t kci_profile_draft_set_providers(kci_profile_draft_t *draft,
                                            const char *const *labels,
                                            size_t count, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(check_labels(labels, count, error));
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kci_provider_t), &memory, error));
    kci_provider_t *providers = memory;
    for (size_t idx = 0; idx < count; idx++) {
        memcpy(providers[idx], labels[idx], strlen(labels[idx]));
    }
    kci_free(draft->providers);
    draft->providers = providers;
    draft->provider_count = count;
    return KC_OK;
}

static kc_status_t copy_wanted(const char *name, kci_origin_t origin,
                               kci_wanted_module_t *modules, size_t *count,
                               kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_copy_string(name, &modules[*count].name, error));
    modules[*count].origin = origin;
    (*count)++;
    return KC_OK;
}

static kc_status_t join_modules(const kci_profile_draft_t *draft,
                                const char *const *names, size_t count,
                                kci_origin_t origin,
                                kci_wanted_module_t *joined,
                                size_t *joined_count, kc_error_t *error)
{
    for (size_t idx = 0; idx < count; idx++) {
        KC_RETURN_IF_ERROR(
            copy_wanted(names[idx], origin, joined, joined_count, error));
    }
    for (size_t idx = 0; idx < draft->module_count; idx++) {
        const kci_wanted_module_t *old = &draft->modules[idx];
        if (!is_word(names, count, old->name)) {
            KC_RETURN_IF_ERROR(copy_wanted(old->name, old->origin, joined,
                                           joined_count, error));
        }
    }
    return KC_OK;
}

kc_status_t kci_profile_draft_prepend(kci_profile_draft_t *draft,
                                      const char *const *names, size_t count,
                                      kci_origin_t origin, kc_error_t *error)
{
    for (size_t idx = 0; idx < count; idx++) {
        if (is_word(names, idx, names[idx])) {
            return kci_fail(error, KC_ERR_CONFIG,
                            "duplicate backend capsule module `%s`",
                            names[idx]);
        }
    }
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(count + draft->module_count,
                                       sizeof(kci_wanted_module_t), &memory,
                                       error));
    kci_wanted_module_t *joined = memory;
    size_t joined_count = 0;
    kc_status_t status =
        join_modules(draft, names, count, origin, joined, &joined_count, error);
    if (status != KC_OK) {
        release_modules(joined, joined_count);
        return status;
    }
    release_modules(draft->modules, draft->module_count);
    draft->modules = joined;
    draft->module_count = joined_count;
    return KC_OK;
}
