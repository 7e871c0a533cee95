/* SPDX-License-Identifier: Apache-2.0
 *
 * Life of a graph and look-ups in its pools.
 */
#include "graph/graph.h"

#include <string.h>

#include "base/alloc.h"
#include "graph/demand.h"

kc_graph_t *kci_graph_retain(kc_graph_t *graph)
{
    atomic_fetch_add_explicit(&graph->reference_count, 1, memory_order_relaxed);
    return graph;
}

static void free_strings(char **strings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kci_free(strings[i]);
    }
    kci_free(strings);
}

static void free_literals(kc_graph_t *graph)
{
    for (uint32_t i = 0; i < graph->literal_count; i++) {
        kci_free(graph->literals[i].bytes);
    }
    kci_free(graph->literals);
}

static void destroy_graph(kc_graph_t *graph)
{
    for (uint32_t i = 0; i < graph->output_count; i++) {
        kci_free(graph->outputs[i].name);
    }
    kci_free(graph->outputs);
    free_literals(graph);
    free_strings(graph->names, graph->name_count);
    free_strings(graph->dim_names, graph->dim_name_count);
    kci_free(graph->nodes);
    kci_free(graph->demands);
    kci_free(graph->parents);
    kci_free(graph->dims);
    kci_free(graph->attributes);
    kci_free(graph->source);
    kci_free(graph);
}

void kci_graph_release(kc_graph_t *graph)
{
    if (graph != NULL && atomic_fetch_sub_explicit(&graph->reference_count, 1,
                                                   memory_order_acq_rel) == 1) {
        destroy_graph(graph);
    }
}

void kci_graph_node_type(const kc_graph_t *graph, uint32_t node,
                         kci_tensor_type_t *out_type)
{
    const kci_node_t *record = &graph->nodes[node];
    out_type->dtype = record->dtype;
    out_type->shape.rank = record->rank;
    memcpy(out_type->shape.dims, graph->dims + record->first_dim,
           (size_t)record->rank * sizeof *graph->dims);
}

const kc_attributes_t *kci_graph_attributes(const kc_graph_t *graph,
                                            uint32_t node)
{
    uint32_t index = graph->nodes[node].attributes;
    return index == KCI_NO_INDEX ? NULL : &graph->attributes[index];
}

void kci_graph_operand_type(const kc_graph_t *graph, uint32_t node,
                            uint32_t index, kci_tensor_type_t *out_type)
{
    kci_graph_node_type(graph, kci_graph_parents(graph, node)[index], out_type);
    if (index == 0 && graph->nodes[node].lowering == KCI_LOWERING_FLAT_INPUT) {
        kci_lower_to_flat(&out_type->shape);
    }
}
