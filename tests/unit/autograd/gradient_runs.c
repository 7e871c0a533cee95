/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Planned backward runs. */
#include "unit/autograd/gradient_runs.h"

#include <stdlib.h>
#include <string.h>

#include "audit/accept.h"
#include "exec/executor.h"
#include "unit/expect.h"

kc_executor_t *gradient_compile(gradient_fixture_t *fixture, kc_plan_t *plan,
                                const gradient_values_t *values, bool no_reuse)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_accepted_plan_t *accepted = NULL;
    kc_executor_t *executor = NULL;
    kci_executor_options_t options = {.no_reuse = no_reuse};
    const kc_graph_t *graph = values->graph;
    size_t count = 0;
    kci_named_tensor_t *consts = calloc(graph->node_count + 1, sizeof *consts);
    ck_assert_ptr_nonnull(consts);
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (gradient_is_leaf(graph, node) && !gradient_is_input(graph, node)) {
            consts[count++] = (kci_named_tensor_t){
                graph->names[graph->nodes[node].name], values->tensors[node]};
        }
    }
    EXPECT_OK(error, kci_accept_plan(plan, &plan->profile->policy, &accepted,
                                     NULL, NULL, &error));
    EXPECT_OK(error, kci_executor_create(fixture->host, accepted, consts, count,
                                         &options, &executor, &error));
    kci_accepted_plan_release(accepted);
    free(consts);
    return executor;
}

void gradient_call_begin(gradient_call_t *call, gradient_fixture_t *fixture,
                         const kc_plan_t *plan, const gradient_values_t *values,
                         uint64_t seed)
{
    const kc_graph_t *graph = values->graph;
    const kci_program_t *program = plan->program;
    *call = (gradient_call_t){0};
    call->inputs = calloc(graph->node_count + 1, sizeof *call->inputs);
    call->seeds = calloc(program->seed_count + 1, sizeof *call->seeds);
    call->seed_views = calloc(program->seed_count + 1, sizeof(DLTensor *));
    call->result.gradients =
        calloc(program->gradient_count + 1, sizeof(kc_tensor_t *));
    call->views = calloc(program->gradient_count + 1, sizeof(DLTensor *));
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (gradient_is_input(graph, node)) {
            call->inputs[call->input_count++] = &values->tensors[node]->view;
        }
    }
    call->seed_count = program->seed_count;
    for (size_t i = 0; i < program->seed_count; i++) {
        call->seeds[i] =
            gradient_seed(fixture, graph, program->seeds[i].index, seed);
        call->seed_views[i] =
            call->seeds[i] == NULL ? NULL : &call->seeds[i]->view;
    }
    call->result.count = program->gradient_count;
    for (size_t i = 0; i < program->gradient_count; i++) {
        kc_tensor_t *tensor =
            gradient_tensor(fixture, graph, program->gradients[i].index);
        call->result.gradients[i] = tensor;
        call->views[i] = &tensor->view;
        memset(kc_tensor_data(&tensor->view), 0x5a,
               (size_t)kc_tensor_element_count(&tensor->view) *
                   tensor->view.dtype.bits / 8);
    }
}

kc_status_t gradient_call(kc_executor_t *executor, gradient_call_t *call,
                          kc_error_t *error)
{
    return kci_executor_run_gradients(
        executor, call->inputs, call->input_count, call->seed_views,
        call->seed_count, NULL, 0, call->views, call->result.count, error);
}

void gradient_call_end(gradient_call_t *call)
{
    for (size_t i = 0; i < call->seed_count; i++) {
        kci_tensor_release(call->seeds[i]);
    }
    free(call->inputs);
    free(call->seeds);
    free(call->seed_views);
    free(call->views);
    gradient_result_release(&call->result);
}

gradient_result_t gradient_run_plan(gradient_fixture_t *fixture,
                                    kc_plan_t *plan,
                                    const gradient_values_t *values,
                                    uint64_t seed, bool no_reuse)
{
    kc_error_t error = KC_ERROR_INIT;
    gradient_call_t call;
    kc_executor_t *executor = gradient_compile(fixture, plan, values, no_reuse);
    gradient_call_begin(&call, fixture, plan, values, seed);
    EXPECT_OK(error, gradient_call(executor, &call, &error));
    gradient_result_t result = call.result;
    call.result = (gradient_result_t){0};
    gradient_call_end(&call);
    kci_executor_destroy(executor);
    return result;
}

gradient_result_t gradient_of(gradient_fixture_t *fixture,
                              const gradient_values_t *values,
                              const kci_gradient_request_t *request,
                              uint64_t seed)
{
    kc_plan_t *plan = gradient_plan(fixture, values->graph, request);
    gradient_result_t result =
        gradient_run_plan(fixture, plan, values, seed, false);
    kci_plan_release(plan);
    return result;
}

void gradient_case_begin(gradient_case_t *at, const char *nodes,
                         const char *outputs)
{
    gradient_fixture_begin(&at->fixture, 1);
    at->graph = gradient_graph(nodes, outputs);
    at->values = gradient_values(&at->fixture, at->graph, 5);
    at->found = (gradient_result_t){0};
}

void gradient_case_run(gradient_case_t *at,
                       const kci_gradient_request_t *request)
{
    gradient_result_release(&at->found);
    at->found = gradient_of(&at->fixture, &at->values, request, 0);
}

void gradient_case_end(gradient_case_t *at)
{
    gradient_result_release(&at->found);
    gradient_values_release(&at->values);
    kci_graph_release(at->graph);
    gradient_fixture_end(&at->fixture);
}

void gradient_case_expect(const gradient_case_t *at, size_t gradient,
                          int64_t count, double number)
{
    ck_assert_int_eq(
        kc_tensor_element_count(&at->found.gradients[gradient]->view), count);
    for (int64_t i = 0; i < count; i++) {
        ck_assert_double_eq(gradient_element(&at->found, gradient, i), number);
    }
}
