/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds bytes to the graph reader. A graph that is accepted is described,
 * bound with small and large extents, and held to what its header promises.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "graph/kinds.h"

const char kc_fuzz_name[] = "graph";

static void require(bool is_true)
{
    if (!is_true) {
        abort();
    }
}

static void check_node(const kc_graph_t *graph, uint32_t node)
{
    const kci_node_t *record = &graph->nodes[node];
    const uint32_t *parents = kci_graph_parents(graph, node);
    kci_tensor_type_t type;
    char text[80];
    kci_graph_describe_node(graph, node, text, sizeof text);
    require(strlen(text) < sizeof text);
    require(record->kind >= 0 && record->kind < kci_kind_count());
    for (uint32_t i = 0; i < record->parent_count; i++) {
        require(parents[i] < node);
        kci_graph_operand_type(graph, node, i, &type);
        require(type.shape.rank >= 0 && type.shape.rank <= KC_MAX_RANK);
    }
    kci_graph_node_type(graph, node, &type);
    for (int32_t axis = 0; axis < type.shape.rank; axis++) {
        int64_t extent = type.shape.dims[axis];
        require(extent >= 0 ||
                (axis == 0 && -1 - extent < (int64_t)graph->dim_name_count));
    }
}

static void check_graph(const kc_graph_t *graph)
{
    for (uint32_t node = 0; node < graph->node_count; node++) {
        check_node(graph, node);
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        require(graph->outputs[i].node < graph->node_count);
    }
}

static void bind_all(kc_graph_t *graph, int64_t value)
{
    int64_t values[8] = {value, value, value, value,
                         value, value, value, value};
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *bound = NULL;
    if (graph->dim_name_count > 8 ||
        kci_graph_bind(graph, (const char *const *)graph->dim_names, values,
                       graph->dim_name_count, &bound, &error) != KC_OK) {
        return;
    }
    require(bound->dim_name_count == 0);
    check_graph(bound);
    kci_graph_release(bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    kc_status_t status =
        kci_graph_parse((const char *)data, size, "fuzz.json", &graph, &error);
    if (status != KC_OK) {
        require(error.message[0] != '\0' && graph == NULL);
        return 0;
    }
    check_graph(graph);
    bind_all(graph, 0);
    bind_all(graph, 3);
    bind_all(graph, INT64_MAX);
    kci_graph_release(graph);
    return 0;
}
