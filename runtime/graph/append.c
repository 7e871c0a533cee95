/* SPDX-License-Identifier: Apache-2.0
 *
 * Storing a checked node: first room in every pool, then the writes, none of
 * which can fail.
 */
#include "graph/builder_state.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include <kcapsule/graph.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/short_name.h"

/* Extents need no question: each node has at most KC_MAX_RANK. */
_Static_assert(KC_GRAPH_NODES_MAX <= KCI_NO_INDEX / KC_MAX_RANK - 1,
               "indices into the pool of extents fit 32 bits");

static kc_status_t check_counts(const kc_graph_t *graph,
                                const kci_draft_t *draft, kc_error_t *error)
{
    if (graph->node_count >= KC_GRAPH_NODES_MAX) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "expected at most %d nodes in a graph, found one more",
                        KC_GRAPH_NODES_MAX);
    }
    if (draft->parent_count > KCI_NO_INDEX - graph->parent_pool_count) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "expected at most %" PRIu32
                        " parents in a graph, found more",
                        KCI_NO_INDEX);
    }
    return KC_OK;
}

static kc_status_t reserve_pools(kc_graph_builder_t *builder,
                                 const kci_draft_t *draft, kc_error_t *error)
{
    kc_graph_t *graph = builder->graph;
    KC_RETURN_IF_ERROR(check_counts(graph, draft, error));
    size_t nodes = (size_t)graph->node_count + 1;
    KC_RETURN_IF_ERROR(kci_grow_array((void **)&graph->nodes,
                                      &builder->node_capacity, nodes,
                                      sizeof *graph->nodes, error));
    KC_RETURN_IF_ERROR(kci_grow_array((void **)&graph->demands,
                                      &builder->demand_capacity, nodes,
                                      sizeof *graph->demands, error));
    KC_RETURN_IF_ERROR(
        kci_grow_array((void **)&graph->parents, &builder->parent_capacity,
                       (size_t)graph->parent_pool_count + draft->parent_count,
                       sizeof *graph->parents, error));
    KC_RETURN_IF_ERROR(
        kci_grow_array((void **)&graph->dims, &builder->dim_capacity,
                       (size_t)graph->dim_pool_count + KC_MAX_RANK,
                       sizeof *graph->dims, error));
    return kci_attribute_pool_reserve(&builder->attributes, graph, error);
}

/* The last step that can fail. */
static kc_status_t store_name(kc_graph_builder_t *builder, const char *name,
                              uint32_t *out_index, kc_error_t *error)
{
    kc_graph_t *graph = builder->graph;
    json_t *known = json_object_get(builder->node_names, name);
    *out_index = graph->name_count;
    if (known != NULL) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "the name `%s` is that of node %" JSON_INTEGER_FORMAT
                        " already",
                        kci_short_name(name).text, json_integer_value(known));
    }
    KC_RETURN_IF_ERROR(kci_grow_array(
        (void **)&graph->names, &builder->name_capacity,
        (size_t)graph->name_count + 1, sizeof *graph->names, error));
    KC_RETURN_IF_ERROR(
        kci_copy_string(name, &graph->names[graph->name_count], error));
    if (json_object_set_new_nocheck(builder->node_names, name,
                                    json_integer(graph->node_count)) != 0) {
        kci_free(graph->names[graph->name_count]);
        graph->names[graph->name_count] = NULL;
        return kci_fail(error, KC_ERR_MEMORY, "out of memory for a name");
    }
    graph->name_count++;
    return KC_OK;
}

/* Most nodes have the shape of their first parent: its extents are shared. */
static uint32_t store_dims(kc_graph_t *graph, const kci_draft_t *draft)
{
    const kci_shape_t *shape = &draft->declared.shape;
    size_t size = (size_t)shape->rank * sizeof *graph->dims;
    if (draft->parent_count > 0) {
        const kci_node_t *parent = &graph->nodes[draft->parents[0]];
        if (parent->rank == shape->rank &&
            memcmp(graph->dims + parent->first_dim, shape->dims, size) == 0) {
            return parent->first_dim;
        }
    }
    uint32_t first = graph->dim_pool_count;
    memcpy(graph->dims + first, shape->dims, size);
    graph->dim_pool_count += (uint32_t)shape->rank;
    return first;
}

static void store_node(kc_graph_builder_t *builder, const kci_draft_t *draft,
                       uint32_t name)
{
    kc_graph_t *graph = builder->graph;
    const kci_kind_t *kind = kci_kind(draft->kind);
    kci_node_t node = {
        .kind = (int16_t)draft->kind,
        .op = (int16_t)kind->op,
        .dtype = (int8_t)draft->declared.dtype,
        .rank = (int8_t)draft->declared.shape.rank,
        .lowering = (uint8_t)kind->lowering,
        .is_trainable = draft->is_trainable,
        .is_literal = draft->is_literal,
        .axes = {draft->axes[0], draft->axes[1]},
        .parent_count = draft->parent_count,
        .first_parent = graph->parent_pool_count,
        .first_dim = store_dims(graph, draft),
        .attributes = KCI_NO_INDEX,
        .name = name,
    };
    if (kind->op >= 0 && kci_op_has_attributes(kind->op)) {
        node.attributes = kci_attribute_pool_add(&builder->attributes, graph,
                                                 &draft->attributes);
    }
    if (draft->parent_count > 0) {
        memcpy(graph->parents + graph->parent_pool_count, draft->parents,
               draft->parent_count * sizeof *draft->parents);
        graph->parent_pool_count += draft->parent_count;
    }
    graph->demands[graph->node_count] = draft->demand;
    graph->nodes[graph->node_count++] = node;
}

kc_status_t kci_builder_append(kc_graph_builder_t *builder,
                               const kci_draft_t *draft, kc_error_t *error)
{
    int32_t op = kci_kind(draft->kind)->op;
    kc_graph_t *graph = builder->graph;
    uint32_t name = KCI_NO_INDEX;
    kci_graph_literal_t literal = {0};
    KC_RETURN_IF_ERROR(reserve_pools(builder, draft, error));
    if (draft->is_literal) { /* has no name, so nothing fails after this */
        assert(draft->name == NULL);
        KC_RETURN_IF_ERROR(
            kci_builder_copy_literal(builder, draft, &literal, error));
        graph->literals[graph->literal_count++] = literal;
    }
    if (draft->name != NULL) {
        KC_RETURN_IF_ERROR(store_name(builder, draft->name, &name, error));
    }
    store_node(builder, draft, name);
    if (op == KC_OP_RAND_UNIFORM || op == KC_OP_BERNOULLI_MASK) {
        builder->random_count++;
    }
    return KC_OK;
}

kc_status_t kci_builder_append_typed(kc_graph_builder_t *builder,
                                     kci_draft_t *draft, kc_error_t *error)
{
    const kci_shape_t *shape = &draft->declared.shape;
    KC_RETURN_IF_ERROR(kci_check_declared_shape(shape->rank, shape->dims,
                                                KC_ERR_GRAPH, error));
    KC_RETURN_IF_ERROR(kci_check_declared_size(&draft->declared, error));
    KC_RETURN_IF_ERROR(kci_draft_infer(draft, error));
    return kci_builder_append(builder, draft, error);
}
