/* SPDX-License-Identifier: Apache-2.0
 *
 * The inner operations of planned capsules as rows of their own: what gate,
 * audit and reports say about them starts here.
 */
#ifndef KC_AUDIT_INNER_ROWS_H
#define KC_AUDIT_INNER_ROWS_H

#include <kcapsule/session.h>
#include "plan/inner.h"

#define KCI_NO_OWNER UINT32_MAX

typedef struct kci_inner_row {
    uint32_t owner; /* the row or group it belongs to; of a sum, which may be
                     * that of an input, KCI_NO_OWNER */
    uint16_t op;
    uint16_t entry; /* KCI_NO_ENTRY: none is admissible */
    uint8_t kind;   /* kc_call_kind_t */
} kci_inner_row_t;

/* Starts as zeros. */
typedef struct kci_inner_rows {
    kci_inner_row_t *items; /* owned */
    size_t count;
    size_t capacity;
} kci_inner_rows_t;

/* Appends those of one capsule as its operation says, whatever the operands:
 * first of the composition that it is, then of the tape's rule for it. Their
 * capsules come from `inner`, made of the same policy. */
KC_MUST_USE kc_status_t kci_inner_rows_add(const kci_inner_plan_t *inner,
                                           const kc_policy_t *policy,
                                           const kc_capsule_record_t *capsule,
                                           uint32_t owner,
                                           kci_inner_rows_t *rows,
                                           kc_error_t *error);
/* Those of all planned groups, in their order, each once a group, then the
 * sums: of a plan with gradients what it planned, else as the operations
 * say. */
KC_MUST_USE kc_status_t kci_inner_rows_create(
    const kc_plan_t *plan, const kc_policy_t *policy, const kci_group_t *groups,
    size_t group_count, kci_inner_rows_t *out_rows, kc_error_t *error);
void kci_inner_rows_release(kci_inner_rows_t *rows);

#endif
