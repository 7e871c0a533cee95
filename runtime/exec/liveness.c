/* SPDX-License-Identifier: Apache-2.0
 *
 * Which step is the last to read a value, and from that the buffers. A
 * result may lie where its input lay only if the capsule says it may be
 * overwritten and nobody reads the input later; the kernel runs all the same.
 */
#include "exec/executor_state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "tensor/dtype.h"

static uint32_t operand_root(const kc_executor_t *executor, uint32_t node,
                             uint32_t index)
{
    uint32_t parent = kci_graph_parents(executor->graph, node)[index];
    return executor->values[parent].root;
}

static uint32_t operand_count(const kc_executor_t *executor, uint32_t node)
{
    return executor->graph->nodes[node].parent_count;
}

/* `last[node]`: the last step that reads the value, or the one that makes
 * it. */
static void find_last_readers(const kc_executor_t *executor, uint32_t *last)
{
    for (uint32_t i = 0; i < executor->step_count; i++) {
        uint32_t node = executor->steps[i].node;
        last[node] = i;
        for (uint32_t k = 0; k < operand_count(executor, node); k++) {
            last[operand_root(executor, node, k)] = i;
        }
    }
}

/* A graph that exists has no value of more than PTRDIFF_MAX bytes. */
static size_t value_bytes(const kc_executor_t *executor, uint32_t node)
{
    kci_tensor_type_t type;
    kci_graph_node_type(executor->graph, node, &type);
    size_t count = (size_t)kci_shape_element_count(&type.shape);
    count = count == 0 ? 1 : count; /* so that every value has an address */
    return kci_arena_size(count * kci_dtype_size(type.dtype));
}

static bool is_equal_size(const kc_executor_t *executor, uint32_t a, uint32_t b)
{
    kci_tensor_type_t left;
    kci_tensor_type_t right;
    kci_graph_node_type(executor->graph, a, &left);
    kci_graph_node_type(executor->graph, b, &right);
    return left.dtype == right.dtype &&
           kci_shape_element_count(&left.shape) ==
               kci_shape_element_count(&right.shape);
}

/* Every operand that lies in the buffer must be listed, not just the one. */
static bool may_overwrite(const kc_executor_t *executor, uint32_t step,
                          uint32_t buffer)
{
    const kci_step_t *at = &executor->steps[step];
    uint32_t overwrites =
        executor->bindings[at->binding].entry->capsule->limits.overwrites;
    for (uint32_t k = 0; k < operand_count(executor, at->node); k++) {
        uint32_t root = operand_root(executor, at->node, k);
        const kci_value_t *value = &executor->values[root];
        if (value->place == KCI_PLACE_BUFFER && value->slot == buffer &&
            (k >= 32 || (overwrites >> k & 1u) == 0 ||
             !is_equal_size(executor, root, at->node))) {
            return false;
        }
    }
    return true;
}

/* The buffer of an operand that this step may write its result over. */
static uint32_t find_overwritten(const kc_executor_t *executor, uint32_t step,
                                 const uint32_t *last)
{
    uint32_t node = executor->steps[step].node;
    if (executor->options.no_reuse) {
        return KCI_NO_BUFFER;
    }
    for (uint32_t k = 0; k < operand_count(executor, node); k++) {
        uint32_t root = operand_root(executor, node, k);
        const kci_value_t *value = &executor->values[root];
        if (value->place == KCI_PLACE_BUFFER && last[root] == step &&
            executor->buffers[value->slot].last == step &&
            may_overwrite(executor, step, value->slot)) {
            return value->slot;
        }
    }
    return KCI_NO_BUFFER;
}

static void assign_buffers(kc_executor_t *executor, const uint32_t *last)
{
    for (uint32_t i = 0; i < executor->step_count; i++) {
        uint32_t node = executor->steps[i].node;
        kci_value_t *value = &executor->values[node];
        if (value->place != KCI_PLACE_BUFFER) {
            continue;
        }
        uint32_t shared = find_overwritten(executor, i, last);
        if (shared != KCI_NO_BUFFER) {
            executor->buffers[shared].last = last[node];
            value->slot = shared;
            continue;
        }
        kci_buffer_t *buffer = &executor->buffers[executor->buffer_count];
        *buffer = (kci_buffer_t){.first = i,
                                 .last = last[node],
                                 .size_bytes = value_bytes(executor, node)};
        value->slot = (uint32_t)executor->buffer_count++;
    }
}

void kci_executor_name_largest(const kc_executor_t *executor, kc_error_t *error)
{
    const kci_buffer_t *largest = NULL;
    for (size_t i = 0; i < executor->buffer_count; i++) {
        const kci_buffer_t *buffer = &executor->buffers[i];
        if (largest == NULL || buffer->size_bytes > largest->size_bytes) {
            largest = buffer;
        }
    }
    if (largest != NULL) {
        kci_executor_name_node(executor, executor->steps[largest->first].node,
                               error);
    }
}

kc_status_t kci_executor_plan_buffers(kc_executor_t *executor,
                                      kc_error_t *error)
{
    void *buffers = NULL;
    void *last = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(executor->step_count,
                                       sizeof(kci_buffer_t), &buffers, error));
    executor->buffers = buffers;
    KC_RETURN_IF_ERROR(kci_alloc_array(executor->graph->node_count,
                                       sizeof(uint32_t), &last, error));
    find_last_readers(executor, last);
    assign_buffers(executor, last);
    kci_free(last);
    kc_status_t status = kci_arena_layout(
        executor->buffers, executor->buffer_count, executor->step_count,
        executor->options.no_reuse, &executor->buffer_bytes, error);
    if (status != KC_OK) {
        kci_executor_name_largest(executor, error);
    }
    return status;
}
