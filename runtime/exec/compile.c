/* SPDX-License-Identifier: Apache-2.0
 *
 * From the rows of an accepted plan to steps: every capsule is bound before
 * anything else happens, then each value gets its place.
 */
#include "exec/executor_state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "graph/kinds.h"

void kci_executor_name_node(const kc_executor_t *executor, uint32_t node,
                            kc_error_t *error)
{
    char text[128];
    kci_graph_describe_node(executor->graph, node, text, sizeof text);
    kci_error_prepend(error, "node %u (%s)", (unsigned)node, text);
}

/* `places[entry]` is 1 + the number of the binding, 0 while there is none. */
static kc_status_t bind_row(kc_executor_t *executor, const kci_plan_row_t *row,
                            uint32_t *places, uint32_t *out_binding,
                            kc_error_t *error)
{
    const kc_profile_t *profile = executor->accepted->plan->profile;
    if (row->entry >= profile->entry_count) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "expected a planned operation, found none");
    }
    if (places[row->entry] == 0) {
        KC_RETURN_IF_ERROR(
            kci_bind(&profile->entries[row->entry], executor->host,
                     &executor->bindings[executor->binding_count], error));
        places[row->entry] = (uint32_t)++executor->binding_count;
    }
    *out_binding = places[row->entry] - 1;
    return KC_OK;
}

static kc_status_t bind_all(kc_executor_t *executor, uint32_t *places,
                            kc_error_t *error)
{
    const kc_plan_t *plan = executor->accepted->plan;
    for (uint32_t i = 0; i < executor->step_count; i++) {
        const kci_plan_row_t *row = &plan->rows[i];
        kci_step_t *step = &executor->steps[i];
        kc_status_t status =
            bind_row(executor, row, places, &step->binding, error);
        if (status != KC_OK) {
            kci_executor_name_node(executor, row->node, error);
            return status;
        }
        step->node = row->node;
        step->op = row->op;
    }
    return KC_OK;
}

static kc_status_t make_bindings(kc_executor_t *executor, kc_error_t *error)
{
    size_t entry_count = executor->accepted->plan->profile->entry_count;
    void *places = NULL;
    void *bindings = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(entry_count, sizeof(uint32_t), &places, error));
    kc_status_t status =
        kci_alloc_array(entry_count, sizeof(kci_binding_t), &bindings, error);
    executor->bindings = bindings;
    if (status == KC_OK) {
        status = bind_all(executor, places, error);
    }
    kci_free(places);
    return status;
}

static void place_ports(kc_executor_t *executor)
{
    kci_value_t *values = executor->values;
    for (size_t i = 0; i < executor->ports.input_count; i++) {
        kci_value_t *value = &values[executor->ports.inputs[i]];
        value->place = KCI_PLACE_INPUT;
        value->slot = (uint32_t)i;
    }
    for (size_t i = 0; i < executor->ports.const_count; i++) {
        kci_value_t *value = &values[executor->ports.consts[i]];
        value->place = KCI_PLACE_CONST;
        value->slot = (uint32_t)i;
    }
}

/* The first output of a kernel's value is where the kernel writes; every
 * other output is copied at the end. */
static void place_outputs(kc_executor_t *executor)
{
    const kc_graph_t *graph = executor->graph;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        uint32_t root = executor->values[graph->outputs[i].node].root;
        kci_value_t *value = &executor->values[root];
        if (value->place == KCI_PLACE_BUFFER) {
            value->place = KCI_PLACE_OUTPUT;
            value->slot = i;
        } else {
            executor->output_copies[executor->output_copy_count++] =
                (kci_output_copy_t){&executor->views[root], i};
        }
    }
}

static void find_roots(kc_executor_t *executor)
{
    const kc_graph_t *graph = executor->graph;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        kci_value_t *value = &executor->values[node];
        bool is_detach =
            kci_kind(graph->nodes[node].kind)->role == KCI_ROLE_DETACH;
        value->root =
            is_detach ? executor->values[kci_graph_parents(graph, node)[0]].root
                      : node;
        value->place = KCI_PLACE_BUFFER;
        value->slot = KCI_NO_BUFFER;
    }
}

static kc_status_t allocate_arrays(kc_executor_t *executor, kc_error_t *error)
{
    const kc_graph_t *graph = executor->graph;
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(executor->step_count, sizeof(kci_step_t),
                                       &memory, error));
    executor->steps = memory;
    KC_RETURN_IF_ERROR(kci_alloc_array(graph->node_count, sizeof(kci_value_t),
                                       &memory, error));
    executor->values = memory;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(graph->node_count, sizeof(DLTensor), &memory, error));
    executor->views = memory;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        graph->output_count, sizeof(kci_output_copy_t), &memory, error));
    executor->output_copies = memory;
    return KC_OK;
}

kc_status_t kci_executor_compile(kc_executor_t *executor, kc_error_t *error)
{
    executor->step_count = (uint32_t)executor->accepted->plan->row_count;
    KC_RETURN_IF_ERROR(allocate_arrays(executor, error));
    KC_RETURN_IF_ERROR(make_bindings(executor, error));
    find_roots(executor);
    place_ports(executor);
    place_outputs(executor);
    return KC_OK;
}
