/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Repeated runs of the digit classifier, eager and compiled, with the
 * allocations that each makes. */
#include <stdio.h>
#include <stdlib.h>

#include "audit/accept.h"
#include "bench/bench_context.h"
#include "bench/measure.h"
#include "unit/exec/digits_fixture.h"
#include "unit/exec/heap_counter.h"

typedef struct graph_task {
    bench_context_t bench;
    digits_t digits;
    kc_session_t *session;
    kc_executor_t *executor;
    kc_tensor_t *output;
    unsigned long long allocation_count;
    unsigned long long run_count;
} graph_task_t;

static int run_eager(void *context, int iterations)
{
    graph_task_t *task = context;
    const DLTensor *inputs[] = {&task->digits.images->view};
    for (int i = 0; i < iterations; i++) {
        kc_tensor_t *logits = NULL;
        if (kci_session_run_graph(task->session, task->digits.graph,
                                  task->digits.consts, task->digits.const_count,
                                  inputs, 1, &logits, 1,
                                  &task->bench.error) != KC_OK) {
            return 0;
        }
        kci_tensor_release(logits);
    }
    return 1;
}

static int run_compiled(void *context, int iterations)
{
    graph_task_t *task = context;
    const DLTensor *inputs[] = {&task->digits.images->view};
    DLTensor *outputs[] = {&task->output->view};
    unsigned long long before = heap_counter_value();
    kc_status_t status = KC_OK;
    for (int i = 0; i < iterations; i++) {
        status |= kci_executor_run(task->executor, inputs, 1, outputs, 1,
                                   &task->bench.error);
    }
    task->allocation_count += heap_counter_value() - before;
    task->run_count += (unsigned long long)iterations;
    return status == KC_OK;
}

static kc_status_t compile(graph_task_t *task)
{
    kc_plan_t *plan = NULL;
    kc_accepted_plan_t *accepted = NULL;
    kc_error_t *error = &task->bench.error;
    kc_status_t status =
        kci_plan_graph(task->bench.profile, task->digits.graph, &plan, error);
    if (status == KC_OK) {
        status = kci_accept_plan(plan, &task->bench.profile->policy, &accepted,
                                 NULL, NULL, error);
    }
    if (status == KC_OK) {
        status = kci_executor_create(
            task->bench.host, accepted, task->digits.consts,
            task->digits.const_count, NULL, &task->executor, error);
    }
    kci_accepted_plan_release(accepted);
    kci_plan_release(plan);
    return status;
}

static int prepare(graph_task_t *task, unsigned thread_count)
{
    const int64_t dims[] = {359, 10};
    kc_error_t *error = &task->bench.error;
    return bench_begin(&task->bench, thread_count) &&
           digits_load(&task->digits, &task->bench.allocator, error) &&
           kci_tensor_create(&task->bench.allocator, KC_DTYPE_F32, 2, dims,
                             &task->output, error) == KC_OK &&
           kci_session_create(task->bench.host, task->bench.profile, false,
                              &task->session, error) == KC_OK &&
           compile(task) == KC_OK;
}

static void finish(graph_task_t *task)
{
    kci_executor_destroy(task->executor);
    kci_session_destroy(task->session);
    kci_tensor_release(task->output);
    digits_release(&task->digits);
    bench_end(&task->bench);
}

static int bench_with(unsigned thread_count)
{
    static graph_task_t task;
    task.allocation_count = 0;
    task.run_count = 0;
    measure_variant_t variants[] = {
        {"digits of 359 images: eager", run_eager, &task, 0, 0},
        {"digits of 359 images: compiled", run_compiled, &task, 0, 0}};
    if (!prepare(&task, thread_count) || !measure_run(variants, 2, 101, 5)) {
        fprintf(stderr, "%s\n", task.bench.error.message);
        return 0;
    }
    printf("%u threads, %zu bytes of buffers\n",
           (unsigned)task.bench.host->thread_count,
           kci_executor_buffer_bytes(task.executor));
    measure_print(variants, 2);
    if (heap_counter_works()) {
        printf("allocations in %llu compiled runs: %llu\n", task.run_count,
               task.allocation_count);
    }
    finish(&task);
    return 1;
}

int main(void)
{
    puts("== bench_graph");
    measure_print_machine();
    if (!bench_with(1) || (kci_processor_count() > 1 && !bench_with(0))) {
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
