/* SPDX-License-Identifier: Apache-2.0
 *
 * The audit shows what a plan rests on; the contract check classifies its
 * obligations; the gate alone makes accepted values, the only thing that
 * execution takes.
 */
#ifndef KC_AUDIT_AUDIT_H
#define KC_AUDIT_AUDIT_H

#include "plan/claim_text.h"
#include "plan/plan.h"

typedef struct kci_audit_row {
    int32_t op;
    uint32_t first_node;
    const kc_capsule_record_t *capsule; /* one of the audit's copies */
} kci_audit_row_t;

/* An inner operation of a row: of the composition that its capsule is, of the
 * tape's rule for it, or a sum of the tape. */
#define KCI_NO_AUDIT_ROW SIZE_MAX
typedef struct kci_audit_sub_row {
    size_t row; /* place of the row it belongs to; of a sum KCI_NO_AUDIT_ROW */
    int32_t op;
    int32_t kind;                       /* kc_call_kind_t */
    const kc_capsule_record_t *capsule; /* one of the audit's copies */
} kci_audit_sub_row_t;

/* One row a group, in order. Fails on a plan with unplanned operations. The
 * capsules are copied, each one once however many rows it has: an audit is
 * stored and compared when the plan is gone. */
typedef struct kci_audit {
    kci_audit_row_t *rows;
    size_t row_count;
    kci_audit_sub_row_t *sub_rows; /* in the order of the rows, then sums */
    size_t sub_row_count;
    kc_capsule_record_t *capsules; /* in the order in which they are used:
                                    * first those of the rows */
    size_t capsule_count;
} kci_audit_t;
KC_MUST_USE kc_status_t kci_audit_create(const kc_plan_t *plan,
                                         kci_audit_t *out_audit,
                                         kc_error_t *error);
void kci_audit_release(kci_audit_t *audit);
bool kci_audit_equal(const kci_audit_t *a, const kci_audit_t *b);

typedef struct kci_obligation_report {
    int32_t op;
    int32_t obligation;                 /* kc_obligation_t */
    const kc_capsule_record_t *capsule; /* borrowed from the audit */
    const kc_contract_descriptor_t *descriptor;
    const kc_capsule_record_t *served; /* of an inner operation of a row: the
                                        * capsule of the row; else NULL */
} kci_obligation_report_t;

/* The obligations whose evidence the policy's assurance does not accept
 * (none: accepted); a list of the caller (kci_free). Looks at evidence, not
 * at trust labels; inner operations count. Each obligation of equal rows is
 * reported once. */
KC_MUST_USE kc_status_t kci_check_contracts(const kc_policy_t *policy,
                                            const kci_audit_t *audit,
                                            kci_obligation_report_t **out,
                                            size_t *out_count,
                                            kc_error_t *error);
bool kci_policy_accepts_evidence(const kc_policy_t *policy,
                                 const kc_contract_descriptor_t *descriptor);

/* "guarded at runtime by X", "covered by test suite X", ... */
void kci_evidence_sentence(const kc_contract_descriptor_t *descriptor,
                           char *out, size_t size);
/* "valueRefinement(matmul)" as a sentence that names the operation. */
void kci_claim_sentence(const kc_contract_descriptor_t *descriptor, char *out,
                        size_t size);
/* The descriptor of an obligation: kci_capsule_obligation, plan/claim_text.h.
 */

/* Whether there is a handler for the capsule: one of its file, as the file
 * says, or for a composition the host's. */
bool kci_capsule_has_handler(const kc_capsule_module_t *module,
                             const kc_capsule_record_t *capsule);
/* What the host itself grants to an obligation of a capsule of a file. A
 * guard stands in front of a handler: nothing is granted without one. */
typedef enum kci_grant { KCI_GRANT_NONE, KCI_GRANT_GUARD } kci_grant_t;
/* A runtime guard is granted when it is one of the gate's named guards and
 * there is a handler; a test suite only with a receipt (none yet). */
kci_grant_t kci_grant(const kc_capsule_module_t *module,
                      const kc_capsule_record_t *capsule, int32_t obligation);

#endif
