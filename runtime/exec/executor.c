/* SPDX-License-Identifier: Apache-2.0
 *
 * Life of a compiled program: from an accepted plan to everything that a run
 * needs.
 */
#include "exec/executor.h"

#include "base/alloc.h"
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
    return kci_run_record_reserve(record, executor->row_count,
                                  executor->accepted->plan->row_count, error);
}

static kc_status_t take_consts(kc_executor_t *executor,
                               const kci_named_tensor_t *consts,
                               size_t const_count, kc_error_t *error)
{
    void *ranges = NULL;
    KC_RETURN_IF_ERROR(kci_graph_take_consts(
        executor->graph, &executor->graph_ports, executor->host->allocator,
        consts, const_count, &executor->consts, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(executor->graph_ports.const_count,
                                       sizeof(kci_byte_range_t), &ranges,
                                       error));
    executor->const_ranges = ranges;
    for (size_t i = 0; i < executor->graph_ports.const_count; i++) {
        (void)kci_view_byte_range(&executor->consts[i]->view,
                                  &executor->const_ranges[i]);
    }
    return KC_OK;
}

/* That of the plan, which then has a backward, or the forward alone. */
static kc_status_t take_program(kc_executor_t *executor, kc_error_t *error)
{
    const kc_plan_t *plan = executor->accepted->plan;
    executor->program = plan->program;
    if (executor->program == NULL) {
        KC_RETURN_IF_ERROR(kci_program_create(plan, &executor->program, error));
        executor->owns_program = true;
    }
    executor->has_gradients =
        executor->program->seed_count + executor->program->gradient_count > 0;
    return KC_OK;
}

static kc_status_t build(kc_executor_t *executor,
                         const kci_named_tensor_t *consts, size_t const_count,
                         kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        kci_graph_ports_create(executor->graph, &executor->graph_ports, error));
    KC_RETURN_IF_ERROR(take_program(executor, error));
    KC_RETURN_IF_ERROR(kci_executor_make_ports(executor, error));
    KC_RETURN_IF_ERROR(kci_executor_compile(executor, error));
    KC_RETURN_IF_ERROR(take_consts(executor, consts, const_count, error));
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
         executor->consts != NULL && i < executor->graph_ports.const_count;
         i++) {
        kci_tensor_release(executor->consts[i]);
    }
    for (size_t i = 0; i < executor->port_count; i++) {
        kci_port_t *port = &executor->ports[i];
        kci_host_deallocate(allocator, port->copy, port->copy_bytes);
        kci_free(port->name);
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
    kci_free((void *)executor->result_pool);
    kci_free(executor->vjp_calls);
    kci_free(executor->events);
    kci_free(executor->values);
    kci_free(executor->views);
    kci_free(executor->stride_pool);
    kci_free(executor->ports);
    kci_free(executor->patches);
    kci_free(executor->copies);
    kci_free(executor->const_ranges);
    kci_free(executor->buffers);
    kci_free(executor->rows);
    kci_graph_ports_release(&executor->graph_ports);
    kci_run_record_release(&executor->record);
    if (executor->owns_program) {
        kci_program_destroy(executor->program);
    }
    kci_accepted_plan_release(executor->accepted);
    kci_host_release(executor->host);
    kci_free(executor);
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
