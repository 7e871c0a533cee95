/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Planning of a graph of a million nodes that was built in memory. The bar
 * is 30 ns a node. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bench/bench_context.h"
#include "bench/measure.h"
#include "graph/builder.h"
#include "plan/plan.h"

#define NODES 1000000u
#define WIDTH 16

typedef struct plan_task {
    bench_context_t bench;
    kc_graph_t *graph;
} plan_task_t;

/* Node `index` of a chain in which operations take turns. */
static kc_status_t add_node(kc_graph_builder_t *builder, uint32_t index,
                            kc_error_t *error)
{
    static const char *const kinds[] = {"relu", "add",     "tanh", "mul_elem",
                                        "exp",  "sub",     "abs",  "detach",
                                        "sqrt", "max_elem"};
    const int64_t dims[] = {WIDTH, WIDTH};
    const uint32_t parents[] = {index - 1, index / 2};
    uint32_t kind = index % 10;
    kci_node_spec_t spec = {
        .kind = index == 0 ? "input" : kinds[kind],
        .parents = parents,
        .parent_count = index == 0 ? 0 : (kind % 2 == 1 && kind != 7 ? 2 : 1),
        .dtype = KC_DTYPE_F32,
        .rank = 2,
        .dims = dims,
        .name = index == 0 ? "x" : NULL};
    uint32_t id = 0;
    return kci_graph_builder_add(builder, &spec, &id, error);
}

static int build(plan_task_t *task)
{
    kc_graph_builder_t *builder = NULL;
    kc_error_t *error = &task->bench.error;
    uint64_t start = kci_clock_ns();
    kc_status_t status = kci_graph_builder_create("bench", &builder, error);
    for (uint32_t i = 0; status == KC_OK && i < NODES; i++) {
        status = add_node(builder, i, error);
    }
    if (status == KC_OK) {
        status = kci_graph_builder_output(builder, "y", NODES - 1, error);
    }
    if (status == KC_OK) {
        status = kci_graph_builder_finish(builder, &task->graph, error);
    }
    if (status != KC_OK) {
        fprintf(stderr, "%s\n", error->message);
        kci_graph_builder_destroy(builder);
        return 0;
    }
    printf("built %u nodes: %.0f ns a node\n", NODES,
           (double)(kci_clock_ns() - start) / NODES);
    return 1;
}

static int plan_once(void *context, int iterations)
{
    plan_task_t *task = context;
    for (int i = 0; i < iterations; i++) {
        kc_plan_t *plan = NULL;
        if (kci_plan_graph(task->bench.profile, task->graph, &plan,
                           &task->bench.error) != KC_OK) {
            return 0;
        }
        int is_complete = plan->failure_count == 0;
        kci_plan_release(plan);
        if (!is_complete) {
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    static plan_task_t task;
    measure_variant_t plan = {"planning of the whole graph", plan_once, &task,
                              0, 0};
    puts("== bench_plan");
    measure_print_machine();
    if (!bench_begin(&task.bench, 1) || !build(&task) ||
        !measure_run(&plan, 1, 31, 1)) {
        return EXIT_FAILURE;
    }
    measure_print(&plan, 1);
    printf("a node: best %.1f ns, median %.1f ns\n", plan.best_ns / NODES,
           plan.median_ns / NODES);
    kci_graph_release(task.graph);
    bench_end(&task.bench);
    return EXIT_SUCCESS;
}
