/* SPDX-License-Identifier: Apache-2.0
 *
 * Life and runs of a compiled graph. A run checks the caller's tensors,
 * fills in their addresses, and walks the steps.
 */
#include "exec/executor.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "exec/executor_state.h"

static kc_status_t check_plan(const kc_accepted_plan_t *accepted,
                              kc_error_t *error)
{
    const kc_plan_t *plan = accepted->plan;
    if (plan->graph == NULL) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "expected the plan of a graph, found one of a list "
                        "of operations");
    }
    return KC_OK;
}

static kc_status_t start_record(kc_executor_t *executor, kc_error_t *error)
{
    kci_run_record_t *record = &executor->record;
    record->profile = kci_profile_retain(executor->accepted->plan->profile);
    record->policy = executor->accepted->policy;
    record->thread_count = executor->host->thread_count;
    record->has_time = executor->options.keep_time;
    return kci_run_record_reserve(record, executor->binding_count,
                                  executor->step_count, error);
}

static kc_status_t prepare_ports(kc_executor_t *executor,
                                 const kci_named_tensor_t *consts,
                                 size_t const_count, kc_error_t *error)
{
    void *copies = NULL;
    void *ranges = NULL;
    KC_RETURN_IF_ERROR(kci_graph_take_consts(
        executor->graph, &executor->ports, executor->host->allocator, consts,
        const_count, &executor->consts, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(
        executor->ports.input_count, sizeof(kci_input_copy_t), &copies, error));
    executor->input_copies = copies;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        executor->ports.const_count, sizeof(kci_byte_range_t), &ranges, error));
    executor->const_ranges = ranges;
    for (size_t i = 0; i < executor->ports.const_count; i++) {
        (void)kci_view_byte_range(&executor->consts[i]->view,
                                  &executor->const_ranges[i]);
    }
    return KC_OK;
}

static kc_status_t build(kc_executor_t *executor,
                         const kci_named_tensor_t *consts, size_t const_count,
                         kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        kci_graph_ports_create(executor->graph, &executor->ports, error));
    KC_RETURN_IF_ERROR(kci_executor_compile(executor, error));
    KC_RETURN_IF_ERROR(prepare_ports(executor, consts, const_count, error));
    KC_RETURN_IF_ERROR(kci_executor_plan_buffers(executor, error));
    KC_RETURN_IF_ERROR(kci_executor_link(executor, error));
    return start_record(executor, error);
}

kc_status_t kci_executor_create(kci_host_t *host, kc_accepted_plan_t *accepted,
                                const kci_named_tensor_t *consts,
                                size_t const_count,
                                const kci_executor_options_t *options,
                                kc_executor_t **out_executor, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(check_plan(accepted, error));
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kc_executor_t), &memory, error));
    kc_executor_t *executor = memory;
    executor->host = kci_host_retain(host);
    executor->accepted = kci_accepted_plan_retain(accepted);
    executor->graph = accepted->plan->graph;
    if (options != NULL) {
        executor->options = *options;
    }
    kc_status_t status = build(executor, consts, const_count, error);
    if (status != KC_OK) {
        kci_executor_destroy(executor);
        return status;
    }
    *out_executor = executor;
    return KC_OK;
}

static void release_memory(kc_executor_t *executor)
{
    kci_host_allocator_t *allocator = executor->host->allocator;
    for (size_t i = 0;
         executor->consts != NULL && i < executor->ports.const_count; i++) {
        kci_tensor_release(executor->consts[i]);
    }
    for (size_t i = 0;
         executor->input_copies != NULL && i < executor->ports.input_count;
         i++) {
        kci_host_deallocate(allocator, executor->input_copies[i].memory,
                            executor->input_copies[i].size_bytes);
    }
    kci_host_deallocate(allocator, executor->arena, executor->arena_bytes);
}

void kci_executor_destroy(kc_executor_t *executor)
{
    if (executor == NULL) {
        return;
    }
    release_memory(executor);
    kci_free(executor->consts);
    kci_free(executor->bindings);
    kci_free(executor->steps);
    kci_free((void *)executor->operand_pool);
    kci_free(executor->values);
    kci_free(executor->views);
    kci_free(executor->dim_pool);
    kci_free(executor->flat_views);
    kci_free(executor->patches);
    kci_free(executor->output_copies);
    kci_free(executor->input_copies);
    kci_free(executor->const_ranges);
    kci_free(executor->port_ranges);
    kci_free(executor->buffers);
    kci_graph_ports_release(&executor->ports);
    kci_run_record_release(&executor->record);
    kci_accepted_plan_release(executor->accepted);
    kci_host_release(executor->host);
    kci_free(executor);
}

/* The handler and what was asked of it, in the record. */
static void record_step(kc_executor_t *executor, uint32_t place,
                        uint64_t time_ns)
{
    const kci_step_t *step = &executor->steps[place];
    kci_run_record_t *record = &executor->record;
    const kci_binding_t *binding = &executor->bindings[step->binding];
    /* Bindings are in first-use order, so are the entries of the record. */
    if (step->binding == record->entry_count) {
        record->entries[record->entry_count++] =
            (kci_record_entry_t){.entry = binding->entry};
    }
    if (place == record->node_count) {
        record->nodes[record->node_count++] =
            executor->accepted->plan->rows[place];
    }
    kci_run_record_call(record, step->binding, time_ns);
}

static kc_status_t run_step(kc_executor_t *executor, uint32_t place,
                            kc_error_t *error)
{
    const kci_step_t *step = &executor->steps[place];
    bool has_time = executor->record.has_time;
    kci_call_context_t context = {
        .host = executor->host,
        .binding = &executor->bindings[step->binding],
        .numerics = executor->record.profile->numerics,
        .workspace = step->workspace_bytes == 0
                         ? NULL
                         : (char *)executor->arena + executor->buffer_bytes,
        .workspace_size = step->workspace_bytes};
    uint64_t start_ns = has_time ? kci_clock_ns() : 0;
    kc_status_t status =
        kci_call_compiled(&context, step->attributes, step->operands,
                          step->operand_count, step->output, error);
    if (status == KC_OK || status == KC_ERR_KERNEL) {
        record_step(executor, place, has_time ? kci_clock_ns() - start_ns : 0);
    }
    if (status != KC_OK) {
        kci_executor_name_node(executor, step->node, error);
    }
    return status;
}

kc_status_t kci_executor_run(kc_executor_t *executor,
                             const DLTensor *const *inputs, size_t input_count,
                             DLTensor *const *outputs, size_t output_count,
                             kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_check_port_counts(executor->graph, &executor->ports,
                                             input_count, output_count, error));
    KC_RETURN_IF_ERROR(kci_executor_attach(executor, inputs, outputs, error));
    for (uint32_t place = 0; place < executor->step_count; place++) {
        KC_RETURN_IF_ERROR(run_step(executor, place, error));
    }
    for (size_t i = 0; i < executor->output_copy_count; i++) {
        const kci_output_copy_t *copy = &executor->output_copies[i];
        kci_tensor_copy_elements(copy->from, outputs[copy->output]);
    }
    return KC_OK;
}

const kci_run_record_t *kci_executor_record(const kc_executor_t *executor)
{
    return &executor->record;
}

bool kci_executor_is_reusing(const kc_executor_t *executor)
{
    return !executor->options.no_reuse;
}

size_t kci_executor_buffer_bytes(const kc_executor_t *executor)
{
    return executor->buffer_bytes;
}
