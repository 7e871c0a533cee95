/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs that have demands and nothing else.
 */
#include "unit/demand_fixture.h"

#include <check.h>
#include <stdlib.h>

kci_demand_t fixture_demand(int32_t op)
{
    return (kci_demand_t){.op = (int16_t)op,
                          .dtype = KC_DTYPE_F32,
                          .rank = 2,
                          .input_count = 1,
                          .is_bound = 1,
                          .extent_max = 8,
                          .element_max = 32};
}

kc_graph_t *fixture_graph(kci_demand_t *demands, uint32_t count)
{
    kc_graph_t *graph = calloc(1, sizeof *graph);
    ck_assert_ptr_nonnull(graph);
    atomic_init(&graph->reference_count, 1);
    graph->demands = demands;
    graph->node_count = count;
    return graph;
}

void fixture_graph_release(kc_graph_t *graph)
{
    ck_assert_int_eq(atomic_load(&graph->reference_count), 1);
    free(graph);
}
