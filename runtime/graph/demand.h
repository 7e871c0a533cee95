/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel must be able to take to run a node: the numbers that limits
 * of capsules are compared with.
 */
#ifndef KC_GRAPH_DEMAND_H
#define KC_GRAPH_DEMAND_H

#include "graph/graph.h"

/* Of checked operands and the inferred result; op -1 for no kernel. */
kci_demand_t kci_demand_of(const kci_op_request_t *request,
                           const kci_tensor_type_t *result);
/* All elements as one axis. Of a shape with a named extent the count is not
 * known: the one axis keeps the name. */
void kci_lower_to_flat(kci_shape_t *shape);

#endif
