/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: files, names of extents, ports.
 */
#include <kcapsule/graph.h>

#include "api/argument.h"
#include "api/graph_port.h"
#include "graph/kinds.h"

kc_status_t kc_graph_read(const char *path, kc_graph_t **out_graph,
                          kc_error_t *error)
{
    KC_REQUIRE(path, error);
    KC_REQUIRE(out_graph, error);
    return kci_graph_read(path, out_graph, error);
}

kc_status_t kc_graph_parse(const char *text, size_t length, const char *name,
                           kc_graph_t **out_graph, kc_error_t *error)
{
    KC_REQUIRE(text, error);
    KC_REQUIRE(name, error);
    KC_REQUIRE(out_graph, error);
    return kci_graph_parse(text, length, name, out_graph, error);
}

void kc_graph_release(kc_graph_t *graph)
{
    kci_graph_release(graph);
}

kc_status_t kc_graph_bind(kc_graph_t *graph, const char *const *names,
                          const int64_t *values, size_t count,
                          kc_graph_t **out_graph, kc_error_t *error)
{
    KC_REQUIRE(graph, error);
    KC_REQUIRE(out_graph, error);
    if (count != 0) {
        KC_REQUIRE(names, error);
        KC_REQUIRE(values, error);
    }
    return kci_graph_bind(graph, names, values, count, out_graph, error);
}

uint32_t kc_graph_node_count(const kc_graph_t *graph)
{
    return graph->node_count;
}

static bool has_role(const kc_graph_t *graph, uint32_t node,
                     kci_kind_role_t role)
{
    return kci_kind(graph->nodes[node].kind)->role == role &&
           !graph->nodes[node].is_literal;
}

static size_t count_role(const kc_graph_t *graph, kci_kind_role_t role)
{
    size_t count = 0;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        count += has_role(graph, node, role);
    }
    return count;
}

void kci_graph_port_fill(const kc_graph_t *graph, uint32_t node,
                         const char *name, kc_graph_port_t *out_port)
{
    kci_tensor_type_t type;
    kci_graph_node_type(graph, node, &type);
    out_port->dtype = type.dtype;
    out_port->name = name;
    out_port->node = node;
    out_port->rank = type.shape.rank;
    for (int32_t axis = 0; axis < KC_MAX_RANK; axis++) {
        out_port->dims[axis] =
            axis < type.shape.rank ? type.shape.dims[axis] : 0;
    }
    if (KC_HAS_FIELD(out_port, kc_graph_port_t, is_trainable)) {
        out_port->is_trainable = graph->nodes[node].is_trainable;
    }
}

/* The node number `index` of a role, in order of ids. */
static void port_of_role(const kc_graph_t *graph, kci_kind_role_t role,
                         size_t index, kc_graph_port_t *out_port)
{
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (has_role(graph, node, role) && index-- == 0) {
            kci_graph_port_fill(
                graph, node, graph->names[graph->nodes[node].name], out_port);
            return;
        }
    }
}

size_t kc_graph_input_count(const kc_graph_t *graph)
{
    return count_role(graph, KCI_ROLE_INPUT);
}

void kc_graph_input(const kc_graph_t *graph, size_t index,
                    kc_graph_port_t *out_port)
{
    port_of_role(graph, KCI_ROLE_INPUT, index, out_port);
}

size_t kc_graph_const_count(const kc_graph_t *graph)
{
    return count_role(graph, KCI_ROLE_CONST);
}

void kc_graph_const(const kc_graph_t *graph, size_t index,
                    kc_graph_port_t *out_port)
{
    port_of_role(graph, KCI_ROLE_CONST, index, out_port);
}

size_t kc_graph_output_count(const kc_graph_t *graph)
{
    return graph->output_count;
}

void kc_graph_output(const kc_graph_t *graph, size_t index,
                     kc_graph_port_t *out_port)
{
    if (index < graph->output_count) {
        const kci_graph_output_t *output = &graph->outputs[index];
        kci_graph_port_fill(graph, output->node, output->name, out_port);
    }
}

void kc_graph_node(const kc_graph_t *graph, uint32_t node,
                   kc_graph_node_t *out_node)
{
    if (node >= graph->node_count) {
        return;
    }
    const kci_node_t *at = &graph->nodes[node];
    const kci_graph_literal_t *literal = kci_graph_literal(graph, node);
    kci_tensor_type_t type;
    kci_graph_node_type(graph, node, &type);
    out_node->op = at->op;
    out_node->dtype = type.dtype;
    out_node->rank = type.shape.rank;
    for (int32_t axis = 0; axis < KC_MAX_RANK; axis++) {
        out_node->dims[axis] =
            axis < type.shape.rank ? type.shape.dims[axis] : 0;
    }
    out_node->kind = kci_kind(at->kind)->label;
    out_node->name = at->name != KCI_NO_INDEX ? graph->names[at->name] : "";
    out_node->attributes = kci_graph_attributes(graph, node);
    out_node->parents = kci_graph_parents(graph, node);
    out_node->parent_count = at->parent_count;
    out_node->is_flat = at->lowering == KCI_LOWERING_FLAT_INPUT;
    out_node->literal = literal != NULL ? literal->bytes : NULL;
    if (KC_HAS_FIELD(out_node, kc_graph_node_t, is_trainable)) {
        out_node->is_trainable = at->is_trainable;
    }
}

size_t kc_graph_extent_name_count(const kc_graph_t *graph)
{
    return graph->dim_name_count;
}

const char *kc_graph_extent_name(const kc_graph_t *graph, size_t index)
{
    return index < graph->dim_name_count ? graph->dim_names[index] : NULL;
}

const char *kc_graph_sha256(const kc_graph_t *graph)
{
    return graph->sha256;
}
