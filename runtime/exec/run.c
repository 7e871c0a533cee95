/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of a compiled program: attach the caller's tensors, walk the calls,
 * copy what did not land where the caller wants it.
 */
#include "exec/executor.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "exec/composed_operands.h"
#include "exec/executor_state.h"

/* A run that is going on. */
typedef struct run_state {
    kc_executor_t *executor;
    const kci_event_t *event;
    size_t planned; /* rows of the plan that were passed */
} run_state_t;

/* Rows are numbered by first use, and so they enter the record. */
static void record_call(kc_executor_t *executor, uint32_t row, uint64_t time_ns)
{
    kci_run_record_t *record = &executor->record;
    if (row == record->entry_count) {
        record->entries[record->entry_count++] = executor->rows[row];
    }
    kci_run_record_call(record, row, time_ns);
}

/* The node of the next row of the plan was served. */
static void record_node(run_state_t *state)
{
    kci_run_record_t *record = &state->executor->record;
    if (state->planned == record->node_count) {
        record->nodes[record->node_count++] =
            state->executor->accepted->plan->rows[state->planned];
    }
    state->planned++;
}

/* A capsule that is made of operations: what it has to look at itself. */
static kc_status_t check_capsule(const kc_executor_t *executor,
                                 const kci_event_t *event, kc_error_t *error)
{
    const kc_graph_t *graph = executor->graph;
    const uint32_t *parents = kci_graph_parents(graph, event->node);
    const DLTensor *inputs[KC_MAX_INPUTS];
    kci_operands_t operands = {
        .op = graph->nodes[event->node].op,
        .capsule = executor->rows[event->row].entry->capsule,
        .inputs = inputs,
        .input_count = graph->nodes[event->node].parent_count};
    for (size_t i = 0; i < operands.input_count; i++) {
        inputs[i] = &executor->views[parents[i]];
    }
    return kci_check_composed_operands(
        &operands, kci_graph_attributes(graph, event->node), error);
}

/* Rules that have operands are the ones to be looked at. */
static kc_status_t check_rule(const kc_executor_t *executor,
                              const kci_event_t *event, kc_error_t *error)
{
    const kci_program_rule_t *rule = event->rule;
    const DLTensor *inputs[KC_MAX_INPUTS];
    if (rule->operand_count == 0) {
        return KC_OK;
    }
    const uint32_t *values = executor->program->operands + rule->first_operand;
    kci_operands_t operands = {
        .op = rule->op,
        .capsule = executor->rows[event->row].entry->capsule,
        .inputs = inputs,
        .input_count = executor->graph->nodes[event->node].parent_count};
    for (size_t i = 0; i < operands.input_count; i++) {
        inputs[i] =
            values[i] == KCI_NO_VALUE ? NULL : &executor->views[values[i]];
    }
    return kci_check_composed_rule(
        &operands, &executor->views[values[rule->operand_count - 1]],
        kci_graph_attributes(executor->graph, event->node), error);
}

static kc_status_t pass_events(run_state_t *state, uint32_t place,
                               kc_error_t *error)
{
    for (; state->event->step == place; state->event++) {
        const kci_event_t *event = state->event;
        kc_status_t status = event->rule == NULL
                                 ? check_capsule(state->executor, event, error)
                                 : check_rule(state->executor, event, error);
        if (status != KC_OK) {
            kci_executor_name_node(state->executor, event->node, error);
            return status;
        }
        if (event->rule == NULL) {
            record_node(state);
        }
        record_call(state->executor, event->row, 0);
    }
    return KC_OK;
}

static kc_status_t run_step(run_state_t *state, uint32_t place,
                            kc_error_t *error)
{
    kc_executor_t *executor = state->executor;
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
        step->is_vjp
            ? kci_call_vjp(&context, step->vjp, error)
            : kci_call_compiled(&context, step->attributes, step->operands,
                                step->operand_count, step->output, error);
    if (status == KC_OK || status == KC_ERR_KERNEL) {
        record_call(executor, step->row,
                    has_time ? kci_clock_ns() - start_ns : 0);
        if (step->is_planned) {
            record_node(state);
        }
    }
    if (status != KC_OK) {
        kci_executor_name_node(executor, executor->program->steps[place].node,
                               error);
    }
    return status;
}

