/* SPDX-License-Identifier: Apache-2.0
 *
 * Literals first, then a node a step, in their order. What was added is taken
 * back when a later one fails.
 */
#include "compose/graph_nodes.h"

#include <assert.h>
#include <inttypes.h>

#include <kcapsule/graph.h>
#include "base/alloc.h"
#include "base/error.h"
#include "graph/draft.h"

kci_term_t kci_compose_node(kci_composition_t *composition,
                            const kc_graph_builder_t *builder, uint32_t node)
{
    const kc_graph_t *graph = kci_graph_builder_nodes(builder);
    kci_tensor_type_t type;
    if (composition->status != KC_OK) {
        return KCI_NO_TERM;
    }
    if (node >= graph->node_count) {
        composition->status = kci_fail(
            &composition->error, KC_ERR_GRAPH,
            "expected a node that is there, found %" PRIu32 " of %" PRIu32,
            node, graph->node_count);
        return KCI_NO_TERM;
    }
    kci_graph_node_type(graph, node, &type);
    if (type.shape.rank > 0 && type.shape.dims[0] < 0) {
        composition->status = kci_fail(
            &composition->error, KC_ERR_GRAPH,
            "node %" PRIu32 ": expected extents as numbers, found the name %s",
            node, graph->dim_names[-1 - type.shape.dims[0]]);
        return KCI_NO_TERM;
    }
    return kci_compose_argument(composition, &type);
}

typedef struct insertion {
    const kci_composition_t *composition;
    kc_graph_builder_t *builder;
    uint32_t *nodes; /* of each term */
} insertion_t;

static kc_status_t add_literals(const insertion_t *insertion, kc_error_t *error)
{
    const kci_composition_t *composition = insertion->composition;
    for (size_t i = 0; i < composition->literal_count; i++) {
        const kci_literal_t *literal = &composition->literals[i];
        KC_RETURN_IF_ERROR(kci_graph_builder_literal(
            insertion->builder, kci_term_type(composition, literal->term),
            literal->bytes, &insertion->nodes[literal->term], error));
    }
    return KC_OK;
}

static kc_status_t add_step(const insertion_t *insertion,
                            const kci_composition_step_t *step,
                            kc_error_t *error)
{
    const kci_composition_t *composition = insertion->composition;
    uint32_t parents[KC_MAX_INPUTS];
    assert(step->operand_count <= KC_MAX_INPUTS);
    for (uint32_t i = 0; i < step->operand_count; i++) {
        kci_term_t term = composition->operands[step->first_operand + i];
        assert(term != KCI_NO_TERM);
        parents[i] = insertion->nodes[term];
    }
    return kci_graph_builder_operation(
        insertion->builder, step->op,
        kci_composition_attributes(composition, step), parents,
        step->operand_count, kci_term_type(composition, step->result),
        &insertion->nodes[step->result], error);
}

static kc_status_t add_all(const insertion_t *insertion,
                           const uint32_t *arguments, kc_error_t *error)
{
    const kci_composition_t *composition = insertion->composition;
    for (size_t i = 0; i < composition->term_count; i++) {
        if (composition->terms[i].source == KCI_TERM_ARGUMENT) {
            insertion->nodes[i] = arguments[composition->terms[i].slot];
        }
    }
    KC_RETURN_IF_ERROR(add_literals(insertion, error));
    for (size_t i = 0; i < composition->step_count; i++) {
        KC_RETURN_IF_ERROR(add_step(insertion, &composition->steps[i], error));
    }
    return KC_OK;
}

static kc_status_t check_room(const kci_composition_t *composition,
                              const kc_graph_t *graph, kc_error_t *error)
{
    size_t added = composition->literal_count + composition->step_count;
    char source[KCI_SOURCE_TEXT_SIZE];
    if (added <= (size_t)KC_GRAPH_NODES_MAX - graph->node_count) {
        return KC_OK;
    }
    kci_format_source(graph->source, source);
    return kci_fail(error, KC_ERR_GRAPH,
                    "%s: expected at most %d nodes in a graph, found %" PRIu32
                    " and %zu of a composition",
                    source, KC_GRAPH_NODES_MAX, graph->node_count, added);
}

kc_status_t kci_composition_add_nodes(const kci_composition_t *composition,
                                      kc_graph_builder_t *builder,
                                      const uint32_t *arguments,
                                      kci_term_t result, uint32_t *out_node,
                                      kc_error_t *error)
{
    const kc_graph_t *graph = kci_graph_builder_nodes(builder);
    uint32_t node_count = graph->node_count;
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_composition_status(composition, error));
    KC_RETURN_IF_ERROR(check_room(composition, graph, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(composition->term_count,
                                       sizeof(uint32_t), &memory, error));
    insertion_t insertion = {composition, builder, memory};
    kc_status_t status = add_all(&insertion, arguments, error);
    if (status == KC_OK) {
        *out_node = insertion.nodes[result];
    } else {
        kci_graph_builder_take_back(builder, node_count);
    }
    kci_free(memory);
    return status;
}
