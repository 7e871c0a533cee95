/* SPDX-License-Identifier: Apache-2.0
 *
 * Which step is the last to read a value, and from that the buffers. A
 * result may lie where its input lay only if the capsule says it may be
 * overwritten and nobody reads the input later; the kernel runs all the same.
 */
#include "exec/executor_state.h"

#include "base/alloc.h"
#include "base/checked_size.h"
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

static kc_status_t value_bytes(const kc_executor_t *executor, uint32_t node,
                               size_t *out_bytes, kc_error_t *error)
{
    kci_tensor_type_t type;
    size_t bytes = 0;
    kci_graph_node_type(executor->graph, node, &type);
    size_t count = (size_t)kci_shape_element_count(&type.shape);
    count = count == 0 ? 1 : count; /* so that every value has an address */
    if (!kci_size_multiply(count, kci_dtype_size(type.dtype), &bytes) ||
        !kci_size_add(bytes, KCI_ARENA_ALIGNMENT - 1, &bytes)) {
        return kci_fail(error, KC_ERR_MEMORY,
                        "node %u: its value does not fit the address space",
                        (unsigned)node);
    }
    *out_bytes = bytes & ~(size_t)(KCI_ARENA_ALIGNMENT - 1);
    return KC_OK;
}

static bool is_equal_size(const kc_executor_t *executor, uint32_t a,
                          uint32_t b)
{
    kci_tensor_type_t left;
    kci_tensor_type_t right;
    kci_graph_node_type(executor->graph, a, &left);
    kci_graph_node_type(executor->graph, b, &right);
    return left.dtype == right.dtype && kci_shape_element_count(&left.shape) ==
                                            kci_shape_element_count(
                                                &right.shape);
}

/* Every operand that lies in the buffer must be listed, not just the one. */
static bool may_overwrite(const kc_executor_t *executor, uint32_t step,
                          uint32_t buffer)
{
    const kci_step_t *at = &executor->steps[step];
    uint32_t overwrites = executor->bindings[at->binding]
                              .entry->capsule->limits.overwrites;
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

static kc_status_t assign_buffers(kc_executor_t *executor,
                                  const uint32_t *last, kc_error_t *error)
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
        *buffer = (kci_buffer_t){.first = i, .last = last[node]};
        KC_RETURN_IF_ERROR(
            value_bytes(executor, node, &buffer->size_bytes, error));
        value->slot = (uint32_t)executor->buffer_count++;
    }
    return KC_OK;
}

kc_status_t kci_executor_plan_buffers(kc_executor_t *executor,
                                      kc_error_t *error)
{
    void *buffers = NULL;
    void *last = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        executor->step_count, sizeof(kci_buffer_t), &buffers, error));
    executor->buffers = buffers;
    KC_RETURN_IF_ERROR(kci_alloc_array(executor->graph->node_count,
                                       sizeof(uint32_t), &last, error));
    find_last_readers(executor, last);
    kc_status_t status = assign_buffers(executor, last, error);
    kci_free(last);
    if (status != KC_OK) {
        return status;
    }
    return kci_arena_layout(executor->buffers, executor->buffer_count,
                            executor->step_count, executor->options.no_reuse,
                            &executor->buffer_bytes, error);
}
