/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs that are only what planning sees of them: demands of nodes.
 */
#ifndef KC_TESTS_UNIT_DEMAND_FIXTURE_H
#define KC_TESTS_UNIT_DEMAND_FIXTURE_H

#include "graph/graph.h"

/* float32, rank 2, one input, extents 4 x 8, all known. */
kci_demand_t fixture_demand(int32_t op);
/* Borrows the demands. Released by fixture_graph_release, after everything
 * that retained it. */
kc_graph_t *fixture_graph(kci_demand_t *demands, uint32_t count);
void fixture_graph_release(kc_graph_t *graph);

#endif
