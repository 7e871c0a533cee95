/* SPDX-License-Identifier: Apache-2.0
 *
 * Eager mode over a graph: node by node through the session, a value is
 * given back after its last reader.
 */
#include "exec/executor.h"

#include "base/alloc.h"
#include "base/error.h"
#include "exec/graph_values.h"
#include "exec/session_state.h"
#include "graph/kinds.h"

/* The value of a node. A detach node has none of its own. */
typedef struct eager_value {
    uint32_t root;         /* the node whose value this is */
    uint32_t reader_count; /* still to come; a graph output counts as one */
    const DLTensor *view;
    kc_tensor_t *owned; /* made by a kernel; else the view is borrowed */
} eager_value_t;

typedef struct eager_run {
    kc_session_t *session;
    const kc_graph_t *graph;
    kci_graph_ports_t ports;
    const DLTensor *const *inputs;
    kc_tensor_t **consts;
    eager_value_t *values;
    size_t next_input;
    size_t next_const;
} eager_run_t;

static void count_readers(eager_run_t *run)
{
    const kc_graph_t *graph = run->graph;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        const uint32_t *parents = kci_graph_parents(graph, node);
        bool is_detach =
            kci_kind(graph->nodes[node].kind)->role == KCI_ROLE_DETACH;
        run->values[node].root =
            is_detach ? run->values[parents[0]].root : node;
        for (uint32_t i = 0; !is_detach && i < graph->nodes[node].parent_count;
             i++) {
            run->values[run->values[parents[i]].root].reader_count++;
        }
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        run->values[run->values[graph->outputs[i].node].root].reader_count++;
    }
}

static void drop_reader(eager_value_t *value)
{
    value->reader_count--;
    if (value->reader_count == 0) {
        kci_tensor_release(value->owned);
        value->owned = NULL;
        value->view = NULL;
    }
}

/* `parent` seen as one axis: another view of dense memory, or of a dense copy
 * (then `*out_copy` is the caller's). */
static kc_status_t flatten(const eager_run_t *run, const DLTensor *parent,
                           int64_t *dims, DLTensor *out_view,
                           kc_tensor_t **out_copy, kc_error_t *error)
{
    if (!kci_tensor_is_dense(parent)) {
        KC_RETURN_IF_ERROR(kci_copy_view(run->session->host->allocator, parent,
                                         out_copy, error));
        parent = &(*out_copy)->view;
    }
    dims[0] = kc_tensor_element_count(parent);
    dims[1] = 1;
    *out_view = *parent;
    out_view->ndim = 1;
    out_view->shape = &dims[0];
    out_view->strides = &dims[1];
    return KC_OK;
}

static kc_status_t call_node(const eager_run_t *run, uint32_t node,
                             const DLTensor *const *operands, size_t count,
                             kc_tensor_t **out_value, kc_error_t *error)
{
    kci_run_record_t *record = &run->session->record;
    const kci_choice_t *choice = NULL;
    kc_tensor_t *value = NULL;
    kci_tensor_type_t type;
    kci_graph_node_type(run->graph, node, &type);
    KC_RETURN_IF_ERROR(kci_tensor_create(run->session->host->allocator,
                                         type.dtype, type.shape.rank,
                                         type.shape.dims, &value, error));
    int32_t op = run->graph->nodes[node].op;
    kc_status_t status = kci_session_call(
        run->session, op, kci_graph_attributes(run->graph, node), operands,
        count, &value->view, &choice, error);
    if (choice != NULL && (status == KC_OK || status == KC_ERR_KERNEL)) {
        record->nodes[record->node_count++] = (kci_plan_row_t){
            .node = node, .op = (uint16_t)op, .entry = choice->entry};
    }
    if (status != KC_OK) {
        kci_tensor_release(value);
        return status;
    }
    *out_value = value;
    return KC_OK;
}

static kc_status_t run_operation(eager_run_t *run, uint32_t node,
                                 kc_error_t *error)
{
    const kc_graph_t *graph = run->graph;
    const uint32_t *parents = kci_graph_parents(graph, node);
    uint32_t count = graph->nodes[node].parent_count;
    const DLTensor *operands[KC_MAX_INPUTS];
    DLTensor flat;
    int64_t flat_dims[2];
    kc_tensor_t *copy = NULL;
    kc_status_t status = KC_OK;
    if (count > KC_MAX_INPUTS) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "expected at most %d parents, found %u", KC_MAX_INPUTS,
                        (unsigned)count);
    }
    for (uint32_t i = 0; i < count; i++) {
        operands[i] = run->values[run->values[parents[i]].root].view;
    }
    if (graph->nodes[node].lowering == KCI_LOWERING_FLAT_INPUT) {
        status = flatten(run, operands[0], flat_dims, &flat, &copy, error);
        operands[0] = &flat;
    }
    if (status == KC_OK) {
        status = call_node(run, node, operands, count, &run->values[node].owned,
                           error);
    }
    kci_tensor_release(copy);
    if (status != KC_OK) {
        return status;
    }
    run->values[node].view = &run->values[node].owned->view;
    for (uint32_t i = 0; i < count; i++) {
        drop_reader(&run->values[run->values[parents[i]].root]);
    }
    if (run->values[node].reader_count == 0) {
        run->values[node].reader_count = 1;
        drop_reader(&run->values[node]);
    }
    return KC_OK;
}

