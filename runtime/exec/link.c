/* SPDX-License-Identifier: Apache-2.0
 *
 * Views over the places of values, operands of steps, and the one block of
 * memory behind buffers and workspace. After this a run only fills in the
 * addresses of the caller's tensors.
 */
#include "exec/executor_state.h"

#include <string.h>

#include "base/alloc.h"
#include "base/checked_size.h"
#include "base/error.h"
#include "tensor/dtype.h"

/* What handlers of operations without attributes get. */
#define ATTRIBUTE_HEAD(constant, label)                                        \
    [constant] = {.struct_size = sizeof(kc_attributes_t), .op = constant},
static const kc_attributes_t attribute_heads[KC_OP_COUNT] = {
    KC_FOR_EACH_OP(ATTRIBUTE_HEAD)};

static kc_status_t allocate_arrays(kc_executor_t *executor, kc_error_t *error)
{
    const kc_graph_t *graph = executor->graph;
    size_t port_count = executor->ports.input_count + graph->output_count;
    size_t operand_count = 0;
    size_t flat_count = 0;
    void *memory = NULL;
    for (uint32_t i = 0; i < executor->step_count; i++) {
        const kci_node_t *node = &graph->nodes[executor->steps[i].node];
        operand_count += kci_op_info(node->op)->has_repeated_input
                             ? node->parent_count
                             : kci_op_info(node->op)->input_max;
        flat_count += node->lowering == KCI_LOWERING_FLAT_INPUT;
    }
    KC_RETURN_IF_ERROR(
        kci_alloc_array(operand_count, sizeof(DLTensor *), &memory, error));
    executor->operand_pool = memory;
    KC_RETURN_IF_ERROR(kci_alloc_array(2 * (size_t)graph->dim_pool_count,
                                       sizeof(int64_t), &memory, error));
    executor->dim_pool = memory;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(flat_count, sizeof(kci_flat_view_t), &memory, error));
    executor->flat_views = memory;
    KC_RETURN_IF_ERROR(kci_alloc_array(graph->node_count + flat_count,
                                       sizeof(kci_patch_t), &memory, error));
    executor->patches = memory;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(port_count, sizeof(kci_byte_range_t), &memory, error));
    executor->port_ranges = memory;
    return KC_OK;
}

/* Workspaces are asked with views that have no data yet. */
static void make_view(kc_executor_t *executor, uint32_t node)
{
    const kc_graph_t *graph = executor->graph;
    const kci_node_t *at = &graph->nodes[node];
    int64_t *dims = executor->dim_pool + at->first_dim;
    int64_t *strides = dims + graph->dim_pool_count;
    for (int32_t axis = 0; axis < at->rank; axis++) {
        dims[axis] = graph->dims[at->first_dim + (uint32_t)axis];
    }
    kci_shape_dense_strides(at->rank, dims, strides);
    executor->views[node] = (DLTensor){.device = {kDLCPU, 0},
                                       .ndim = at->rank,
                                       .dtype = kci_dtype_to_dlpack(at->dtype),
                                       .shape = dims,
                                       .strides = strides};
}

static const DLTensor *make_flat_view(kc_executor_t *executor, uint32_t root)
{
    const DLTensor *whole = &executor->views[root];
    kci_flat_view_t *flat = &executor->flat_views[executor->flat_view_count++];
    flat->extent = kc_tensor_element_count(whole);
    flat->stride = 1;
    flat->view = *whole;
    flat->view.ndim = 1;
    flat->view.shape = &flat->extent;
    flat->view.strides = &flat->stride;
    return &flat->view;
}

static void link_step(kc_executor_t *executor, kci_step_t *step,
                      const DLTensor ***next_operand)
{
    const kc_graph_t *graph = executor->graph;
    const kci_node_t *node = &graph->nodes[step->node];
    const kci_op_info_t *info = kci_op_info(step->op);
    const kc_attributes_t *attributes = kci_graph_attributes(graph, step->node);
    step->attributes =
        attributes != NULL ? attributes : &attribute_heads[step->op];
    step->operand_count = node->parent_count;
    step->operands = *next_operand;
    step->output = &executor->views[step->node];
    for (uint32_t k = 0; k < node->parent_count; k++) {
        uint32_t parent = kci_graph_parents(graph, step->node)[k];
        uint32_t root = executor->values[parent].root;
        bool is_flat = k == 0 && node->lowering == KCI_LOWERING_FLAT_INPUT;
        step->operands[k] =
            is_flat ? make_flat_view(executor, root) : &executor->views[root];
    }
    /* The pool is zeroed, so absent operands are NULL. */
    *next_operand +=
        info->has_repeated_input ? node->parent_count : info->input_max;
}

