/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * One training step without its update: forward, mean squared error and the
 * gradients of the four weights of the perceptron [4] -> [8] -> [1], planned
 * and on the tape, beside LibTorch where the machine has it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/accept.h"
#include "autograd/gradient_plan.h"
#include "autograd/tape.h"
#include "base/error.h"
#include "base/json.h"
#include "bench/bench_context.h"
#include "bench/measure.h"
#include "bench/torch_step.h"
#include "unit/exec/heap_counter.h"

#define WEIGHT_COUNT 4
#define LOSS_NODES                                                             \
    "[{\"id\": 18, \"op\": \"input\", \"shape\": [1], \"name\": \"target\"},"  \
    " {\"id\": 19, \"op\": \"mse_loss\", \"parents\": [17, 18],"               \
    " \"shape\": []}]"
#define LOSS_OUTPUTS "[{\"name\": \"loss\", \"node\": 19}]"

typedef struct step_task {
    bench_context_t bench;
    kc_graph_t *graph;
    kc_tensor_t *x;
    kc_tensor_t *target;
    kci_named_tensor_t weights[WEIGHT_COUNT]; /* in the order of the graph */
    kc_tensor_t *gradients[WEIGHT_COUNT];
    kc_tensor_t *loss;
    kc_executor_t *executor;
    kc_session_t *session;
    kc_tape_t *tape;
    kc_variable_t inputs[2];
    kc_variable_t consts[WEIGHT_COUNT];
    torch_step_t *torch;
    unsigned long long allocation_count;
    unsigned long long run_count;
} step_task_t;

static int run_planned(void *context, int iterations)
{
    step_task_t *task = context;
    const DLTensor *inputs[] = {&task->x->view, &task->target->view};
    const DLTensor *seeds[] = {NULL};
    DLTensor *outputs[] = {&task->loss->view};
    DLTensor *gradients[WEIGHT_COUNT];
    for (size_t i = 0; i < WEIGHT_COUNT; i++) {
        gradients[i] = &task->gradients[i]->view;
    }
    unsigned long long before = heap_counter_value();
    kc_status_t status = KC_OK;
    for (int i = 0; i < iterations; i++) {
        status |= kci_executor_run_gradients(task->executor, inputs, 2, seeds,
                                             1, outputs, 1, gradients,
                                             WEIGHT_COUNT, &task->bench.error);
    }
    task->allocation_count += heap_counter_value() - before;
    task->run_count += (unsigned long long)iterations;
    return status == KC_OK;
}

static int run_tape(void *context, int iterations)
{
    step_task_t *task = context;
    kc_error_t *error = &task->bench.error;
    kc_variable_t loss = {0};
    kc_backward_request_t request = {
        .struct_size = sizeof request, .outputs = &loss, .output_count = 1};
    for (int i = 0; i < iterations; i++) {
        kci_tape_clear_gradients(task->tape);
        if (kci_tape_run_graph(task->tape, task->graph, task->inputs, 2,
                               task->consts, WEIGHT_COUNT, &loss, 1,
                               error) != KC_OK ||
            kci_tape_backward(task->tape, &request, error) != KC_OK) {
            return 0;
        }
    }
    return 1;
}

static int run_torch(void *context, int iterations)
{
    step_task_t *task = context;
    return torch_step_run(task->torch, iterations);
}

