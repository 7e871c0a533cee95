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

/* Where the operands of the next step go. */
typedef struct pools {
    const DLTensor **operand;
    DLTensor **result;
    kci_vjp_call_t *vjp;
} pools_t;

static bool is_vjp(const kci_program_step_t *step)
{
    return step->role == KCI_CALL_VJP;
}

/* Handlers find NULL up to the most inputs of the operation. */
static size_t padded_count(const kci_program_step_t *step, size_t count)
{
    const kci_op_info_t *info = kci_op_info(step->op);
    return info->has_repeated_input || count > info->input_max
               ? count
               : info->input_max;
}

static kc_status_t allocate_pools(kc_executor_t *executor, pools_t *out_pools,
                                  kc_error_t *error)
{
    size_t operand_count = 0;
    size_t result_count = 0;
    size_t vjp_count = 0;
    void *memory = NULL;
    for (uint32_t i = 0; i < executor->step_count; i++) {
        const kci_program_step_t *step = &executor->program->steps[i];
        if (is_vjp(step)) {
            result_count += padded_count(step, step->result_count);
            operand_count += padded_count(step, step->result_count);
            vjp_count++;
        } else {
            operand_count += padded_count(step, step->operand_count);
        }
    }
    KC_RETURN_IF_ERROR(
        kci_alloc_array(operand_count, sizeof(DLTensor *), &memory, error));
    out_pools->operand = executor->operand_pool = memory;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(result_count, sizeof(DLTensor *), &memory, error));
    out_pools->result = executor->result_pool = memory;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(vjp_count, sizeof(kci_vjp_call_t), &memory, error));
    out_pools->vjp = executor->vjp_calls = memory;
    return KC_OK;
}

/* Workspaces are asked with views that have no data yet. */
static void make_view(kc_executor_t *executor, size_t number)
{
    const kci_program_value_t *value = &executor->program->values[number];
    int64_t *dims = executor->program->dims + value->first_dim;
    int64_t *strides = executor->stride_pool + value->first_dim;
    kci_shape_dense_strides(value->rank, dims, strides);
    executor->views[number] =
        (DLTensor){.device = {kDLCPU, 0},
                   .ndim = value->rank,
                   .dtype = kci_dtype_to_dlpack(value->dtype),
                   .shape = dims,
                   .strides = strides};
}

static DLTensor *view_of(kc_executor_t *executor, uint32_t value)
{
    return value == KCI_NO_VALUE ? NULL : &executor->views[value];
}

static void link_kernel(kc_executor_t *executor, const kci_program_step_t *from,
                        kci_step_t *step, pools_t *pools)
{
    const kci_program_t *program = executor->program;
    step->operand_count = from->operand_count;
    step->operands = pools->operand;
    step->output = view_of(executor, program->results[from->first_result]);
    for (uint32_t k = 0; k < from->operand_count; k++) {
        step->operands[k] =
            view_of(executor, program->operands[from->first_operand + k]);
    }
    /* The pool is zeroed, so absent operands are NULL. */
    pools->operand += padded_count(from, from->operand_count);
}

/* One operand more than results: the cotangent; two: the output before it. */
static void link_vjp(kc_executor_t *executor, const kci_program_step_t *from,
                     kci_step_t *step, pools_t *pools)
{
    const kci_program_t *program = executor->program;
    const uint32_t *operands = program->operands + from->first_operand;
    const kc_handler_t *handler = executor->bindings[step->binding].handler;
    uint32_t parent_count = executor->graph->nodes[from->node].parent_count;
    uint32_t count = from->result_count;
    const kci_program_kernel_t kernel =
        from->is_backend
            ? (kci_program_kernel_t){handler->vjp, handler->vjp_workspace}
            : program->kernels[from->kernel];
    for (uint32_t k = 0; k < count; k++) {
        pools->operand[k] = view_of(executor, operands[k]);
        pools->result[k] =
            view_of(executor, program->results[from->first_result + k]);
    }
    *pools->vjp = (kci_vjp_call_t){
        .run = kernel.run,
        .workspace = kernel.workspace,
        .attributes = step->attributes,
        .inputs = pools->operand,
        .input_count = parent_count < count ? parent_count : count,
        .output = from->operand_count > count + 1
                      ? view_of(executor, operands[count])
                      : NULL,
        .cotangent = view_of(executor, operands[from->operand_count - 1]),
        .cotangents_in = pools->result};
    step->vjp = pools->vjp++;
    pools->operand += padded_count(from, count);
    pools->result += padded_count(from, count);
}

