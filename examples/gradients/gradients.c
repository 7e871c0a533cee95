/* SPDX-License-Identifier: Apache-2.0
 *
 * gradients GRAPH: the loss of a graph and the gradients of its trainable
 * consts, once by a plan of forward and backward together and once on a tape;
 * says which capsules ran and whether the two have the same bits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <kcapsule/kcapsule.h>

#define PORTS_MAX 8

typedef struct app {
    kc_runtime_t *runtime;
    kc_profile_t *profile;
    kc_graph_t *graph;
    kc_tensor_t *inputs[PORTS_MAX];
    size_t input_count;
    kc_tensor_t *consts[PORTS_MAX];
    const char *const_names[PORTS_MAX];
    size_t const_count;
    kc_weights_t *weights;
    kc_tensor_t *loss;
    kc_tensor_t *planned[PORTS_MAX]; /* gradients, in the order of consts */
    kc_tensor_t *taped[PORTS_MAX];
} app_t;

/* An application would read them from files. */
static int make_values(app_t *app, const kc_graph_port_t *port,
                       kc_tensor_t **out_tensor, kc_error_t *error)
{
    if (kc_tensor_create(app->runtime, port->dtype, port->rank, port->dims,
                         out_tensor, error)) {
        return 1;
    }
    DLTensor *view = kc_tensor_view(*out_tensor);
    float *data = kc_tensor_data(view);
    for (int64_t i = 0; i < kc_tensor_element_count(view); i++) {
        data[i] = (float)((i * 5 + port->node) % 7 - 3) / 4.0f;
    }
    return 0;
}

static int make_inputs(app_t *app, kc_error_t *error)
{
    kc_graph_port_t port = {.struct_size = sizeof port};
    app->input_count = kc_graph_input_count(app->graph);
    app->const_count = kc_graph_const_count(app->graph);
    if (app->input_count > PORTS_MAX || app->const_count > PORTS_MAX ||
        kc_graph_output_count(app->graph) != 1) {
        snprintf(error->message, sizeof error->message,
                 "expected one output and at most %d inputs and consts",
                 PORTS_MAX);
        return 1;
    }
    for (size_t i = 0; i < app->input_count; i++) {
        kc_graph_input(app->graph, i, &port);
        if (make_values(app, &port, &app->inputs[i], error)) {
            return 1;
        }
    }
    for (size_t i = 0; i < app->const_count; i++) {
        kc_graph_const(app->graph, i, &port);
        app->const_names[i] = port.name;
        if (make_values(app, &port, &app->consts[i], error) ||
            make_values(app, &port, &app->planned[i], error)) {
            return 1;
        }
    }
    kc_graph_output(app->graph, 0, &port);
    return make_values(app, &port, &app->loss, error) ||
           kc_weights_from_tensors(app->runtime, app->const_names, app->consts,
                                   app->const_count, &app->weights, error);
}

/* KC_OK is 0: the first call that fails ends a chain. */
static int load(app_t *app, char **argv, kc_error_t *error)
{
    return kc_runtime_create(NULL, &app->runtime, error) ||
           kc_profile_load(app->runtime, "checked_cpu", &app->profile, error) ||
           kc_graph_read(argv[1], &app->graph, error) ||
           make_inputs(app, error);
}

static const char *kind_of(int32_t kind)
{
    static const char *const words[] = {"forward", "inner forward", "rule",
                                        "inner of the rule of", "sum"};
    return words[kind];
}

static void print_record(const kc_record_t *record)
{
    for (size_t i = 0; i < kc_record_row_count(record); i++) {
        kc_record_row_t row = {.struct_size = sizeof row};
        kc_record_row(record, i, &row);
        printf("%s: %s%s%s, calls %llu\n", row.capsule, kind_of(row.kind),
               row.served[0] != '\0' ? " " : "", row.served,
               (unsigned long long)row.call_count);
    }
}

static void print_gradients(app_t *app)
{
    const float *loss = kc_tensor_data(kc_tensor_view(app->loss));
    printf("loss %.9g\n", (double)*loss);
    for (size_t i = 0; i < app->const_count; i++) {
        const DLTensor *view = kc_tensor_view(app->planned[i]);
        const float *data = kc_tensor_data(view);
        printf("gradient of %s:", app->const_names[i]);
        for (int64_t k = 0; k < kc_tensor_element_count(view); k++) {
            printf(" %.9g", (double)data[k]);
        }
        printf("\n");
    }
}

