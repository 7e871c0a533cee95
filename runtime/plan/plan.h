/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans: for each operation the capsule that was chosen, or that none could
 * be. Planning is pure: it depends on profile and request, probes nothing,
 * and gives the same answer on every machine.
 */
#ifndef KC_PLAN_PLAN_H
#define KC_PLAN_PLAN_H

#include "graph/graph.h"
#include "registry/profile.h"

#define KCI_NO_ENTRY UINT16_MAX

/* One planned operation; small, because graphs have millions of them. */
typedef struct kci_plan_row {
    uint32_t node; /* id of the node, or the place in the list */
    uint16_t op;
    uint16_t entry; /* index into the profile's entries, or none */
} kci_plan_row_t;

/* An inner operation of a plan with gradients: part of the rule for `node`,
 * of the composition that its capsule is, or a sum of contributions. */
typedef struct kci_sub_row {
    uint32_t node;
    uint16_t op;
    uint16_t entry;
    uint8_t role; /* kci_call_role_t, exec/call_role.h */
} kci_sub_row_t;

typedef struct kc_plan {
    _Atomic int reference_count;
    kc_profile_t *profile; /* retained */
    kc_graph_t *graph;     /* retained; NULL for a list of operations */
    kci_plan_row_t *rows;
    size_t row_count;
    size_t failure_count; /* rows without an entry */
    /* Of a plan with gradients (autograd/gradient_plan): the inner operations
     * in the order in which they run, and forward and backward as a program
     * that execution takes. Else 0 and NULL. */
    kci_sub_row_t *sub_rows;
    size_t sub_row_count;
    struct kci_program *program;
    void (*release_program)(struct kci_program *program);
} kc_plan_t;

/* KC_OK means that planning was carried out; whether every operation found a
 * capsule says `failure_count`. Errors are an invalid registry or operation
 * number, or lack of memory. */
KC_MUST_USE kc_status_t kci_plan_ops(kc_profile_t *profile, const int32_t *ops,
                                     size_t count, kc_plan_t **out_plan,
                                     kc_error_t *error);
/* Skips nodes that need no kernel. At most 30 ns a node. */
KC_MUST_USE kc_status_t kci_plan_graph(kc_profile_t *profile, kc_graph_t *graph,
                                       kc_plan_t **out_plan, kc_error_t *error);
kc_plan_t *kci_plan_retain(kc_plan_t *plan);
void kci_plan_release(kc_plan_t *plan); /* accepts NULL */

/* The seed's planOp: no availability filter, no registry validation. `demand`
 * may be NULL. KCI_NO_ENTRY when no entry is eligible. */
uint16_t kci_plan_choose_direct(const kc_profile_t *profile, int32_t op,
                                const kci_demand_t *demand);

/* "no admissible kernel capsule for op OP on device DEVICE" */
void kci_plan_failure_line(const kc_plan_t *plan, const kci_plan_row_t *row,
                           char *out, size_t size);

/* Why each candidate for an operation won or lost. */
typedef struct kci_candidate {
    uint16_t entry;
    int32_t reason;  /* kc_reason_t */
    char wanted[96]; /* the field that decided: what was asked for, e.g.
                        * "device cpu"; empty for selected/not_preferred */
    char found[96];  /* and what the capsule has */
} kci_candidate_t;
/* All capsules of the catalogue for `op`, in its order. `*out_candidates` is
 * owned by the caller (kci_free). `demand` may be NULL. */
KC_MUST_USE kc_status_t kci_plan_explain(const kc_profile_t *profile,
                                         int32_t op, const kci_demand_t *demand,
                                         kci_candidate_t **out_candidates,
                                         size_t *out_count, kc_error_t *error);

/* Adjacent planned rows with equal op and full equality of the capsules. */
typedef struct kci_group {
    size_t first_row;
    size_t row_count;
} kci_group_t;
KC_MUST_USE kc_status_t kci_plan_group(const kc_plan_t *plan,
                                       kci_group_t **out_groups,
                                       size_t *out_count, kc_error_t *error);
/* Equality of every field; spare words are compared too. */
bool kci_capsule_equal(const kc_capsule_record_t *a,
                       const kc_capsule_record_t *b);

#endif
