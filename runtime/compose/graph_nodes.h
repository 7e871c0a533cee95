/* SPDX-License-Identifier: Apache-2.0
 *
 * A composition as nodes of a graph that is being built: ordinary ones, that
 * pass the checks of every node. Nothing says what they were composed for.
 */
#ifndef KC_COMPOSE_GRAPH_NODES_H
#define KC_COMPOSE_GRAPH_NODES_H

#include "compose/composition.h"
#include "graph/builder.h"

/* An argument of the type of a node: one that is there, and whose extents are
 * numbers. Else KCI_NO_TERM and the failure of the composition. */
kci_term_t kci_compose_node(kci_composition_t *composition,
                            const kc_graph_builder_t *builder, uint32_t node);
/* `arguments`: a node for each. Literals become values of the graph. Writes
 * the node of `result`; on failure, of the composition too, the builder is
 * as it was. */
KC_MUST_USE kc_status_t kci_composition_add_nodes(
    const kci_composition_t *composition, kc_graph_builder_t *builder,
    const uint32_t *arguments, kci_term_t result, uint32_t *out_node,
    kc_error_t *error);

#endif
