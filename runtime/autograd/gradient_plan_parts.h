/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts that a gradient plan is made from: what is differentiated with
 * respect to what, and the backward that grows in a program.
 */
#ifndef KC_AUTOGRAD_GRADIENT_PLAN_PARTS_H
#define KC_AUTOGRAD_GRADIENT_PLAN_PARTS_H

#include "autograd/gradient_plan.h"

/* A request with everything said: places of outputs and ids of nodes in the
 * order of the request, else in rising order. */
typedef struct kci_gradient_targets {
    uint32_t *outputs;
    size_t output_count;
    uint32_t *nodes;
    size_t node_count;
    /* One a node: it is wanted, or a wanted one can be reached from it
     * backwards, through argument places that have a cotangent. */
    bool *is_on_way;
} kci_gradient_targets_t;

/* gradient_plan_request.c. KC_ERR_ARGUMENT for what the graph does not have,
 * what is not floating-point, what comes twice, and a request that leaves
 * nothing to differentiate. */
KC_MUST_USE kc_status_t kci_gradient_targets_create(
    const kc_graph_t *graph, const kci_gradient_request_t *request,
    kci_gradient_targets_t *out_targets, kc_error_t *error);
void kci_gradient_targets_release(kci_gradient_targets_t *targets);
/* Whether a cotangent of this argument of the node is to be computed. */
bool kci_gradient_is_wanted(const kc_graph_t *graph,
                            const kci_gradient_targets_t *targets,
                            uint32_t node, uint32_t place);

/* The backward as it grows; everything borrowed but the last two. */
typedef struct kci_backward {
    const kc_profile_t *profile;
    const kc_graph_t *graph;
    const kci_gradient_targets_t *targets;
    const kci_inner_plan_t *inner;
    kci_program_t *program;
    kci_composition_t composition; /* of one rule after another */
    uint32_t *cotangents; /* value of each node so far, KCI_NO_VALUE: none */
} kci_backward_t;

/* gradient_plan_rule.c. The elements of a value, seen with another shape. */
KC_MUST_USE kc_status_t kci_backward_view(kci_backward_t *backward,
                                          uint32_t value,
                                          const kci_tensor_type_t *type,
                                          uint32_t *out_value,
                                          kc_error_t *error);
/* The rule for the node of a row, whose cotangent is
 * there. `out_results[i]` is the cotangent of its argument `i`, with the
 * argument's shape after lowering; KCI_NO_VALUE where it is not wanted or
 * zero. */
KC_MUST_USE kc_status_t kci_backward_add_rule(kci_backward_t *backward,
                                              const kci_plan_row_t *row,
                                              const bool *wanted,
                                              uint32_t *out_results,
                                              kc_error_t *error);

/* gradient_plan_walk.c: seeds, rules and sums; then the program has its
 * gradients. */
KC_MUST_USE kc_status_t kci_backward_walk(kci_backward_t *backward,
                                          const kc_plan_t *plan,
                                          kc_error_t *error);

#endif
