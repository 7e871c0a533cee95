/* SPDX-License-Identifier: Apache-2.0
 *
 * Consts that bring their value: the matrices of what an application
 * composes, which are no weights of a model. They have no name, so weights
 * are not asked for them; graph files have none.
 */
#include "graph/builder_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "tensor/dtype.h"

static int compare_nodes(const void *a, const void *b)
{
    const kci_graph_literal_t *left = a;
    const kci_graph_literal_t *right = b;
    return (left->node > right->node) - (left->node < right->node);
}

const kci_graph_literal_t *kci_graph_literal(const kc_graph_t *graph,
                                             uint32_t node)
{
    kci_graph_literal_t key = {.node = node};
    return graph->nodes[node].is_literal
               ? bsearch(&key, graph->literals, graph->literal_count,
                         sizeof key, compare_nodes)
               : NULL;
}

kc_status_t kci_builder_copy_literal(kc_graph_builder_t *builder,
                                     const kci_draft_t *draft,
                                     kci_graph_literal_t *out_copy,
                                     kc_error_t *error)
{
    kc_graph_t *graph = builder->graph;
    const kci_tensor_type_t *type = &draft->declared;
    size_t size = (size_t)kci_shape_element_count(&type->shape) *
                  kci_dtype_size(type->dtype);
    void *bytes = NULL;
    KC_RETURN_IF_ERROR(kci_grow_array(
        (void **)&graph->literals, &builder->literal_capacity,
        (size_t)graph->literal_count + 1, sizeof *graph->literals, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(size, 1, &bytes, error));
    if (size != 0) {
        memcpy(bytes, draft->literal, size);
    }
    *out_copy = (kci_graph_literal_t){graph->node_count, bytes, size};
    return KC_OK;
}
