/* SPDX-License-Identifier: Apache-2.0
 *
 * The maintained profiles as data.
 */
#ifndef KC_REGISTRY_MAINTAINED_H
#define KC_REGISTRY_MAINTAINED_H

#include "registry/profile.h"

typedef struct kci_maintained_profile {
    const char *name;
    const char *doc;
    kc_policy_t policy;
    uint32_t device_bits;
    const char *const *providers; /* NULL-terminated */
    const char *const *modules;   /* NULL-terminated, in order */
} kci_maintained_profile_t;

/* NULL when no maintained profile has that name. */
const kci_maintained_profile_t *kci_maintained_profile_find(const char *name);

/* Availability and modules of a profile file that extends nothing: those of
 * checked_cpu. */
const kci_maintained_profile_t *kci_default_profile(void);

#endif
