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

static uint32_t operand_root(const kc_executor_t *executor,
                             const kci_program_step_t *step, uint32_t index)
{
    uint32_t value = executor->program->operands[step->first_operand + index];
    return value == KCI_NO_VALUE ? KCI_NO_VALUE
                                 : executor->program->values[value].root;
}

static uint32_t result_of(const kc_executor_t *executor,
                          const kci_program_step_t *step, uint32_t index)
{
    return executor->program->results[step->first_result + index];
}

/* `last[root]`: the last step that reads the value, or the one that makes
 * it; one that is copied when all is done is read after all steps. */
static void find_last_readers(const kc_executor_t *executor, uint32_t *last)
{
    const kci_program_t *program = executor->program;
    for (uint32_t i = 0; i < executor->step_count; i++) {
        const kci_program_step_t *step = &program->steps[i];
        for (uint32_t k = 0; k < step->result_count; k++) {
            uint32_t result = result_of(executor, step, k);
            if (result != KCI_NO_VALUE) {
                last[result] = i;
            }
        }
        for (uint32_t k = 0; k < step->operand_count; k++) {
            uint32_t root = operand_root(executor, step, k);
            if (root != KCI_NO_VALUE) {
                last[root] = i;
            }
        }
    }
    for (size_t i = 0; i < executor->copy_count; i++) {
        const DLTensor *from = executor->copies[i].from;
        if (from != NULL) {
            last[program->values[from - executor->views].root] =
                executor->step_count;
        }
    }
}

/* Operands that are looked at before the first step of what is composed,
 * whatever the steps read. */
static void include_reader(const kc_executor_t *executor,
                           const uint32_t *values, uint32_t count,
                           uint32_t step, uint32_t *last)
{
    for (uint32_t k = 0; k < count; k++) {
        if (values[k] == KCI_NO_VALUE) {
            continue;
        }
        uint32_t root = executor->program->values[values[k]].root;
        if (last[root] < step) {
            last[root] = step;
        }
    }
}

static void include_composed(const kc_executor_t *executor, uint32_t *last)
{
    const kci_program_t *program = executor->program;
    for (size_t i = 0; i < program->composed_count; i++) {
        const kci_program_composed_t *capsule = &program->composed[i];
        include_reader(executor,
                       kci_graph_parents(executor->graph, capsule->node),
                       executor->graph->nodes[capsule->node].parent_count,
                       capsule->first_step, last);
    }
    for (size_t i = 0; i < program->rule_count; i++) {
        const kci_program_rule_t *rule = &program->rules[i];
        if (rule->operand_count > 0) {
            include_reader(executor, program->operands + rule->first_operand,
                           rule->operand_count, rule->first_step, last);
        }
    }
}

static size_t element_count(const kc_executor_t *executor, uint32_t value)
{
    const kci_program_value_t *at = &executor->program->values[value];
    const int64_t *dims = executor->program->dims + at->first_dim;
    size_t count = 1;
    for (int32_t axis = 0; axis < at->rank; axis++) {
        count *= (size_t)dims[axis];
    }
    return count;
}

/* A graph that exists has no value of more than PTRDIFF_MAX bytes. */
static size_t value_bytes(const kc_executor_t *executor, uint32_t value)
{
    size_t count = element_count(executor, value);
    count = count == 0 ? 1 : count; /* so that every value has an address */
    return kci_arena_size(
        count * kci_dtype_size(executor->program->values[value].dtype));
}

static bool is_equal_size(const kc_executor_t *executor, uint32_t a, uint32_t b)
{
    const kci_program_value_t *values = executor->program->values;
    return values[a].dtype == values[b].dtype &&
           element_count(executor, a) == element_count(executor, b);
}

static bool lies_in_buffer(const kc_executor_t *executor, uint32_t root,
                           uint32_t *out_buffer)
{
    const kci_value_t *value =
        root == KCI_NO_VALUE ? NULL : &executor->values[root];
    if (value == NULL || value->place != KCI_PLACE_BUFFER) {
        return false;
    }
    *out_buffer = value->slot;
    return true;
}