static kc_status_t run_node(eager_run_t *run, uint32_t node, kc_error_t *error)
{
    const kc_graph_t *graph = run->graph;
    eager_value_t *value = &run->values[node];
    switch (kci_kind(graph->nodes[node].kind)->role) {
    case KCI_ROLE_INPUT:
        value->view = run->inputs[run->next_input++];
        return kci_check_graph_view(graph, node, "input",
                                    graph->names[graph->nodes[node].name],
                                    value->view, error);
    case KCI_ROLE_CONST:
        value->view = &run->consts[run->next_const++]->view;
        return KC_OK;
    case KCI_ROLE_DETACH:
        return KC_OK;
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

/* The last output of a kernel's value takes it over, others get copies. */
static kc_status_t give_outputs(eager_run_t *run, kc_tensor_t **out_outputs,
                                kc_error_t *error)
{
    const kc_graph_t *graph = run->graph;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        uint32_t root = run->values[graph->outputs[i].node].root;
        eager_value_t *value = &run->values[root];
        if (value->owned != NULL && value->reader_count == 1) {
            out_outputs[i] = value->owned;
            value->owned = NULL;
            continue;
        }
        KC_RETURN_IF_ERROR(kci_copy_view(run->session->host->allocator,
                                         value->view, &out_outputs[i], error));
        value->reader_count--;
    }
    return KC_OK;
}

static kc_status_t run_nodes(eager_run_t *run, kc_tensor_t **outputs,
                             kc_error_t *error)
{
    kci_run_record_t *record = &run->session->record;
    record->node_count = 0;
    KC_RETURN_IF_ERROR(kci_run_record_reserve(record, record->entry_count,
                                              run->graph->node_count, error));
    count_readers(run);
    for (uint32_t node = 0; node < run->graph->node_count; node++) {
        KC_RETURN_IF_ERROR(run_node(run, node, error));
    }
    return give_outputs(run, outputs, error);
}

static kc_status_t prepare_run(eager_run_t *run,
                               const kci_named_tensor_t *consts,
                               size_t const_count, size_t input_count,
                               size_t output_count, void **out_outputs,
                               kc_error_t *error)
{
    void *values = NULL;
    KC_RETURN_IF_ERROR(kci_graph_ports_create(run->graph, &run->ports, error));
    KC_RETURN_IF_ERROR(kci_check_port_counts(run->graph, &run->ports,
                                             input_count, output_count, error));
    KC_RETURN_IF_ERROR(kci_graph_take_consts(
        run->graph, &run->ports, run->session->host->allocator, consts,
        const_count, &run->consts, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(run->graph->node_count,
                                       sizeof(eager_value_t), &values, error));
    run->values = values;
    return kci_alloc_array(output_count, sizeof(kc_tensor_t *), out_outputs,
                           error);
}

static void release_run(eager_run_t *run)
{
    for (uint32_t i = 0; run->values != NULL && i < run->graph->node_count;
         i++) {
        kci_tensor_release(run->values[i].owned);
    }
    for (size_t i = 0; run->consts != NULL && i < run->ports.const_count; i++) {
        kci_tensor_release(run->consts[i]);
    }
    kci_free(run->values);
    kci_free(run->consts);
    kci_graph_ports_release(&run->ports);
}

kc_status_t kci_session_run_graph(kc_session_t *session,
                                  const kc_graph_t *graph,
                                  const kci_named_tensor_t *consts,
                                  size_t const_count,
                                  const DLTensor *const *inputs,
                                  size_t input_count, kc_tensor_t **out_outputs,
                                  size_t output_count, kc_error_t *error)
{
    eager_run_t run = {.session = session, .graph = graph, .inputs = inputs};
    void *memory = NULL;
    kc_status_t status = prepare_run(&run, consts, const_count, input_count,
                                     output_count, &memory, error);
    kc_tensor_t **outputs = memory;
    if (status == KC_OK) {
        status = run_nodes(&run, outputs, error);
    }
    for (size_t i = 0; outputs != NULL && i < output_count; i++) {
        if (status == KC_OK) {
            out_outputs[i] = outputs[i];
        } else {
            kci_tensor_release(outputs[i]);
        }
    }
    kci_free(outputs);
    release_run(&run);
    return status;
}
