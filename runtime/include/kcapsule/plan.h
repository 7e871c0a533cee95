/* SPDX-License-Identifier: Apache-2.0
 *
 * Planning, explanation, audit and acceptance. Planning is pure; a plan may
 * be incomplete or rejected and is kept, printed and explained all the same;
 * only the gate makes the accepted value that execution takes. Immutable.
 */
#ifndef KCAPSULE_PLAN_H
#define KCAPSULE_PLAN_H

#include <kcapsule/graph.h>
#include <kcapsule/profile.h>

KC_BEGIN_DECLS

/* KC_OK says that planning was carried out; operations that found no capsule
 * are counted by kc_plan_failure_count and cannot be accepted. */
KC_API KC_MUST_USE kc_status_t kc_plan_ops(kc_profile_t *profile,
                                           const int32_t *ops, size_t count,
                                           kc_plan_t **out_plan,
                                           kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_plan_graph(kc_profile_t *profile,
                                             kc_graph_t *graph,
                                             kc_plan_t **out_plan,
                                             kc_error_t *error);
KC_API void kc_plan_release(kc_plan_t *plan);

/* Forward and backward: which outputs are differentiated with respect to
 * which nodes. `outputs` by place in kc_graph_output, none: all
 * floating-point ones; `nodes` by id, any floating-point ones, none: the
 * trainable consts. Each at most once; a node that no chosen output depends on
 * has a gradient of exact zeros. A zeroed `order` means 1; gradients of
 * gradients are refused (KC_ERR_NOT_IN_BUILD). */
typedef struct kc_gradient_request {
    uint32_t struct_size;
    uint32_t order;
    const uint32_t *outputs;
    size_t output_count;
    const uint32_t *nodes;
    size_t node_count;
} kc_gradient_request_t;
/* Like kc_plan_graph, with the derivative rule of every node on the way and
 * its inner operations, all planned now: what is missing is found here. The
 * profile's VJP mode decides who may own a rule; none is KC_ERR_ARGUMENT, and
 * so is a graph with named extents. `request` may be NULL. An inner operation
 * without a capsule is KC_ERR_NO_CAPSULE, naming node, rule and operation. */
KC_API KC_MUST_USE kc_status_t
kc_plan_gradients(kc_profile_t *profile, kc_graph_t *graph,
                  const kc_gradient_request_t *request, kc_plan_t **out_plan,
                  kc_error_t *error);
/* What kc_executor_run_gradients takes and gives; 0 without gradients. The
 * port of a seed has the output's name; that of a gradient the name of an
 * input or const, else "". */
KC_API size_t kc_plan_seed_count(const kc_plan_t *plan);
KC_API void kc_plan_seed(const kc_plan_t *plan, size_t index,
                         kc_graph_port_t *out_port);
KC_API size_t kc_plan_gradient_count(const kc_plan_t *plan);
KC_API void kc_plan_gradient(const kc_plan_t *plan, size_t index,
                             kc_graph_port_t *out_port);
/* One inner operation of a plan with gradients, in the order in which they
 * run; `kind` is its kc_call_kind_t (kcapsule/session.h). */
typedef struct kc_plan_sub_row {
    uint32_t struct_size;
    uint32_t node; /* that it serves */
    int32_t op;
    int32_t kind;
    const kc_capsule_record_t *capsule;
    const char *module_name;
    const char *module_path; /* "" for contracts in memory */
} kc_plan_sub_row_t;
KC_API size_t kc_plan_sub_row_count(const kc_plan_t *plan);
KC_API void kc_plan_sub_row(const kc_plan_t *plan, size_t index,
                            kc_plan_sub_row_t *out_row);

/* One planned operation. `capsule` is NULL when none was admissible. */
typedef struct kc_plan_row {
    uint32_t struct_size;
    uint32_t node; /* id in the graph, or place in the list */
    int32_t op;
    uint32_t spare;
    const kc_capsule_record_t *capsule;
    const char *module_name;
    const char *module_path; /* "" for contracts in memory */
} kc_plan_row_t;
KC_API size_t kc_plan_row_count(const kc_plan_t *plan);
KC_API void kc_plan_row(const kc_plan_t *plan, size_t index,
                        kc_plan_row_t *out_row);
KC_API size_t kc_plan_failure_count(const kc_plan_t *plan);
/* The line of the failure number `index`, in order of rows; the caller's
 * (kc_text_release). */
KC_API KC_MUST_USE kc_status_t kc_plan_failure(const kc_plan_t *plan,
                                               size_t index, char **out_line,
                                               kc_error_t *error);

/* Why a candidate for a row won or lost. `wanted` and `found` name the field
 * that decided; empty for the winner and for not_preferred. */
typedef struct kc_candidate {
    uint32_t struct_size;
    int32_t reason; /* kc_reason_t */
    const kc_capsule_record_t *capsule;
    const char *module_name;
    char wanted[96];
    char found[96];
} kc_candidate_t;
/* All capsules of the catalogue for the row's operation, in its order. The
 * array is the caller's (kc_candidates_release). */
KC_API KC_MUST_USE kc_status_t kc_plan_explain(const kc_plan_t *plan,
                                               size_t row,
                                               kc_candidate_t **out_candidates,
                                               size_t *out_count,
                                               kc_error_t *error);
KC_API void kc_candidates_release(kc_candidate_t *candidates);

/* One reason for which the gate refused. */
typedef struct kc_acceptance_failure {
    uint32_t struct_size;
    int32_t kind; /* kc_acceptance_failure_kind_t */
    int32_t op;
    int32_t obligation; /* of an evidence failure, else -1 */
    char capsule[KC_CAPSULE_NAME_SIZE];
    char line[384];
} kc_acceptance_failure_t;

/* The complete gate under the plan's own policy. KC_ERR_REJECTED lists every
 * failure in `*out_failures` (the caller's, kc_failures_release; both pointers
 * may be NULL, the list is written when neither is); that of an incomplete plan
 * is empty, and the error has the planner's line. KC_OK writes NULL and 0.
 * Only plans of graphs are executable; a list of operations is
 * KC_ERR_ARGUMENT. */
KC_API KC_MUST_USE kc_status_t
kc_plan_accept(kc_plan_t *plan, kc_accepted_plan_t **out_accepted,
               kc_acceptance_failure_t **out_failures,
               size_t *out_failure_count, kc_error_t *error);
KC_API void kc_failures_release(kc_acceptance_failure_t *failures);
KC_API void kc_accepted_plan_release(kc_accepted_plan_t *accepted);

/* A diagnostic: classifies the obligations of the plan's capsules under
 * `assurance` of `policy` (NULL: the profile's) and never gives anything
 * executable. Writes 1 or 0 to `*out_is_accepted`. */
KC_API KC_MUST_USE kc_status_t kc_plan_check(const kc_plan_t *plan,
                                             const kc_policy_t *policy,
                                             int32_t *out_is_accepted,
                                             kc_error_t *error);

KC_END_DECLS

#endif
