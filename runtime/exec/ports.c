/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensors of the caller that a run has: how they are called in errors,
 * and which node gives them their type.
 */
#include "exec/executor_state.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"

static const char *node_name(const kc_graph_t *graph, uint32_t node)
{
    uint32_t name = graph->nodes[node].name;
    return name == KCI_NO_INDEX ? NULL : graph->names[name];
}

/* `name` NULL: the node has none. */
static kc_status_t add_port(kc_executor_t *executor, const char *role,
                            const char *name, uint32_t node, bool is_written,
                            kc_error_t *error)
{
    char number[32];
    char *copy = NULL;
    snprintf(number, sizeof number, "node %u", (unsigned)node);
    KC_RETURN_IF_ERROR(
        kci_copy_string(name != NULL ? name : number, &copy, error));
    executor->ports[executor->port_count++] = (kci_port_t){
        .role = role, .name = copy, .node = node, .is_written = is_written};
    return KC_OK;
}

kc_status_t kci_executor_make_ports(kc_executor_t *executor, kc_error_t *error)
{
    const kc_graph_t *graph = executor->graph;
    const kci_program_t *program = executor->program;
    void *ports = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(kci_first_gradient(executor) + program->gradient_count,
                        sizeof(kci_port_t), &ports, error));
    executor->ports = ports;
    for (size_t i = 0; i < executor->graph_ports.input_count; i++) {
        uint32_t node = executor->graph_ports.inputs[i];
        KC_RETURN_IF_ERROR(add_port(executor, "input", node_name(graph, node),
                                    node, false, error));
    }
    for (size_t i = 0; i < program->seed_count; i++) {
        const kci_graph_output_t *output =
            &graph->outputs[program->seeds[i].index];
        KC_RETURN_IF_ERROR(add_port(executor, "seed of output", output->name,
                                    output->node, false, error));
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        KC_RETURN_IF_ERROR(add_port(executor, "output", graph->outputs[i].name,
                                    graph->outputs[i].node, true, error));
    }
    for (size_t i = 0; i < program->gradient_count; i++) {
        uint32_t node = program->gradients[i].index;
        KC_RETURN_IF_ERROR(add_port(executor, "gradient of",
                                    node_name(graph, node), node, true, error));
    }
    return KC_OK;
}
