/* SPDX-License-Identifier: Apache-2.0
 *
 * run_graph GRAPH WEIGHTS INPUT.npy: runs a graph of one input and one output
 * twice, in an eager session and through the executor, and says which
 * capsules ran and whether the two results have the same bits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <kcapsule/kcapsule.h>

typedef struct app {
    kc_runtime_t *runtime;
    kc_profile_t *profile;
    kc_graph_t *graph;
    kc_weights_t *weights;
    kc_tensor_t *input;
    kc_tensor_t *eager_output;
    kc_tensor_t *graph_output;
} app_t;

/* KC_OK is 0: the first call that fails ends a chain. */
static int load(app_t *app, char **argv, kc_error_t *error)
{
    return kc_runtime_create(NULL, &app->runtime, error) ||
           kc_profile_load(app->runtime, "checked_cpu", &app->profile, error) ||
           kc_graph_read(argv[1], &app->graph, error) ||
           kc_weights_open(app->runtime, argv[2], &app->weights, error) ||
           kc_tensor_read_npy(app->runtime, argv[3], &app->input, error);
}

static void print_record(const kc_record_t *record)
{
    for (size_t idx = 0; idx < kc_record_row_count(record); idx++) {
        kc_record_row_t row = {.struct_size = sizeof row};
        kc_record_row(record, idx, &row);
        printf("%s of %s, calls %llu\n", row.capsule, row.provider,
               (unsigned long long)row.call_count);
    }
}

/* Each operation is planned, accepted and bound at its first use. */
static int run_eagerly(app_t *app, kc_error_t *error)
{
    const DLTensor *input = kc_tensor_view(app->input);
    kc_session_t *session = NULL;
    kc_record_t *record = NULL;
    int has_failed =
        kc_session_create(app->runtime, app->profile, 0, &session, error) ||
        kc_session_run_graph(session, app->graph, app->weights, &input, 1,
                             &app->eager_output, 1, error) ||
        kc_session_record(session, &record, error);
    if (!has_failed) {
        print_record(record);
    }
    kc_record_release(record);
    kc_session_release(session);
    return has_failed;
}

/* The whole plan goes through the gate first. Only the gate makes an accepted
 * plan, and the executor takes nothing else. */
static int run_accepted(app_t *app, kc_error_t *error)
{
    const DLTensor *like = kc_tensor_view(app->eager_output);
    const DLTensor *input = kc_tensor_view(app->input);
    kc_plan_t *plan = NULL;
    kc_accepted_plan_t *accepted = NULL;
    kc_executor_t *executor = NULL;
    int has_failed =
        kc_tensor_create(app->runtime, kc_tensor_dtype(like), like->ndim,
                         like->shape, &app->graph_output, error) ||
        kc_plan_graph(app->profile, app->graph, &plan, error) ||
        kc_plan_accept(plan, &accepted, NULL, NULL, error) ||
        kc_executor_create(app->runtime, accepted, app->weights, 0, &executor,
                           error);
    if (!has_failed) {
        DLTensor *output = kc_tensor_view(app->graph_output);
        has_failed = kc_executor_run(executor, &input, 1, &output, 1, error);
    }
    kc_executor_release(executor);
    kc_accepted_plan_release(accepted);
    kc_plan_release(plan);
    return has_failed;
}

static int has_same_bits(app_t *app)
{
    const DLTensor *a = kc_tensor_view(app->eager_output);
    const DLTensor *b = kc_tensor_view(app->graph_output);
    size_t size = (size_t)kc_tensor_element_count(a) * a->dtype.bits / 8;
    return memcmp(kc_tensor_data(a), kc_tensor_data(b), size) == 0;
}

int main(int argc, char **argv)
{
    kc_error_t error = KC_ERROR_INIT;
    app_t app = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    if (argc != 4) {
        fprintf(stderr, "usage: run_graph GRAPH WEIGHTS INPUT.npy\n");
        return EXIT_FAILURE;
    }
    int has_failed = load(&app, argv, &error) || run_eagerly(&app, &error) ||
                     run_accepted(&app, &error);
    if (has_failed) {
        fprintf(stderr, "run_graph: %s\n", error.message);
    } else {
        printf("eager and graph mode: %s bits\n",
               has_same_bits(&app) ? "the same" : "different");
    }
    kc_tensor_release(app.graph_output);
    kc_tensor_release(app.eager_output);
    kc_tensor_release(app.input);
    kc_weights_release(app.weights);
    kc_graph_release(app.graph);
    kc_profile_release(app.profile);
    kc_runtime_release(app.runtime);
    return has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
