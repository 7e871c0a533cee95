/* SPDX-License-Identifier: Apache-2.0
 *
 * A profile in the making: what maintained profiles and profile files say,
 * before the modules they name are looked for. Files are applied to a draft
 * one after the other, the extended one first.
 */
#ifndef KC_REGISTRY_PROFILE_DRAFT_H
#define KC_REGISTRY_PROFILE_DRAFT_H

#include "registry/maintained.h"
#include "registry/provider.h"

#define KCI_PROFILE_NAME_SIZE 64

/* Who said so. `file` is borrowed and NULL for a maintained profile. */
typedef struct kci_origin {
    const char *file;
    int line;
} kci_origin_t;

typedef struct kci_wanted_module {
    char *name; /* owned; a module name, or an absolute path of a file */
    kci_origin_t origin;
} kci_wanted_module_t;

typedef struct kci_profile_draft {
    char name[KCI_PROFILE_NAME_SIZE];
    kc_policy_t policy;
    kci_origin_t preference_origin;
    uint32_t device_bits;
    kci_provider_t *providers; /* owned */
    size_t provider_count;
    kci_origin_t providers_origin;
    kci_wanted_module_t *modules; /* owned, in order */
    size_t module_count;
    uint32_t numerics;
    uint32_t thread_count;
} kci_profile_draft_t;

/* `draft` is zero before and released by the caller also on failure. */
KC_MUST_USE kc_status_t kci_profile_draft_begin(
    kci_profile_draft_t *draft, const kci_maintained_profile_t *base,
    kc_error_t *error);
void kci_profile_draft_release(kci_profile_draft_t *draft);

/* Replaces the available providers. A label given twice is an error. */
KC_MUST_USE kc_status_t kci_profile_draft_set_providers(
    kci_profile_draft_t *draft, const char *const *labels, size_t count,
    kc_error_t *error);
/* Puts modules in front; the ones already there with such a name go. */
KC_MUST_USE kc_status_t kci_profile_draft_prepend(kci_profile_draft_t *draft,
                                                  const char *const *names,
                                                  size_t count,
                                                  kci_origin_t origin,
                                                  kc_error_t *error);

/* [a-z][a-z0-9_.-]* */
bool kci_is_profile_name(const char *text);

#endif