static kc_status_t ask_kernel(const kci_call_context_t *context, int32_t op,
                              kci_step_t *step, kc_error_t *error)
{
    kci_operands_t operands = {.op = op,
                               .capsule = context->binding->entry->capsule,
                               .inputs = step->operands,
                               .input_count = step->operand_count,
                               .output = step->output};
    KC_RETURN_IF_ERROR(
        kci_guard_limits(&operands, &context->binding->limits, error));
    return kci_call_workspace(context, step->attributes, step->operands,
                              step->operand_count, step->output,
                              &step->workspace_bytes, error);
}

static kc_status_t link_step(kc_executor_t *executor, uint32_t place,
                             pools_t *pools, kc_error_t *error)
{
    const kci_program_step_t *from = &executor->program->steps[place];
    kci_step_t *step = &executor->steps[place];
    kci_call_context_t context = {
        .host = executor->host,
        .binding = &executor->bindings[step->binding],
        .numerics = executor->accepted->plan->profile->numerics};
    step->attributes = from->attributes == KCI_NO_VALUE
                           ? &attribute_heads[from->op]
                           : &executor->program->attributes[from->attributes];
    kc_status_t status = KC_OK;
    if (is_vjp(from)) {
        link_vjp(executor, from, step, pools);
        status = kci_call_vjp_workspace(&context, step->vjp,
                                        &step->workspace_bytes, error);
    } else {
        link_kernel(executor, from, step, pools);
        status = ask_kernel(&context, from->op, step, error);
    }
    if (step->workspace_bytes > executor->workspace_bytes) {
        executor->workspace_bytes = step->workspace_bytes;
    }
    if (status != KC_OK) {
        kci_executor_name_node(executor, from->node, error);
    }
    return status;
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

/* False for what lies where the caller says in each run. */
static bool find_address(const kc_executor_t *executor,
                         const kci_value_t *value, void **out_address)
{
    switch ((kci_place_t)value->place) {
    case KCI_PLACE_CONST:
        *out_address = kc_tensor_data(&executor->consts[value->slot]->view);
        return true;
    case KCI_PLACE_LITERAL:
        *out_address = executor->program->literals[value->slot].bytes;
        return true;
    case KCI_PLACE_BUFFER:
        *out_address = value->slot == KCI_NO_BUFFER
                           ? NULL
                           : (char *)executor->arena +
                                 executor->buffers[value->slot].offset;
        return true;
    default:
        return false;
    }
}

static uint32_t port_of(const kc_executor_t *executor, const kci_value_t *value)
{
    size_t first = 0;
    switch ((kci_place_t)value->place) {
    case KCI_PLACE_SEED:
        first = kci_first_seed(executor);
        break;
    case KCI_PLACE_OUTPUT:
        first = kci_first_output(executor);
        break;
    case KCI_PLACE_GRADIENT:
        first = kci_first_gradient(executor);
        break;
    default:
        break;
    }
    return (uint32_t)first + value->slot;
}

static const kci_value_t *place_of(const kc_executor_t *executor, size_t value)
{
    return &executor->values[executor->program->values[value].root];
}

/* The address of every view, or a note to fill it in at each run. */
static kc_status_t place_views(kc_executor_t *executor, kc_error_t *error)
{
    size_t patch_count = 0;
    void *memory = NULL;
    for (size_t i = 0; i < executor->program->value_count; i++) {
        patch_count += !find_address(executor, place_of(executor, i),
                                     &executor->views[i].data);
    }
    KC_RETURN_IF_ERROR(
        kci_alloc_array(patch_count, sizeof(kci_patch_t), &memory, error));
    executor->patches = memory;
    for (size_t i = 0; i < executor->program->value_count; i++) {
        const kci_value_t *value = place_of(executor, i);
        if (!find_address(executor, value, &executor->views[i].data)) {
            executor->patches[executor->patch_count++] =
                (kci_patch_t){&executor->views[i], port_of(executor, value)};
        }
    }
    return KC_OK;
}

kc_status_t kci_executor_link(kc_executor_t *executor, kc_error_t *error)
{
    pools_t pools = {NULL, NULL, NULL};
    void *memory = NULL;
    KC_RETURN_IF_ERROR(allocate_pools(executor, &pools, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(executor->program->dim_count,
                                       sizeof(int64_t), &memory, error));
    executor->stride_pool = memory;
    for (size_t i = 0; i < executor->program->value_count; i++) {
        make_view(executor, i);
    }
    for (uint32_t i = 0; i < executor->step_count; i++) {
        KC_RETURN_IF_ERROR(link_step(executor, i, &pools, error));
    }
    KC_RETURN_IF_ERROR(allocate_arena(executor, error));
    return place_views(executor, error);
}
