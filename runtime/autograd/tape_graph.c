/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs on a tape: a node is the operation that it would be in graph mode,
 * with the same attributes and random keys, so that the same kernels run in
 * the same order.
 */
#include "autograd/tape_state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "exec/graph_values.h"
#include "graph/kinds.h"

typedef struct graph_run {
    kc_tape_t *tape;
    const kc_graph_t *graph;
    kci_graph_ports_t ports;
    const kc_variable_t *inputs;
    const kc_variable_t *consts;
    size_t next_input;
    size_t next_const;
    size_t *places; /* of the variable of each node */
} graph_run_t;

static kc_status_t take_port(graph_run_t *run, uint32_t node, const char *role,
                             kc_variable_t variable, kc_error_t *error)
{
    const kc_graph_t *graph = run->graph;
    const char *name = graph->names[graph->nodes[node].name];
    size_t place = 0;
    kc_status_t status =
        kci_tape_find(run->tape, variable, false, &place, error);
    if (status != KC_OK) {
        kci_error_prepend(error, "%s %s (node %u)", role, name, (unsigned)node);
        return status;
    }
    run->places[node] = place;
    return kci_check_graph_view(graph, node, role, name,
                                &run->tape->variables[place].tensor->view,
                                error);
}

/* A constant of the tape: no gradient passes it. */
static kc_status_t take_literal(graph_run_t *run, uint32_t node,
                                kc_error_t *error)
{
    kci_tape_variable_t constant = {.root = KCI_NO_PLACE, .op = -1};
    kc_tensor_t *tensor = NULL;
    KC_RETURN_IF_ERROR(kci_graph_copy_literal(
        run->graph, node, kci_tape_allocator(run->tape), &tensor, error));
    kc_status_t status = kci_tape_add_variable(run->tape, &constant, tensor,
                                               &run->places[node], error);
    if (status != KC_OK) {
        kci_tensor_release(tensor);
    }
    return status;
}

static kc_status_t run_operation(graph_run_t *run, uint32_t node,
                                 kc_error_t *error)
{
    const kc_graph_t *graph = run->graph;
    const uint32_t *parents = kci_graph_parents(graph, node);
    uint32_t count = graph->nodes[node].parent_count;
    size_t inputs[KC_MAX_INPUTS];
    if (count > KC_MAX_INPUTS) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "expected at most %d parents, found %u", KC_MAX_INPUTS,
                        (unsigned)count);
    }
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = run->places[parents[i]];
    }
    if (graph->nodes[node].lowering == KCI_LOWERING_FLAT_INPUT) {
        KC_RETURN_IF_ERROR(
            kci_tape_flatten(run->tape, inputs[0], &inputs[0], error));
    }
    return kci_tape_record(run->tape, graph->nodes[node].op,
                           kci_graph_attributes(graph, node), inputs, count,
                           &run->places[node], error);
}

static kc_status_t run_node(graph_run_t *run, uint32_t node, kc_error_t *error)
{
    const kc_graph_t *graph = run->graph;
    if (graph->nodes[node].is_literal) {
        return take_literal(run, node, error);
    }
    switch (kci_kind(graph->nodes[node].kind)->role) {
    case KCI_ROLE_INPUT:
        return take_port(run, node, "input", run->inputs[run->next_input++],
                         error);
    case KCI_ROLE_CONST:
        return take_port(run, node, "const", run->consts[run->next_const++],
                         error);
    case KCI_ROLE_DETACH:
        return kci_tape_detach_place(
            run->tape, run->places[kci_graph_parents(graph, node)[0]],
            &run->places[node], error);
    default: {
        kc_status_t status = run_operation(run, node, error);
        if (status != KC_OK) {
            char text[128];
            kci_graph_describe_node(graph, node, text, sizeof text);
            kci_error_prepend(error, "node %u (%s)", (unsigned)node, text);
        }
        return status;
    }
    }
}

static kc_status_t check_counts(const graph_run_t *run, size_t input_count,
                                size_t const_count, size_t output_count,
                                kc_error_t *error)
{
    size_t expected = run->ports.const_count - run->graph->literal_count;
    if (const_count != expected) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected %zu consts, found %zu",
                        run->graph->source, expected, const_count);
    }
    return kci_check_port_counts(run->graph, &run->ports, input_count,
                                 output_count, error);
}

static kc_status_t run_nodes(graph_run_t *run, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(run->graph->node_count,
                                       sizeof *run->places, &memory, error));
    run->places = memory;
    for (uint32_t node = 0; node < run->graph->node_count; node++) {
        KC_RETURN_IF_ERROR(run_node(run, node, error));
    }
    return KC_OK;
}

kc_status_t kci_tape_run_graph(kc_tape_t *tape, const kc_graph_t *graph,
                               const kc_variable_t *inputs, size_t input_count,
                               const kc_variable_t *consts, size_t const_count,
                               kc_variable_t *out_outputs, size_t output_count,
                               kc_error_t *error)
{
    graph_run_t run = {
        .tape = tape, .graph = graph, .inputs = inputs, .consts = consts};
    kci_tape_mark_t mark = kci_tape_mark(tape);
    KC_RETURN_IF_ERROR(kci_graph_ports_create(graph, &run.ports, error));
    kc_status_t status =
        check_counts(&run, input_count, const_count, output_count, error);
    if (status == KC_OK) {
        status = run_nodes(&run, error);
    }
    for (size_t i = 0; status == KC_OK && i < output_count; i++) {
        out_outputs[i] =
            kci_tape_reference(tape, run.places[graph->outputs[i].node]);
    }
    if (status != KC_OK) {
        kci_tape_return(tape, &mark);
    }
    kci_free(run.places);
    kci_graph_ports_release(&run.ports);
    return status;
}
