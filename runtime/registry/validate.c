/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a registry invalid: two modules of one name, two capsules of one
 * identity, a provider label that nobody knows. Checked before any planning.
 */
#include "registry/profile_parts.h"

#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

static int compare_names(const void *a, const void *b)
{
    const kc_capsule_module_t *const *left = a;
    const kc_capsule_module_t *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* Identity is name, operation, provider and device. */
static int compare_identity(const kc_capsule_record_t *a,
                            const kc_capsule_record_t *b)
{
    int order = strcmp(a->name, b->name);
    if (order == 0) {
        order = (a->op > b->op) - (a->op < b->op);
    }
    if (order == 0) {
        order = (a->device > b->device) - (a->device < b->device);
    }
    return order != 0 ? order : strcmp(a->provider, b->provider);
}

/* Equal identities keep their catalogue order: entries are one array. */
static int compare_entries(const void *a, const void *b)
{
    const kci_entry_t *left = *(const kci_entry_t *const *)a;
    const kci_entry_t *right = *(const kci_entry_t *const *)b;
    int order = compare_identity(left->capsule, right->capsule);
    return order != 0 ? order : (left > right) - (left < right);
}

static bool has_double_name(const kc_profile_t *profile, size_t idx)
{
    for (size_t other = 0; other < idx; other++) {
        if (compare_names(&profile->modules[other], &profile->modules[idx]) ==
            0) {
            return true;
        }
    }
    return false;
}

static kc_status_t check_module_names(const kc_profile_t *profile,
                                      kc_error_t *error)
{
    for (size_t idx = 0; idx < profile->module_count; idx++) {
        if (has_double_name(profile, idx)) {
            return kci_fail(error, KC_ERR_DUPLICATE,
                            "duplicate backend capsule module `%s`",
                            profile->modules[idx]->name);
        }
    }
    return KC_OK;
}

static const char *file_of(const kc_capsule_module_t *module)
{
    return module->file != NULL ? module->file->path : "in memory";
}

static kc_status_t fail_identity(const kci_entry_t *first,
                                 const kci_entry_t *second, kc_error_t *error)
{
    const kc_capsule_record_t *capsule = second->capsule;
    return kci_fail(error, KC_ERR_DUPLICATE,
                    "duplicate kernel capsule `%s` for op %s, provider %s, "
                    "device %s: modules `%s` (%s) and `%s` (%s)",
                    capsule->name, kci_label(&kci_ops, capsule->op),
                    capsule->provider, kci_label(&kci_devices, capsule->device),
                    first->module->name, file_of(first->module),
                    second->module->name, file_of(second->module));
}

/* The duplicate whose second occurrence comes first in the catalogue. */
static kc_status_t check_identities(const kc_profile_t *profile,
                                    kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(profile->entry_count,
                                       sizeof(kci_entry_t *), &memory, error));
    const kci_entry_t **sorted = memory;
    for (size_t idx = 0; idx < profile->entry_count; idx++) {
        sorted[idx] = &profile->entries[idx];
    }
    qsort(memory, profile->entry_count, sizeof *sorted, compare_entries);
    const kci_entry_t *first = NULL;
    const kci_entry_t *second = NULL;
    for (size_t idx = 1; idx < profile->entry_count; idx++) {
        bool is_earlier = second == NULL || sorted[idx] < second;
        if (is_earlier && compare_identity(sorted[idx - 1]->capsule,
                                           sorted[idx]->capsule) == 0) {
            first = sorted[idx - 1];
            second = sorted[idx];
        }
    }
    kci_free(memory);
    return second == NULL ? KC_OK : fail_identity(first, second, error);
}

bool kci_profile_knows_provider(const kc_profile_t *profile, const char *label)
{
    if (kci_provider_is_well_known(label) ||
        kci_provider_is_listed(profile->found_providers,
                               profile->found_provider_count, label)) {
        return true;
    }
    for (size_t idx = 0; idx < profile->module_count; idx++) {
        const kc_capsule_module_t *module = profile->modules[idx];
        if (kci_provider_is_offered(module->capsules, module->capsule_count,
                                    label)) {
            return true;
        }
    }
    return false;
}

static kc_status_t check_provider(const kc_profile_t *profile,
                                  const char *label, const char *where,
                                  kc_error_t *error)
{
    if (kci_profile_knows_provider(profile, label)) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_CONFIG,
                    "profile %s: provider label `%s` in the %s is neither "
                    "well known nor offered by any module",
                    profile->name, label, where);
}

kc_status_t kci_profile_validate(const kc_profile_t *profile, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(check_module_names(profile, error));
    KC_RETURN_IF_ERROR(check_identities(profile, error));
    if (profile->policy.preference != KC_PREFERENCE_AUTO) {
        KC_RETURN_IF_ERROR(
            check_provider(profile, profile->policy.provider, "policy", error));
    }
    for (size_t idx = 0; idx < profile->provider_count; idx++) {
        KC_RETURN_IF_ERROR(check_provider(profile, profile->providers[idx],
                                          "availability", error));
    }
    return KC_OK;
}
