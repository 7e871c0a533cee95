/* SPDX-License-Identifier: Apache-2.0
 *
 * Ports of graphs as applications see them: one filling for all of them.
 */
#ifndef KC_API_GRAPH_PORT_H
#define KC_API_GRAPH_PORT_H

#include <kcapsule/graph.h>
#include "graph/graph.h"

/* `name` is borrowed from the graph. */
void kci_graph_port_fill(const kc_graph_t *graph, uint32_t node,
                         const char *name, kc_graph_port_t *out_port);

#endif
