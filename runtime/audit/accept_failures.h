/* SPDX-License-Identifier: Apache-2.0
 *
 * The questions of the gate about one planned operation.
 */
#ifndef KC_AUDIT_ACCEPT_FAILURES_H
#define KC_AUDIT_ACCEPT_FAILURES_H

#include "audit/accept.h"
#include "audit/inner_rows.h"

typedef struct kci_failure_list {
    kci_acceptance_failure_t *items; /* owned */
    size_t count;
    size_t capacity;
} kci_failure_list_t;

/* Appends every failure in the order of the kinds. */
KC_MUST_USE kc_status_t kci_acceptance_judge(const kc_profile_t *profile,
                                             const kc_policy_t *policy,
                                             int32_t planned_op, uint16_t entry,
                                             kci_failure_list_t *failures,
                                             kc_error_t *error);

/* The same of an inner operation that a planned capsule brings along, under
 * the inner policy; the lines name both. An operation without a capsule is a
 * failure of the forward or of the VJP that needs it. */
KC_MUST_USE kc_status_t kci_acceptance_judge_inner(
    const kc_profile_t *profile, const kc_policy_t *policy, int32_t planned_op,
    uint16_t entry, const kci_inner_row_t *row, kci_failure_list_t *failures,
    kc_error_t *error);

/* "evidence_rejected"; "unknown" for what is no kind. */
const char *kci_acceptance_failure_label(int32_t kind);

#endif
