/* SPDX-License-Identifier: Apache-2.0
 *
 * The gradient of every floating-point node under each profile, planned and
 * compiled. The cotangent of a scalar output is 1; that of another output is
 * drawn from the seed, since equal numbers would hide what a softmax does.
 */
#include <stdlib.h>
#include <kcapsule/tensor.h>

#include "cli/diff.h"
#include "cli/diff_compare.h"
#include "cli/message.h"

/* What one backward takes and gives; every array is owned, so are the seeds
 * and the gradients until they are handed on. */
typedef struct backward {
    cli_diff_t *diff;
    int side;
    kc_weights_t *weights;
    kc_executor_t *executor;
    const DLTensor **inputs;
    size_t input_count;
    kc_tensor_t **seeds;
    const DLTensor **seed_views;
    size_t seed_count;
    kc_tensor_t **gradients;
    DLTensor **gradient_views;
    size_t gradient_count;
} backward_t;

static int allocate(backward_t *run)
{
    const kc_plan_t *plan = run->diff->plans[run->side];
    run->input_count = kc_graph_input_count(run->diff->graph);
    run->seed_count = kc_plan_seed_count(plan);
    run->gradient_count = kc_plan_gradient_count(plan);
    run->inputs = calloc(run->input_count + 1, sizeof *run->inputs);
    run->seeds = calloc(run->seed_count + 1, sizeof *run->seeds);
    run->seed_views = calloc(run->seed_count + 1, sizeof *run->seed_views);
    run->gradients = calloc(run->gradient_count + 1, sizeof *run->gradients);
    run->gradient_views =
        calloc(run->gradient_count + 1, sizeof *run->gradient_views);
    if (run->inputs == NULL || run->seeds == NULL || run->seed_views == NULL ||
        run->gradients == NULL || run->gradient_views == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    return CLI_DONE;
}

static void release(backward_t *run)
{
    for (size_t idx = 0; run->seeds != NULL && idx < run->seed_count; idx++) {
        kc_tensor_release(run->seeds[idx]);
    }
    for (size_t idx = 0; run->gradients != NULL && idx < run->gradient_count;
         idx++) {
        kc_tensor_release(run->gradients[idx]);
    }
    free((void *)run->inputs);
    free(run->seeds);
    free((void *)run->seed_views);
    free(run->gradients);
    free(run->gradient_views);
    kc_executor_release(run->executor);
    kc_weights_release(run->weights);
}

/* The consts as weights, whether a file or the seed gave them. */
static kc_status_t collect_consts(backward_t *run, kc_error_t *error)
{
    const cli_diff_t *diff = run->diff;
    size_t count = kc_graph_const_count(diff->graph);
    kc_status_t status = KC_ERR_MEMORY;
    const char **names = calloc(count + 1, sizeof *names);
    kc_tensor_t **tensors = calloc(count + 1, sizeof *tensors);
    for (size_t idx = 0; names != NULL && tensors != NULL && idx < count;
         idx++) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        kc_graph_const(diff->graph, idx, &port);
        names[idx] = port.name;
        tensors[idx] = diff->nodes[port.node].values[run->side];
    }
    if (names != NULL && tensors != NULL) {
        status = kc_weights_from_tensors(diff->runtime, names, tensors, count,
                                         &run->weights, error);
    }
    free((void *)names);
    free(tensors);
    return status;
}

static int prepare_seeds(backward_t *run)
{
    cli_diff_t *diff = run->diff;
    int code = CLI_DONE;
    for (size_t idx = 0; idx < run->seed_count && code == CLI_DONE; idx++) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        kc_plan_seed(diff->plans[run->side], idx, &port);
        if (port.rank == 0) {
            continue;
        }
        code = cli_diff_draw(diff, diff->node_count + (uint32_t)idx, port.dtype,
                             port.rank, port.dims, DIFF_DRAW_ANY, 0,
                             &run->seeds[idx]);
        if (code == CLI_DONE) {
            run->seed_views[idx] = kc_tensor_view(run->seeds[idx]);
        }
    }
    return code;
}

