/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The same gradients on a tape. */
#include <stdlib.h>
#include <string.h>

#include "autograd/tape.h"
#include "unit/autograd/gradient_runs.h"
#include "unit/expect.h"

typedef struct tape_run {
    kc_session_t *session;
    kc_tape_t *tape;
    kc_variable_t *leaves; /* by id of the node */
    kc_variable_t *inputs;
    size_t input_count;
    kc_variable_t *consts;
    size_t const_count;
    kc_variable_t *outputs; /* of the graph */
} tape_run_t;

static kc_variable_t *variables(size_t count)
{
    kc_variable_t *memory = calloc(count + 1, sizeof *memory);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

static void run_forward(tape_run_t *run, gradient_fixture_t *fixture,
                        const gradient_values_t *values)
{
    kc_error_t error = KC_ERROR_INIT;
    const kc_graph_t *graph = values->graph;
    run->leaves = variables(graph->node_count);
    run->inputs = variables(graph->node_count);
    run->consts = variables(graph->node_count);
    run->outputs = variables(graph->output_count);
    EXPECT_OK(error, kci_session_create(fixture->host, fixture->profile, true,
                                        &run->session, &error));
    EXPECT_OK(error, kci_tape_create(run->session, &run->tape, &error));
    for (uint32_t node = 0; node < graph->node_count; node++) {
        if (!gradient_is_leaf(graph, node)) {
            continue;
        }
        int32_t dtype = graph->nodes[node].dtype;
        bool is_float = dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
        EXPECT_OK(error, kci_tape_leaf(run->tape, values->tensors[node],
                                       graph->names[graph->nodes[node].name],
                                       is_float ? KC_LEAF_GRADIENT : 0,
                                       &run->leaves[node], &error));
        if (gradient_is_input(graph, node)) {
            run->inputs[run->input_count++] = run->leaves[node];
        } else {
            run->consts[run->const_count++] = run->leaves[node];
        }
    }
    EXPECT_OK(error, kci_tape_run_graph(run->tape, graph, run->inputs,
                                        run->input_count, run->consts,
                                        run->const_count, run->outputs,
                                        graph->output_count, &error));
}

static void run_backward(tape_run_t *run, gradient_fixture_t *fixture,
                         const gradient_values_t *values,
                         const kci_gradient_request_t *request, uint64_t seed,
                         gradient_result_t *result)
{
    kc_error_t error = KC_ERROR_INIT;
    size_t count = request->output_count;
    kc_variable_t *outputs = variables(count);
    kc_variable_t *wanted = variables(request->node_count);
    kc_tensor_t **seeds = calloc(count + 1, sizeof *seeds);
    const DLTensor **views = calloc(count + 1, sizeof *views);
    for (size_t i = 0; i < count; i++) {
        uint32_t place = request->outputs[i];
        outputs[i] = run->outputs[place];
        seeds[i] = gradient_seed(fixture, values->graph, place, seed);
        views[i] = seeds[i] == NULL ? NULL : &seeds[i]->view;
    }
    for (size_t i = 0; i < request->node_count; i++) {
        wanted[i] = run->leaves[request->nodes[i]];
    }
    result->count = request->node_count;
    result->gradients = calloc(result->count + 1, sizeof(kc_tensor_t *));
    kc_backward_request_t backward = {.struct_size = sizeof backward,
                                      .outputs = outputs,
                                      .seeds = views,
                                      .output_count = count,
                                      .wanted = wanted,
                                      .out_gradients = result->gradients,
                                      .wanted_count = result->count};
    EXPECT_OK(error, kci_tape_backward(run->tape, &backward, &error));
    for (size_t i = 0; i < count; i++) {
        kci_tensor_release(seeds[i]);
    }
    free(outputs);
    free(wanted);
    free(seeds);
    free(views);
}

gradient_result_t gradient_run_tape(gradient_fixture_t *fixture,
                                    const gradient_values_t *values,
                                    const kci_gradient_request_t *request,
                                    uint64_t seed)
{
    tape_run_t run = {0};
    gradient_result_t result = {0};
    run_forward(&run, fixture, values);
    run_backward(&run, fixture, values, request, seed, &result);
    kci_tape_destroy(run.tape);
    kci_session_destroy(run.session);
    free(run.leaves);
    free(run.inputs);
    free(run.consts);
    free(run.outputs);
    return result;
}
