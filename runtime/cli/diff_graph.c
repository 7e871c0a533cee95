/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph as nodes to compare: inputs from their files, consts from the
 * weights, and what has neither drawn from the seed.
 */
#include <stdlib.h>
#include <string.h>
#include <kcapsule/tensor.h>

#include "cli/diff.h"
#include "cli/diff_ports.h"
#include "cli/message.h"

int cli_diff_allocate_nodes(cli_diff_t *diff, uint32_t count)
{
    diff->node_count = count;
    diff->nodes = calloc((size_t)count + 1, sizeof *diff->nodes);
    diff->ids = calloc((size_t)count + 1, sizeof *diff->ids);
    if (diff->nodes == NULL || diff->ids == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    return CLI_DONE;
}

/* Both profiles see the same tensor. */
static int set_value(cli_diff_t *diff, uint32_t node, kc_tensor_t *tensor)
{
    kc_error_t error = KC_ERROR_INIT;
    const DLTensor *view = kc_tensor_view(tensor);
    diff->nodes[node].values[DIFF_A] = tensor;
    kc_status_t status = kc_tensor_wrap(
        diff->runtime, kc_tensor_dtype(view), view->ndim, view->shape, NULL,
        kc_tensor_data(view), &diff->nodes[node].values[DIFF_B], &error);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

/* Indices that every reader of the node can look up; 0: it has none. */
static int64_t index_limit(const cli_diff_t *diff, uint32_t node)
{
    int64_t limit = 0;
    for (uint32_t idx = node + 1; idx < diff->node_count; idx++) {
        const kc_graph_node_t *reader = &diff->nodes[idx].type;
        int is_lookup =
            reader->op == KC_OP_GATHER || reader->op == KC_OP_SCATTER_ADD;
        if (!is_lookup || reader->parents[1] != node) {
            continue;
        }
        const kc_graph_node_t *table = &diff->nodes[reader->parents[0]].type;
        int64_t extent = table->dims[reader->attributes->u.axis.axis];
        limit = limit == 0 || extent < limit ? extent : limit;
    }
    return limit;
}

static int draw_value(cli_diff_t *diff, uint32_t node)
{
    kc_tensor_t *tensor = NULL;
    const kc_graph_node_t *type = &diff->nodes[node].type;
    int64_t limit = index_limit(diff, node);
    int code = cli_diff_draw(diff, node, type->dtype, type->rank, type->dims,
                             limit > 0 ? DIFF_DRAW_INDEX : DIFF_DRAW_ANY, limit,
                             &tensor);
    return code == CLI_DONE ? set_value(diff, node, tensor) : code;
}

static int copy_literal(cli_diff_t *diff, uint32_t node)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    const kc_graph_node_t *type = &diff->nodes[node].type;
    kc_status_t status =
        kc_tensor_wrap(diff->runtime, type->dtype, type->rank, type->dims, NULL,
                       (void *)type->literal, &tensor, &error);
    return status == KC_OK ? set_value(diff, node, tensor)
                           : cli_report(status, &error);
}

static int take_inputs(cli_diff_t *diff, cli_diff_ports_t *ports)
{
    int code = CLI_DONE;
    for (size_t idx = 0; idx < ports->input_count && code == CLI_DONE; idx++) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        kc_graph_input(diff->graph, idx, &port);
        if (ports->tensors[idx] == NULL) {
            code = draw_value(diff, port.node);
            continue;
        }
        kc_tensor_t *tensor = ports->tensors[idx];
        ports->tensors[idx] = NULL;
        code = set_value(diff, port.node, tensor);
    }
    return code;
}

static int take_weights(cli_diff_t *diff, kc_tensor_t **consts, size_t count)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_weights_t *weights = NULL;
    kc_status_t status = kc_weights_open(diff->runtime, diff->options->weights,
                                         &weights, &error);
    if (status == KC_OK) {
        status = kc_weights_consts(weights, diff->graph, consts, count, &error);
    }
    kc_weights_release(weights);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

static int take_consts(cli_diff_t *diff)
{
    size_t count = kc_graph_const_count(diff->graph);
    kc_tensor_t **consts = calloc(count + 1, sizeof *consts);
    if (consts == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    int code = diff->options->weights != NULL
                   ? take_weights(diff, consts, count)
                   : CLI_DONE;
    for (size_t idx = 0; idx < count; idx++) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        kc_graph_const(diff->graph, idx, &port);
        if (code != CLI_DONE) {
            kc_tensor_release(consts[idx]);
        } else if (consts[idx] != NULL) {
            code = set_value(diff, port.node, consts[idx]);
        } else {
            code = draw_value(diff, port.node);
        }
    }
    free(consts);
    return code;
}

static int take_literals(cli_diff_t *diff)
{
    int code = CLI_DONE;
    for (uint32_t idx = 0; idx < diff->node_count && code == CLI_DONE; idx++) {
        if (diff->nodes[idx].type.literal != NULL) {
            code = copy_literal(diff, idx);
        }
    }
    return code;
}

static int read_nodes(cli_diff_t *diff)
{
    int code = cli_diff_allocate_nodes(diff, kc_graph_node_count(diff->graph));
    for (uint32_t idx = 0; idx < diff->node_count && code == CLI_DONE; idx++) {
        diff->nodes[idx].type.struct_size = sizeof diff->nodes[idx].type;
        kc_graph_node(diff->graph, idx, &diff->nodes[idx].type);
    }
    return code;
}

int cli_diff_read_graph(cli_diff_t *diff)
{
    kc_error_t error = KC_ERROR_INIT;
    cli_diff_ports_t ports = {.graph = NULL};
    kc_status_t status =
        kc_graph_read(diff->options->graph, &ports.graph, &error);
    if (status != KC_OK) {
        return cli_report(status, &error);
    }
    int code = cli_diff_ports_read(&ports, diff->options, diff->runtime);
    diff->graph = ports.graph;
    if (code == CLI_DONE) {
        code = read_nodes(diff);
    }
    if (code == CLI_DONE) {
        code = take_literals(diff);
    }
    if (code == CLI_DONE) {
        code = take_inputs(diff, &ports);
    }
    if (code == CLI_DONE) {
        code = take_consts(diff);
    }
    cli_diff_ports_release(&ports);
    return code;
}