/* The perceptron of the tests, with a loss behind its output. */
static kc_status_t read_graph(step_task_t *task)
{
    char path[1024];
    const char *folder = getenv("KC_SRCDIR");
    kc_error_t *error = &task->bench.error;
    json_t *loss = NULL;
    json_t *outputs = NULL;
    snprintf(path, sizeof path, "%s/tests/graphs/mlp_4_8_1.json",
             folder != NULL ? folder : ".");
    json_t *file = json_load_file(path, 0, NULL);
    if (file == NULL) {
        return kci_fail(error, KC_ERR_IO, "%s: expected a graph file", path);
    }
    kc_status_t status =
        kci_json_parse(LOSS_NODES, strlen(LOSS_NODES), "loss", &loss, error);
    if (status == KC_OK) {
        status = kci_json_parse(LOSS_OUTPUTS, strlen(LOSS_OUTPUTS), "outputs",
                                &outputs, error);
    }
    if (status == KC_OK) {
        json_array_extend(json_object_get(file, "nodes"), loss);
        json_object_set(file, "outputs", outputs);
        char *text = json_dumps(file, 0);
        status = kci_graph_parse(text, strlen(text), path, &task->graph, error);
        free(text);
    }
    json_decref(loss);
    json_decref(outputs);
    json_decref(file);
    return status;
}

static kc_status_t make_tensor(step_task_t *task, int32_t rank,
                               const int64_t *dims, kc_tensor_t **out)
{
    KC_RETURN_IF_ERROR(kci_tensor_create(&task->bench.allocator, KC_DTYPE_F32,
                                         rank, dims, out, &task->bench.error));
    float *data = kc_tensor_data(&(*out)->view);
    for (int64_t i = 0; i < kc_tensor_element_count(&(*out)->view); i++) {
        data[i] = (float)((i * 7 + rank * 3) % 11) / 8.0f - 0.5f;
    }
    return KC_OK;
}

static kc_status_t make_values(step_task_t *task)
{
    static const char *const names[] = {"fc1.weight", "fc1.bias", "fc2.weight",
                                        "fc2.bias"};
    static const int64_t dims[WEIGHT_COUNT][2] = {{8, 4}, {8}, {1, 8}, {1}};
    static const int32_t ranks[] = {2, 1, 2, 1};
    static const int64_t four = 4;
    static const int64_t one = 1;
    KC_RETURN_IF_ERROR(make_tensor(task, 1, &four, &task->x));
    KC_RETURN_IF_ERROR(make_tensor(task, 1, &one, &task->target));
    KC_RETURN_IF_ERROR(make_tensor(task, 0, NULL, &task->loss));
    for (size_t i = 0; i < WEIGHT_COUNT; i++) {
        task->weights[i].name = names[i];
        KC_RETURN_IF_ERROR(
            make_tensor(task, ranks[i], dims[i], &task->weights[i].tensor));
        KC_RETURN_IF_ERROR(
            make_tensor(task, ranks[i], dims[i], &task->gradients[i]));
    }
    return KC_OK;
}

static kc_status_t compile(step_task_t *task)
{
    kc_plan_t *plan = NULL;
    kc_accepted_plan_t *accepted = NULL;
    kc_error_t *error = &task->bench.error;
    kci_gradient_request_t request = {0};
    kc_status_t status = kci_gradient_plan_create(
        task->bench.profile, task->graph, &request, &plan, error);
    if (status == KC_OK) {
        status = kci_accept_plan(plan, &task->bench.profile->policy, &accepted,
                                 NULL, NULL, error);
    }
    if (status == KC_OK) {
        status =
            kci_executor_create(task->bench.host, accepted, task->weights,
                                WEIGHT_COUNT, NULL, &task->executor, error);
    }
    kci_accepted_plan_release(accepted);
    kci_plan_release(plan);
    return status;
}

static kc_status_t open_tape(step_task_t *task)
{
    kc_error_t *error = &task->bench.error;
    KC_RETURN_IF_ERROR(kci_session_create(task->bench.host, task->bench.profile,
                                          true, &task->session, error));
    KC_RETURN_IF_ERROR(kci_tape_create(task->session, &task->tape, error));
    KC_RETURN_IF_ERROR(
        kci_tape_leaf(task->tape, task->x, "x", 0, &task->inputs[0], error));
    KC_RETURN_IF_ERROR(kci_tape_leaf(task->tape, task->target, "target", 0,
                                     &task->inputs[1], error));
    for (size_t i = 0; i < WEIGHT_COUNT; i++) {
        KC_RETURN_IF_ERROR(kci_tape_leaf(
            task->tape, task->weights[i].tensor, task->weights[i].name,
            KC_LEAF_GRADIENT, &task->consts[i], error));
    }
    return KC_OK;
}