static int run_executor(app_t *app, kc_executor_t *executor, kc_error_t *error)
{
    const DLTensor *inputs[PORTS_MAX];
    const DLTensor *seeds[] = {NULL}; /* of a scalar: 1 */
    DLTensor *outputs[] = {kc_tensor_view(app->loss)};
    DLTensor *gradients[PORTS_MAX];
    kc_record_t *record = NULL;
    for (size_t i = 0; i < app->input_count; i++) {
        inputs[i] = kc_tensor_view(app->inputs[i]);
    }
    for (size_t i = 0; i < app->const_count; i++) {
        gradients[i] = kc_tensor_view(app->planned[i]);
    }
    int has_failed = kc_executor_run_gradients(
                         executor, inputs, app->input_count, seeds, 1, outputs,
                         1, gradients, app->const_count, error) ||
                     kc_executor_record(executor, &record, error);
    if (!has_failed) {
        print_gradients(app);
        print_record(record);
    }
    kc_record_release(record);
    return has_failed;
}

/* Everything that the backward will need is found at planning, and the gate
 * takes forward, backward and inner operations together or not at all. */
static int run_planned(app_t *app, kc_error_t *error)
{
    kc_plan_t *plan = NULL;
    kc_accepted_plan_t *accepted = NULL;
    kc_executor_t *executor = NULL;
    int has_failed =
        kc_plan_gradients(app->profile, app->graph, NULL, &plan, error) ||
        kc_plan_accept(plan, &accepted, NULL, NULL, error) ||
        kc_executor_create(app->runtime, accepted, app->weights, 0, &executor,
                           error) ||
        run_executor(app, executor, error);
    kc_executor_release(executor);
    kc_accepted_plan_release(accepted);
    kc_plan_release(plan);
    return has_failed;
}

static int run_on(app_t *app, kc_tape_t *tape, kc_error_t *error)
{
    kc_variable_t inputs[PORTS_MAX];
    kc_variable_t consts[PORTS_MAX];
    kc_variable_t loss;
    kc_backward_request_t request = {
        .struct_size = sizeof request, .outputs = &loss, .output_count = 1};
    for (size_t i = 0; i < app->input_count; i++) {
        if (kc_tape_leaf(tape, app->inputs[i], NULL, 0, &inputs[i], error)) {
            return 1;
        }
    }
    for (size_t i = 0; i < app->const_count; i++) {
        if (kc_tape_leaf(tape, app->consts[i], app->const_names[i],
                         KC_LEAF_GRADIENT, &consts[i], error)) {
            return 1;
        }
    }
    if (kc_tape_run_graph(tape, app->graph, inputs, app->input_count, consts,
                          app->const_count, &loss, 1, error) ||
        kc_tape_backward(tape, &request, error)) {
        return 1;
    }
    for (size_t i = 0; i < app->const_count; i++) {
        if (kc_tape_gradient(tape, consts[i], &app->taped[i], error)) {
            return 1;
        }
    }
    return 0;
}

static int run_taped(app_t *app, kc_error_t *error)
{
    kc_session_t *session = NULL;
    kc_tape_t *tape = NULL;
    int has_failed = kc_session_create(app->runtime, app->profile,
                                       KC_SESSION_GRADIENTS, &session, error) ||
                     kc_tape_create(session, &tape, error) ||
                     run_on(app, tape, error);
    kc_tape_release(tape);
    kc_session_release(session);
    return has_failed;
}

static int has_same_bits(app_t *app)
{
    int is_same = 1;
    for (size_t i = 0; i < app->const_count; i++) {
        const DLTensor *a = kc_tensor_view(app->planned[i]);
        const DLTensor *b = kc_tensor_view(app->taped[i]);
        size_t size = (size_t)kc_tensor_element_count(a) * a->dtype.bits / 8;
        is_same &= memcmp(kc_tensor_data(a), kc_tensor_data(b), size) == 0;
    }
    return is_same;
}

static void release(app_t *app)
{
    for (size_t i = 0; i < PORTS_MAX; i++) {
        kc_tensor_release(app->inputs[i]);
        kc_tensor_release(app->consts[i]);
        kc_tensor_release(app->planned[i]);
        kc_tensor_release(app->taped[i]);
    }
    kc_tensor_release(app->loss);
    kc_weights_release(app->weights);
    kc_graph_release(app->graph);
    kc_profile_release(app->profile);
    kc_runtime_release(app->runtime);
}

int main(int argc, char **argv)
{
    kc_error_t error = KC_ERROR_INIT;
    static app_t app;
    if (argc != 2) {
        fprintf(stderr, "usage: gradients GRAPH\n");
        return EXIT_FAILURE;
    }
    int has_failed = load(&app, argv, &error) || run_planned(&app, &error) ||
                     run_taped(&app, &error);
    if (has_failed) {
        fprintf(stderr, "gradients: %s\n", error.message);
    } else {
        printf("graph mode and tape: %s bits\n",
               has_same_bits(&app) ? "the same" : "different");
    }
    release(&app);
    return has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
