/* SPDX-License-Identifier: Apache-2.0
 *
 * The acceptance gate. kc_accepted_kernel_t and kc_accepted_plan_t are made
 * here and nowhere else.
 */
#ifndef KC_AUDIT_ACCEPT_H
#define KC_AUDIT_ACCEPT_H

#include "audit/audit.h"

typedef struct kci_acceptance_failure {
    int32_t kind; /* kc_acceptance_failure_kind_t */
    int32_t op;   /* planned */
    char capsule[KC_CAPSULE_NAME_SIZE];
    int32_t obligation; /* of KC_FAILURE_EVIDENCE, else -1 */
    char line[384];     /* names the operation, the capsule, what was wanted
                         * and what was found */
} kci_acceptance_failure_t;

typedef struct kc_accepted_kernel {
    _Atomic int reference_count;
    int32_t op;
    uint16_t entry;
    kc_profile_t *profile; /* retained */
    kc_policy_t policy;
} kc_accepted_kernel_t;

typedef struct kc_accepted_plan {
    _Atomic int reference_count;
    kc_plan_t *plan;     /* retained; a plan of a graph */
    kci_group_t *groups; /* derived here from the plan */
    size_t group_count;
    kc_policy_t policy;
} kc_accepted_plan_t;

/* All failures of one planned operation, in the order of their kinds. Zero
 * failures: *out_kernel is set. Else it stays as it was, the status is
 * KC_ERR_REJECTED, the error holds the first line and the list is the
 * caller's (kci_free; may be NULL to leave it). */
KC_MUST_USE kc_status_t kci_accept_kernel(
    kc_profile_t *profile, const kc_policy_t *policy, int32_t planned_op,
    uint16_t entry, kc_accepted_kernel_t **out_kernel,
    kci_acceptance_failure_t **out_failures, size_t *out_failure_count,
    kc_error_t *error);
/* The same for each group of a graph plan; failures of equal groups once.
 * A plan with unplanned operations is rejected with the planner's line. */
KC_MUST_USE kc_status_t kci_accept_plan(kc_plan_t *plan,
                                        const kc_policy_t *policy,
                                        kc_accepted_plan_t **out_accepted,
                                        kci_acceptance_failure_t **out_failures,
                                        size_t *out_failure_count,
                                        kc_error_t *error);
void kci_accepted_kernel_release(kc_accepted_kernel_t *kernel);
kc_accepted_plan_t *kci_accepted_plan_retain(kc_accepted_plan_t *accepted);
void kci_accepted_plan_release(kc_accepted_plan_t *accepted);

#endif
