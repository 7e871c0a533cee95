/* SPDX-License-Identifier: Apache-2.0
 *
 * Inner operations: what a chosen capsule brings along. A capsule of the
 * provider torchlean is a composition of operations; one that leaves its
 * gradient to the tape brings the operations of a composed rule. They are
 * planned in the same profile under the inner policy: the same one with the
 * VJP mode none, because nobody differentiates them.
 */
#ifndef KC_PLAN_INNER_H
#define KC_PLAN_INNER_H

#include "ops/vjp.h"
#include "plan/choose.h"

kc_policy_t kci_inner_policy(const kc_policy_t *policy);

/* Operations of the composition that the capsule is; 0: it is none. */
uint64_t kci_inner_forward_ops(const kc_capsule_record_t *capsule);
/* Operations of the tape's composed rule for it; 0 when the policy wants no
 * gradient, the capsule's own kernel or the runtime's loop owns it. */
uint64_t kci_inner_vjp_ops(const kc_policy_t *policy,
                           const kc_capsule_record_t *capsule);

/* The operations that some capsule of the profile serves under the inner
 * policy, a bit each. */
uint64_t kci_inner_plannable_ops(const kc_profile_t *profile,
                                 const kc_policy_t *policy,
                                 bool ignores_availability);

/* The choice of inner operations, made once for a profile and policy. */
typedef struct kci_inner_plan {
    const kc_profile_t *profile; /* borrowed */
    kc_policy_t policy;          /* the inner one */
    kci_shortlist_t list;
} kci_inner_plan_t;
KC_MUST_USE kc_status_t kci_inner_plan_create(const kc_profile_t *profile,
                                              const kc_policy_t *policy,
                                              kci_inner_plan_t *out_plan,
                                              kc_error_t *error);
void kci_inner_plan_release(kci_inner_plan_t *plan);
/* `demand` may be NULL: limits are not asked. KC_ERR_NO_CAPSULE with the
 * planner's line. */
KC_MUST_USE kc_status_t kci_inner_plan_find(const kci_inner_plan_t *plan,
                                            int32_t op,
                                            const kci_demand_t *demand,
                                            uint16_t *out_entry,
                                            kc_error_t *error);

#endif
