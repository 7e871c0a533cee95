/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that no file describes: those of a composition, whose attributes are
 * resolved and whose literals come along. All of one composition are added,
 * or none.
 */
#include "graph/builder_state.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Appends a draft that no file describes. */
static kc_status_t append(kc_graph_builder_t *builder, kci_draft_t *draft,
                          uint32_t *out_id, kc_error_t *error)
{
    uint32_t id = builder->graph->node_count;
    kc_status_t status = kci_draft_check_parents(draft, error);
    if (status == KC_OK) {
        status = kci_builder_append_typed(builder, draft, error);
    }
    if (status != KC_OK) {
        kci_draft_name_error(draft, "", error);
        kci_error_prepend(error, "%s", builder->source);
        return status;
    }
    *out_id = id;
    return KC_OK;
}

kc_status_t kci_graph_builder_literal(kc_graph_builder_t *builder,
                                      const kci_tensor_type_t *type,
                                      const void *elements, uint32_t *out_id,
                                      kc_error_t *error)
{
    kci_draft_t draft = {.graph = builder->graph,
                         .kind = kci_kind_find("const"),
                         .declared = *type,
                         .is_literal = true,
                         .literal = elements};
    return append(builder, &draft, out_id, error);
}

/* The kind whose attributes are those of the operation; batch_norm alone has
 * none. */
static int32_t plain_kind(int32_t op)
{
    for (int32_t i = 0; i < kci_kind_count(); i++) {
        const kci_kind_t *kind = kci_kind(i);
        if (kind->role == KCI_ROLE_OPERATION && kind->op == op &&
            kind->lowering == KCI_LOWERING_NONE) {
            return i;
        }
    }
    return -1;
}

kc_status_t kci_graph_builder_operation(kc_graph_builder_t *builder, int32_t op,
                                        const kc_attributes_t *attributes,
                                        const uint32_t *parents,
                                        uint32_t parent_count,
                                        const kci_tensor_type_t *type,
                                        uint32_t *out_id, kc_error_t *error)
{
    kci_draft_t draft = {.graph = builder->graph,
                         .kind = plain_kind(op),
                         .parents = parents,
                         .parent_count = parent_count,
                         .declared = *type};
    assert(draft.kind >= 0 && op != KC_OP_BATCH_NORM);
    if (attributes != NULL) {
        memcpy(&draft.attributes, attributes, sizeof draft.attributes);
    }
    return append(builder, &draft, out_id, error);
}

const kc_graph_t *kci_graph_builder_nodes(const kc_graph_builder_t *builder)
{
    return builder->graph;
}

void kci_graph_builder_take_back(kc_graph_builder_t *builder,
                                 uint32_t node_count)
{
    kc_graph_t *graph = builder->graph;
    while (graph->node_count > node_count) {
        const kci_node_t *node = &graph->nodes[--graph->node_count];
        const uint32_t *parents = kci_graph_parents(graph, graph->node_count);
        bool is_sharing = node->parent_count > 0 &&
                          graph->nodes[parents[0]].first_dim == node->first_dim;
        assert(node->name == KCI_NO_INDEX);
        if (node->is_literal) {
            kci_free(graph->literals[--graph->literal_count].bytes);
        }
        if (!is_sharing) {
            graph->dim_pool_count = node->first_dim;
        }
        graph->parent_pool_count = node->first_parent;
        builder->random_count -=
            node->op == KC_OP_RAND_UNIFORM || node->op == KC_OP_BERNOULLI_MASK;
    } /* attributes stay in their pool, for who has equal ones */
}