static kc_status_t check_step(kc_executor_t *executor, kci_step_t *step,
                              kc_error_t *error)
{
    const kci_binding_t *binding = &executor->bindings[step->binding];
    kci_operands_t operands = {.op = step->op,
                               .capsule = binding->entry->capsule,
                               .inputs = step->operands,
                               .input_count = step->operand_count,
                               .output = step->output};
    kci_call_context_t context = {
        .host = executor->host,
        .binding = binding,
        .numerics = executor->accepted->plan->profile->numerics};
    KC_RETURN_IF_ERROR(kci_guard_limits(&operands, &binding->limits, error));
    KC_RETURN_IF_ERROR(kci_call_workspace(
        &context, step->attributes, step->operands, step->operand_count,
        step->output, &step->workspace_bytes, error));
    if (step->workspace_bytes > executor->workspace_bytes) {
        executor->workspace_bytes = step->workspace_bytes;
    }
    return KC_OK;
}

static kc_status_t allocate_arena(kc_executor_t *executor, kc_error_t *error)
{
    size_t bytes = 0;
    if (!kci_size_add(executor->buffer_bytes, executor->workspace_bytes,
                      &bytes)) {
        return kci_fail(error, KC_ERR_MEMORY,
                        "out of memory: %zu bytes of values and %zu of "
                        "workspace",
                        executor->buffer_bytes, executor->workspace_bytes);
    }
    if (bytes == 0) {
        return KC_OK;
    }
    kc_status_t status =
        kci_host_allocate(executor->host->allocator, bytes, KCI_ARENA_ALIGNMENT,
                          &executor->arena, error);
    if (status != KC_OK) {
        kci_executor_name_largest(executor, error);
        return status;
    }
    executor->arena_bytes = bytes;
    return KC_OK;
}

/* The address of a view's value, or a note to fill it in at each run. */
static void place_view(kc_executor_t *executor, DLTensor *view, uint32_t root)
{
    const kci_value_t *value = &executor->values[root];
    switch ((kci_place_t)value->place) {
    case KCI_PLACE_CONST:
        view->data = kc_tensor_data(&executor->consts[value->slot]->view);
        break;
    case KCI_PLACE_BUFFER:
        view->data = value->slot == KCI_NO_BUFFER
                         ? NULL
                         : (char *)executor->arena +
                               executor->buffers[value->slot].offset;
        break;
    default:
        executor->patches[executor->patch_count++] =
            (kci_patch_t){.view = view,
                          .slot = value->slot,
                          .is_output = value->place == KCI_PLACE_OUTPUT};
        break;
    }
}

static void place_views(kc_executor_t *executor)
{
    size_t next_flat = 0;
    for (uint32_t node = 0; node < executor->graph->node_count; node++) {
        if (executor->values[node].root == node) {
            place_view(executor, &executor->views[node], node);
        }
    }
    for (uint32_t i = 0; i < executor->step_count; i++) {
        uint32_t node = executor->steps[i].node;
        if (executor->graph->nodes[node].lowering == KCI_LOWERING_FLAT_INPUT) {
            uint32_t parent = kci_graph_parents(executor->graph, node)[0];
            place_view(executor, &executor->flat_views[next_flat++].view,
                       executor->values[parent].root);
        }
    }
}

kc_status_t kci_executor_link(kc_executor_t *executor, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(allocate_arrays(executor, error));
    for (uint32_t node = 0; node < executor->graph->node_count; node++) {
        make_view(executor, node);
    }
    const DLTensor **next_operand = executor->operand_pool;
    for (uint32_t i = 0; i < executor->step_count; i++) {
        kci_step_t *step = &executor->steps[i];
        link_step(executor, step, &next_operand);
        kc_status_t status = check_step(executor, step, error);
        if (status != KC_OK) {
            kci_executor_name_node(executor, step->node, error);
            return status;
        }
    }
    KC_RETURN_IF_ERROR(allocate_arena(executor, error));
    place_views(executor);
    return KC_OK;
}
