/* SPDX-License-Identifier: Apache-2.0
 *
 * Policies as values: the default one and the check of one that comes from
 * outside. The textual parts are declared with the profile.
 */
#ifndef KC_REGISTRY_POLICY_H
#define KC_REGISTRY_POLICY_H

#include "registry/profile.h"

/* Device cpu, any provider, checked, torchlean-tape. */
void kci_policy_init(kc_policy_t *out_policy);
/* Every field within its vocabulary; a label where one is needed. */
KC_MUST_USE kc_status_t kci_policy_check(const kc_policy_t *policy,
                                         kc_error_t *error);

#endif
