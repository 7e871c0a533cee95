/* SPDX-License-Identifier: Apache-2.0
 *
 * Planning of forward and backward together: which capsule computes every
 * node, who owns every derivative rule, and which capsules its inner
 * operations have. Pure, like all planning; nothing of the backward is
 * decided later.
 *
 * The order of the backward (ops.md 6.5, 8.3): nodes by falling id, each once
 * after all its consumers. The cotangent of a value is the sum of its
 * contributions in the order in which they arise: of its consumers by falling
 * id, of one consumer by rising argument place; a seed of its own comes
 * first. The first contribution stands, each later one is added to the sum by
 * the operation add, which is planned like every inner operation.
 */
#ifndef KC_AUTOGRAD_GRADIENT_PLAN_H
#define KC_AUTOGRAD_GRADIENT_PLAN_H

#include "exec/program.h"

/* What is differentiated. `outputs`: graph outputs by place, each at most
 * once, floating-point; none: all floating-point ones. `nodes`: where
 * gradients are wanted, any floating-point nodes, each at most once; none:
 * the trainable consts. */
typedef struct kci_gradient_request {
    const uint32_t *outputs;
    size_t output_count;
    const uint32_t *nodes;
    size_t node_count;
} kci_gradient_request_t;

/* A plan of the graph with its program and its inner operations. A profile
 * whose VJP mode is none, a graph with named extents, an output or node that
 * is not there or not floating-point is KC_ERR_ARGUMENT. With operations
 * that found no capsule the plan has failures and no program. An inner
 * operation without a capsule is KC_ERR_NO_CAPSULE and names the node, the
 * rule and the operation. A wanted node that no chosen output depends on has
 * the gradient zero. */
KC_MUST_USE kc_status_t
kci_gradient_plan_create(kc_profile_t *profile, kc_graph_t *graph,
                         const kci_gradient_request_t *request,
                         kc_plan_t **out_plan, kc_error_t *error);

#endif