static void copy_to_ports(kc_executor_t *executor)
{
    for (size_t i = 0; i < executor->copy_count; i++) {
        const kci_port_copy_t *copy = &executor->copies[i];
        void *to = executor->ports[copy->port].address;
        if (to == NULL || copy->size_bytes == 0) {
            continue;
        }
        if (copy->from == NULL) {
            memset(to, 0, copy->size_bytes);
        } else {
            memcpy(to, copy->from->data, copy->size_bytes);
        }
    }
}

static kc_status_t run(kc_executor_t *executor,
                       const kci_run_tensors_t *tensors, kc_error_t *error)
{
    run_state_t state = {.executor = executor, .event = executor->events};
    KC_RETURN_IF_ERROR(kci_executor_attach(executor, tensors, error));
    for (uint32_t place = 0; place < executor->step_count; place++) {
        if (state.event->step == place) {
            KC_RETURN_IF_ERROR(pass_events(&state, place, error));
        }
        KC_RETURN_IF_ERROR(run_step(&state, place, error));
    }
    KC_RETURN_IF_ERROR(pass_events(&state, executor->step_count, error));
    copy_to_ports(executor);
    return KC_OK;
}

static kc_status_t check_kind(const kc_executor_t *executor,
                              bool with_gradients, kc_error_t *error)
{
    if (executor->has_gradients != with_gradients) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected a run %s, found one %s",
                        executor->graph->source,
                        with_gradients ? "without gradients (the plan has no "
                                         "backward)"
                                       : "with gradients (the plan has a "
                                         "backward)",
                        with_gradients ? "with" : "without");
    }
    return KC_OK;
}

kc_status_t kci_executor_run(kc_executor_t *executor,
                             const DLTensor *const *inputs, size_t input_count,
                             DLTensor *const *outputs, size_t output_count,
                             kc_error_t *error)
{
    kci_run_tensors_t tensors = {.inputs = inputs, .outputs = outputs};
    KC_RETURN_IF_ERROR(check_kind(executor, false, error));
    KC_RETURN_IF_ERROR(kci_check_port_counts(executor->graph,
                                             &executor->graph_ports,
                                             input_count, output_count, error));
    return run(executor, &tensors, error);
}

static kc_status_t check_count(const kc_executor_t *executor, const char *what,
                               size_t expected, size_t found, kc_error_t *error)
{
    if (expected != found) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected %zu %s, found %zu",
                        executor->graph->source, expected, what, found);
    }
    return KC_OK;
}

kc_status_t kci_executor_run_gradients(
    kc_executor_t *executor, const DLTensor *const *inputs, size_t input_count,
    const DLTensor *const *seeds, size_t seed_count, DLTensor *const *outputs,
    size_t output_count, DLTensor *const *gradients, size_t gradient_count,
    kc_error_t *error)
{
    const kci_program_t *program = executor->program;
    bool is_wanted = outputs != NULL || output_count != 0;
    kci_run_tensors_t tensors = {.inputs = inputs,
                                 .seeds = seeds,
                                 .outputs = is_wanted ? outputs : NULL,
                                 .gradients = gradients};
    KC_RETURN_IF_ERROR(check_kind(executor, true, error));
    KC_RETURN_IF_ERROR(kci_check_port_counts(
        executor->graph, &executor->graph_ports, input_count,
        is_wanted ? output_count : executor->graph->output_count, error));
    KC_RETURN_IF_ERROR(
        check_count(executor, "seeds", program->seed_count, seed_count, error));
    KC_RETURN_IF_ERROR(check_count(
        executor, "gradients", program->gradient_count, gradient_count, error));
    return run(executor, &tensors, error);
}
