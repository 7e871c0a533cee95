/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of the backward: nodes by falling id, each once, when all its
 * consumers have been. A contribution that is not there is skipped and never
 * made as zeros, so nothing is added for it; a node without any has no
 * cotangent, and its rule does not run. The tape does the same, for 0 * inf
 * would tell the two apart.
 */
#include "autograd/gradient_plan_parts.h"

#include "base/alloc.h"
#include "base/error.h"
#include "graph/demand.h"

static kc_status_t find_add(const kci_backward_t *backward,
                            const kci_tensor_type_t *type, uint16_t *out_entry,
                            kc_error_t *error)
{
    const kci_tensor_type_t *inputs[] = {type, type};
    kci_op_request_t request = {
        .op = KC_OP_ADD, .input_count = 2, .inputs = inputs};
    kci_demand_t demand = kci_demand_of(&request, type);
    return kci_inner_plan_find(backward->inner, KC_OP_ADD, &demand, out_entry,
                               error);
}

static kc_status_t add_sum(kci_backward_t *backward, uint32_t node,
                           uint32_t contribution, kc_error_t *error)
{
    uint16_t entry = KCI_NO_ENTRY;
    kci_tensor_type_t type;
    kci_graph_node_type(backward->graph, node, &type);
    kc_status_t status = find_add(backward, &type, &entry, error);
    if (status != KC_OK) {
        char text[128];
        kci_graph_describe_node(backward->graph, node, text, sizeof text);
        kci_error_prepend(error, "node %u (%s): the sum of its cotangents",
                          (unsigned)node, text);
        return status;
    }
    uint32_t sum = KCI_NO_VALUE;
    KC_RETURN_IF_ERROR(kci_program_add_value(
        backward->program, &type, KCI_VALUE_STEP, KCI_NO_VALUE, &sum, error));
    uint32_t operands[] = {backward->cotangents[node], contribution};
    kci_step_spec_t spec = {.step = {.node = node,
                                     .op = KC_OP_ADD,
                                     .entry = entry,
                                     .served = KCI_NO_ENTRY,
                                     .role = KCI_CALL_SUM},
                            .operands = operands,
                            .operand_count = 2,
                            .results = &sum,
                            .result_count = 1};
    KC_RETURN_IF_ERROR(kci_program_add_step(backward->program, &spec, error));
    backward->cotangents[node] = sum;
    return KC_OK;
}

static kc_status_t deliver(kci_backward_t *backward, uint32_t node,
                           uint32_t contribution, kc_error_t *error)
{
    if (backward->cotangents[node] == KCI_NO_VALUE) {
        backward->cotangents[node] = contribution;
        return KC_OK;
    }
    return add_sum(backward, node, contribution, error);
}

static kc_status_t add_seeds(kci_backward_t *backward, kc_error_t *error)
{
    const kci_gradient_targets_t *targets = backward->targets;
    kci_program_t *program = backward->program;
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        targets->output_count, sizeof(kci_program_port_t), &memory, error));
    program->seeds = memory;
    for (size_t i = 0; i < targets->output_count; i++) {
        uint32_t node = backward->graph->outputs[targets->outputs[i]].node;
        uint32_t seed = KCI_NO_VALUE;
        kci_tensor_type_t type;
        kci_graph_node_type(backward->graph, node, &type);
        KC_RETURN_IF_ERROR(kci_program_add_value(program, &type, KCI_VALUE_SEED,
                                                 (uint32_t)i, &seed, error));
        program->seeds[program->seed_count++] =
            (kci_program_port_t){.index = targets->outputs[i], .value = seed};
        if (targets->is_on_way[node]) {
            KC_RETURN_IF_ERROR(deliver(backward, node, seed, error));
        }
    }
    return KC_OK;
}

/* The cotangent of argument 0 of `sum` has one axis; its parent's value may
 * have another shape. */
static kc_status_t raise(kci_backward_t *backward, uint32_t node,
                         uint32_t place, uint32_t *value, kc_error_t *error)
{
    const kci_node_t *at = &backward->graph->nodes[node];
    if (place != 0 || at->lowering != KCI_LOWERING_FLAT_INPUT) {
        return KC_OK;
    }
    kci_tensor_type_t type;
    kci_graph_node_type(backward->graph,
                        kci_graph_parents(backward->graph, node)[0], &type);
    return type.shape.rank == 1
               ? KC_OK
               : kci_backward_view(backward, *value, &type, value, error);
}

static kc_status_t visit(kci_backward_t *backward, const kci_plan_row_t *row,
                         kc_error_t *error)
{
    bool wanted[KC_MAX_INPUTS] = {false};
    uint32_t results[KC_MAX_INPUTS];
    uint32_t count = backward->graph->nodes[row->node].parent_count;
    const uint32_t *parents = kci_graph_parents(backward->graph, row->node);
    bool is_any_wanted = false;
    for (uint32_t k = 0; k < count; k++) {
        wanted[k] = kci_gradient_is_wanted(backward->graph, backward->targets,
                                           row->node, k);
        is_any_wanted |= wanted[k];
    }
    if (!is_any_wanted) {
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(
        kci_backward_add_rule(backward, row, wanted, results, error));
    for (uint32_t k = 0; k < count; k++) {
        if (results[k] != KCI_NO_VALUE) {
            KC_RETURN_IF_ERROR(
                raise(backward, row->node, k, &results[k], error));
            KC_RETURN_IF_ERROR(
                deliver(backward, parents[k], results[k], error));
        }
    }
    return KC_OK;
}

static kc_status_t take_gradients(kci_backward_t *backward, kc_error_t *error)
{
    const kci_gradient_targets_t *targets = backward->targets;
    kci_program_t *program = backward->program;
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        targets->node_count, sizeof(kci_program_port_t), &memory, error));
    program->gradients = memory;
    for (size_t i = 0; i < targets->node_count; i++) {
        uint32_t node = targets->nodes[i];
        program->gradients[program->gradient_count++] = (kci_program_port_t){
            .index = node, .value = backward->cotangents[node]};
    }
    return KC_OK;
}

/* The rows of a plan are the nodes with kernels, in order of ids. */
kc_status_t kci_backward_walk(kci_backward_t *backward, const kc_plan_t *plan,
                              kc_error_t *error)
{
    KC_RETURN_IF_ERROR(add_seeds(backward, error));
    for (size_t i = plan->row_count; i-- > 0;) {
        if (backward->cotangents[plan->rows[i].node] != KCI_NO_VALUE) {
            KC_RETURN_IF_ERROR(visit(backward, &plan->rows[i], error));
        }
    }
    return take_gradients(backward, error);
}