static kc_status_t prepare_gradients(backward_t *run, kc_error_t *error)
{
    const cli_diff_t *diff = run->diff;
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < run->gradient_count && status == KC_OK; idx++) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        kc_plan_gradient(diff->plans[run->side], idx, &port);
        status = kc_tensor_create(diff->runtime, port.dtype, port.rank,
                                  port.dims, &run->gradients[idx], error);
        if (status == KC_OK) {
            run->gradient_views[idx] = kc_tensor_view(run->gradients[idx]);
        }
    }
    return status;
}

static kc_status_t execute(backward_t *run, kc_error_t *error)
{
    cli_diff_t *diff = run->diff;
    kc_status_t status = collect_consts(run, error);
    if (status == KC_OK) {
        status = kc_executor_create(diff->runtime, diff->accepted[run->side],
                                    run->weights, 0, &run->executor, error);
    }
    if (status == KC_OK) {
        status = prepare_gradients(run, error);
    }
    for (size_t idx = 0; idx < run->input_count; idx++) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        kc_graph_input(diff->graph, idx, &port);
        run->inputs[idx] =
            kc_tensor_view(diff->nodes[port.node].values[run->side]);
    }
    if (status == KC_OK) {
        status = kc_executor_run_gradients(
            run->executor, run->inputs, run->input_count, run->seed_views,
            run->seed_count, NULL, 0, run->gradient_views, run->gradient_count,
            error);
    }
    return status;
}

static void hand_on(backward_t *run)
{
    cli_diff_t *diff = run->diff;
    for (size_t idx = 0; idx < run->gradient_count; idx++) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        kc_plan_gradient(diff->plans[run->side], idx, &port);
        diff->nodes[port.node].gradients[run->side] = run->gradients[idx];
        run->gradients[idx] = NULL;
    }
}

static int run_side(cli_diff_t *diff, int side)
{
    kc_error_t error = KC_ERROR_INIT;
    backward_t run = {.diff = diff, .side = side};
    size_t drawn = diff->random_count;
    int code = allocate(&run);
    if (code == CLI_DONE) {
        code = prepare_seeds(&run);
    }
    if (code == CLI_DONE) {
        kc_status_t status = execute(&run, &error);
        code = status == KC_OK ? CLI_DONE : cli_report_of_run(status, &error);
    }
    if (code == CLI_DONE) {
        hand_on(&run);
    }
    if (side == DIFF_B) {
        diff->random_count = drawn; /* the same seeds again */
    }
    release(&run);
    return code;
}

/* The rule of a single operation is all there is; it gets the cotangent. */
static int draw_cotangent(cli_diff_t *diff)
{
    cli_diff_node_t *node = &diff->nodes[diff->node_count - 1];
    const DLTensor *view = kc_tensor_view(node->values[DIFF_A]);
    int code =
        cli_diff_draw(diff, diff->node_count, kc_tensor_dtype(view), view->ndim,
                      view->shape, DIFF_DRAW_ANY, 0, &node->gradients[DIFF_A]);
    if (code == CLI_DONE && view->ndim == 0) {
        void *data = kc_tensor_data(kc_tensor_view(node->gradients[DIFF_A]));
        if (kc_tensor_dtype(view) == KC_DTYPE_F32) {
            *(float *)data = 1.0f;
        } else if (kc_tensor_dtype(view) == KC_DTYPE_F64) {
            *(double *)data = 1.0;
        }
    }
    return code;
}

int cli_diff_run_gradients(cli_diff_t *diff)
{
    if (!diff->options->wants_gradients) {
        return CLI_DONE;
    }
    if (diff->graph == NULL) {
        return draw_cotangent(diff);
    }
    for (int side = 0; side < DIFF_SIDES; side++) {
        int code = run_side(diff, side);
        if (code != CLI_DONE) {
            return code;
        }
    }
    for (uint32_t idx = 0; idx < diff->node_count; idx++) {
        cli_diff_node_t *node = &diff->nodes[idx];
        if (node->gradients[DIFF_A] != NULL) {
            cli_diff_compare(kc_tensor_view(node->gradients[DIFF_A]),
                             kc_tensor_view(node->gradients[DIFF_B]),
                             DIFF_NO_BOUND, NULL, &node->chain_gradient);
        }
    }
    return CLI_DONE;
}