/* Every operand that lies in the buffer must be listed, not just the one. */
static bool may_overwrite(const kc_executor_t *executor, uint32_t place,
                          uint32_t result, uint32_t buffer)
{
    const kci_program_step_t *step = &executor->program->steps[place];
    uint32_t overwrites = executor->bindings[executor->steps[place].binding]
                              .entry->capsule->limits.overwrites;
    for (uint32_t k = 0; k < step->operand_count; k++) {
        uint32_t root = operand_root(executor, step, k);
        uint32_t other = KCI_NO_BUFFER;
        if (lies_in_buffer(executor, root, &other) && other == buffer &&
            (k >= 32 || (overwrites >> k & 1u) == 0 ||
             !is_equal_size(executor, root, result))) {
            return false;
        }
    }
    return true;
}

/* The buffer of an operand that this step may write its result over. What a
 * contract says of overwriting is about the forward. */
static uint32_t find_overwritten(const kc_executor_t *executor, uint32_t place,
                                 uint32_t result, const uint32_t *last)
{
    const kci_program_step_t *step = &executor->program->steps[place];
    if (executor->options.no_reuse || step->role == KCI_CALL_VJP) {
        return KCI_NO_BUFFER;
    }
    for (uint32_t k = 0; k < step->operand_count; k++) {
        uint32_t root = operand_root(executor, step, k);
        uint32_t buffer = KCI_NO_BUFFER;
        if (lies_in_buffer(executor, root, &buffer) && last[root] == place &&
            executor->buffers[buffer].last == place &&
            may_overwrite(executor, place, result, buffer)) {
            return buffer;
        }
    }
    return KCI_NO_BUFFER;
}

static void assign_buffer(kc_executor_t *executor, uint32_t place,
                          uint32_t result, const uint32_t *last)
{
    kci_value_t *value = &executor->values[result];
    if (value->place != KCI_PLACE_BUFFER) {
        return;
    }
    uint32_t shared = find_overwritten(executor, place, result, last);
    if (shared != KCI_NO_BUFFER) {
        executor->buffers[shared].last = last[result];
        value->slot = shared;
        return;
    }
    executor->buffers[executor->buffer_count] =
        (kci_buffer_t){.first = place,
                       .last = last[result],
                       .size_bytes = value_bytes(executor, result)};
    value->slot = (uint32_t)executor->buffer_count++;
}

static void assign_buffers(kc_executor_t *executor, const uint32_t *last)
{
    for (uint32_t i = 0; i < executor->step_count; i++) {
        const kci_program_step_t *step = &executor->program->steps[i];
        for (uint32_t k = 0; k < step->result_count; k++) {
            uint32_t result = result_of(executor, step, k);
            if (result != KCI_NO_VALUE) {
                assign_buffer(executor, i, result, last);
            }
        }
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
        kci_executor_name_node(
            executor, executor->program->steps[largest->first].node, error);
    }
}

kc_status_t kci_executor_plan_buffers(kc_executor_t *executor,
                                      kc_error_t *error)
{
    void *buffers = NULL;
    void *last = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(executor->program->result_count,
                                       sizeof(kci_buffer_t), &buffers, error));
    executor->buffers = buffers;
    KC_RETURN_IF_ERROR(kci_alloc_array(executor->program->value_count,
                                       sizeof(uint32_t), &last, error));
    find_last_readers(executor, last);
    include_composed(executor, last);
    assign_buffers(executor, last);
    kci_free(last);
    kc_status_t status = kci_arena_layout(
        executor->buffers, executor->buffer_count, executor->step_count + 1,
        executor->options.no_reuse, &executor->buffer_bytes, error);
    if (status != KC_OK) {
        kci_executor_name_largest(executor, error);
    }
    return status;
}
