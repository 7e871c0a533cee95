/* SPDX-License-Identifier: Apache-2.0
 *
 * How a profile is made: from parts that stay the caller's. Everything else
 * (files, maintained profiles, overrides) ends here.
 */
#ifndef KC_REGISTRY_PROFILE_PARTS_H
#define KC_REGISTRY_PROFILE_PARTS_H

#include "registry/profile.h"
#include "registry/provider.h"

/* All borrowed for the call. */
typedef struct kci_profile_parts {
    const char *name;
    const char *source;
    kc_policy_t policy;
    uint32_t device_bits;
    kci_provider_t *providers;
    size_t provider_count;
    kci_provider_t *found_providers;
    size_t found_provider_count;
    uint32_t numerics;
    uint32_t thread_count;
    kc_capsule_module_t *const *modules;
    size_t module_count;
} kci_profile_parts_t;

/* Copies the parts, retains the modules and builds the catalogue. Duplicates
 * are not an error here but in kci_profile_validate. */
KC_MUST_USE kc_status_t kci_profile_create(const kci_profile_parts_t *parts,
                                           kc_profile_t **out_profile,
                                           kc_error_t *error);

/* Well known, offered by a module of the profile, or by one that was found
 * when the profile was loaded. */
bool kci_profile_knows_provider(const kc_profile_t *profile, const char *label);

/* Fills entries, by_op and op_start from modules and availability. */
KC_MUST_USE kc_status_t kci_catalogue_build(kc_profile_t *profile,
                                            kc_error_t *error);

#endif