static void open_torch(step_task_t *task)
{
    torch_values_t values = {
        .x = kc_tensor_data(&task->x->view),
        .w1 = kc_tensor_data(&task->weights[0].tensor->view),
        .b1 = kc_tensor_data(&task->weights[1].tensor->view),
        .w2 = kc_tensor_data(&task->weights[2].tensor->view),
        .b2 = kc_tensor_data(&task->weights[3].tensor->view),
        .target = kc_tensor_data(&task->target->view)};
    task->torch = torch_step_create(&values);
}

static int prepare(step_task_t *task)
{
    if (!bench_begin(&task->bench, 1) || read_graph(task) != KC_OK ||
        make_values(task) != KC_OK || compile(task) != KC_OK ||
        open_tape(task) != KC_OK) {
        return 0;
    }
    open_torch(task);
    return 1;
}

static void finish(step_task_t *task)
{
    torch_step_destroy(task->torch);
    kci_tape_destroy(task->tape);
    kci_session_destroy(task->session);
    kci_executor_destroy(task->executor);
    for (size_t i = 0; i < WEIGHT_COUNT; i++) {
        kci_tensor_release(task->weights[i].tensor);
        kci_tensor_release(task->gradients[i]);
    }
    kci_tensor_release(task->x);
    kci_tensor_release(task->target);
    kci_tensor_release(task->loss);
    kci_graph_release(task->graph);
    bench_end(&task->bench);
}

/* The largest difference to LibTorch's gradients. */
static double difference(const step_task_t *task)
{
    float torch[TORCH_GRADIENTS];
    double largest = 0;
    size_t at = 0;
    torch_step_gradients(task->torch, torch);
    for (size_t i = 0; i < WEIGHT_COUNT; i++) {
        const DLTensor *view = &task->gradients[i]->view;
        const float *data = kc_tensor_data(view);
        for (int64_t k = 0; k < kc_tensor_element_count(view); k++) {
            largest = fmax(largest, fabs((double)data[k] - (double)torch[at]));
            at++;
        }
    }
    return largest;
}

static void print_result(const step_task_t *task,
                         const measure_variant_t *variants)
{
    const float *loss = kc_tensor_data(&task->loss->view);
    measure_print(variants, task->torch != NULL ? 3 : 2);
    printf("loss %.9g\n", (double)*loss);
    if (heap_counter_works()) {
        printf("allocations in %llu planned steps: %llu\n", task->run_count,
               task->allocation_count);
    }
    if (task->torch == NULL) {
        puts("no LibTorch in this build: no ratio");
        return;
    }
    printf("LibTorch's step costs %.1f planned ones (best), %.1f (median); "
           "bar 15\n",
           variants[2].best_ns / variants[0].best_ns,
           variants[2].median_ns / variants[0].median_ns);
    printf("largest difference of a gradient to LibTorch's: %.3g\n",
           difference(task));
}

int main(void)
{
    static step_task_t task;
    puts("== bench_gradients");
    measure_print_machine();
    if (!prepare(&task)) {
        fprintf(stderr, "%s\n", task.bench.error.message);
        return EXIT_FAILURE;
    }
    measure_variant_t variants[] = {
        {"forward and backward: planned", run_planned, &task, 0, 0},
        {"forward and backward: tape", run_tape, &task, 0, 0},
        {"forward and backward: LibTorch", run_torch, &task, 0, 0}};
    /* Once before counting: the first run may make copies. */
    int is_done = run_planned(&task, 1);
    task.allocation_count = 0;
    task.run_count = 0;
    is_done =
        is_done && measure_run(variants, task.torch != NULL ? 3 : 2, 101, 100);
    if (is_done) {
        print_result(&task, variants);
    } else {
        fprintf(stderr, "%s\n", task.bench.error.message);
    }
    finish(&task);
    return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
