/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of admission, each once: selection, explanation and the
 * acceptance gate all come here.
 */
#ifndef KC_PLAN_ADMISSIBLE_H
#define KC_PLAN_ADMISSIBLE_H

#include "registry/profile.h"
#include "plan/limits.h"

bool kci_policy_accepts_trust(const kc_policy_t *policy, int32_t trust);
bool kci_policy_accepts_provider(const kc_policy_t *policy,
                                 const char *provider);
/* Whether a capsule may own the derivative rule as the policy wants it; true
 * for every capsule when none is wanted or the operation needs none. A
 * composition that promises a kernel of its own may not. */
bool kci_policy_accepts_vjp(const kc_policy_t *policy,
                            const kc_capsule_record_t *capsule);
/* Whether the policy wants a gradient of the capsule and the tape owns it. */
bool kci_policy_leaves_rule_to_tape(const kc_policy_t *policy,
                                    const kc_capsule_record_t *capsule);
/* Of a capsule whose gradient the policy leaves to the tape: whether the
 * tape's rule runs on the capsule's device, and which of the operands that it
 * reads the capsule does not save; true and none for all others. */
bool kci_policy_rule_runs(const kc_policy_t *policy,
                          const kc_capsule_record_t *capsule);
typedef struct kci_saved_gap {
    uint32_t inputs;
    uint32_t outputs;
} kci_saved_gap_t;
kci_saved_gap_t kci_policy_rule_gap(const kc_policy_t *policy,
                                    const kc_capsule_record_t *capsule);

/* The operations that the capsule brings along under the policy: those of the
 * composition that it is and those of the tape's composed rule for it. */
uint64_t kci_policy_inner_ops(const kc_policy_t *policy,
                              const kc_capsule_record_t *capsule);

/* One candidate before one request; all borrowed. */
typedef struct kci_case {
    const kc_policy_t *policy;
    const kci_entry_t *entry;
    const kci_demand_t *demand; /* NULL: limits are not asked */
    uint32_t numerics;          /* KC_NUMERICS_* of the profile */
    uint64_t plannable_ops;     /* kci_inner_plannable_ops */
    bool ignores_availability;
} kci_case_t;

/* The first filter that fails, in the order of the reasons, or
 * KC_REASON_SELECTED: admissible. */
kc_reason_t kci_case_judge(const kci_case_t *request);

#endif
