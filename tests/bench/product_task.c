/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operands, the variants and their ratio. */
#include "bench/product_task.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/measure.h"
#include "dispatch/call.h"
#include "exec/session.h"

#define ROUNDS 101

enum { COMPILED, SESSION, BLAS, VARIANT_COUNT };

/* One case under way. `inputs` ends with an absent optional one; `operands`
 * are a, b, c of OpenBLAS' product. */
typedef struct contest {
    product_task_t *task;
    const product_case_t *shapes;
    kc_session_t *session;
    kci_binding_t binding;
    kci_call_context_t context;
    kc_tensor_t *tensors[3];
    const DLTensor *inputs[3];
    float *operands[3];
} contest_t;

static int call_session(void *context, int iterations)
{
    contest_t *contest = context;
    kc_status_t status = KC_OK;
    for (int i = 0; i < iterations; i++) {
        status |= kci_session_run(contest->session, contest->shapes->op,
                                  &contest->shapes->attributes, contest->inputs,
                                  2, &contest->tensors[2]->view,
                                  &contest->task->bench.error);
    }
    return status == KC_OK;
}

static int call_compiled(void *context, int iterations)
{
    contest_t *contest = context;
    kc_status_t status = KC_OK;
    for (int i = 0; i < iterations; i++) {
        status |= kci_call_compiled(
            &contest->context, &contest->shapes->attributes, contest->inputs, 2,
            &contest->tensors[2]->view, &contest->task->bench.error);
    }
    return status == KC_OK;
}

static int call_blas(void *context, int iterations)
{
    const contest_t *contest = context;
    const product_case_t *shapes = contest->shapes;
    for (int i = 0; i < iterations; i++) {
        blas_product(&contest->task->blas, shapes->m, shapes->n, shapes->p,
                     contest->operands[0], contest->operands[1],
                     contest->operands[2]);
    }
    return 1;
}

/* Numbers of both signs, at most 1. */
static void fill(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = (float)(i * 7919 % 201) / 100 - 1;
    }
}

static int make_operands(contest_t *contest)
{
    const product_case_t *shapes = contest->shapes;
    const size_t counts[] = {shapes->m * shapes->n, shapes->n * shapes->p,
                             shapes->m * shapes->p};
    for (size_t i = 0; i < 3; i++) {
        contest->operands[i] = malloc(counts[i] * sizeof(float));
        if (contest->operands[i] == NULL) {
            return 0;
        }
        fill(contest->operands[i], counts[i]);
    }
    return 1;
}

static int make_tensors(contest_t *contest)
{
    const product_case_t *shapes = contest->shapes;
    const product_shape_t *const all[] = {&shapes->inputs[0],
                                          &shapes->inputs[1], &shapes->output};
    bench_context_t *bench = &contest->task->bench;
    for (size_t i = 0; i < 3; i++) {
        kc_tensor_t **tensor = &contest->tensors[i];
        if (kci_tensor_create(&bench->allocator, KC_DTYPE_F32, all[i]->rank,
                              all[i]->dims, tensor, &bench->error) != KC_OK) {
            return 0;
        }
        fill(kc_tensor_data(&(*tensor)->view),
             (size_t)kc_tensor_element_count(&(*tensor)->view));
    }
    contest->inputs[0] = &contest->tensors[0]->view;
    contest->inputs[1] = &contest->tensors[1]->view;
    return 1;
}

/* Binds what the session chooses. */
static int prepare(contest_t *contest)
{
    bench_context_t *bench = &contest->task->bench;
    if (!make_operands(contest) || !make_tensors(contest) ||
        kci_session_create(bench->host, bench->profile, false,
                           &contest->session, &bench->error) != KC_OK ||
        !call_session(contest, 1) ||
        kci_bind(kci_session_record(contest->session)->entries[0].entry,
                 bench->host, &contest->binding, &bench->error) != KC_OK) {
        return 0;
    }
    contest->context =
        (kci_call_context_t){.host = bench->host, .binding = &contest->binding};
    return 1;
}

static int measure(contest_t *contest)
{
    const product_case_t *shapes = contest->shapes;
    const size_t count =
        contest->task->blas.sgemm == NULL ? BLAS : VARIANT_COUNT;
    const double terms =
        (double)shapes->m * (double)shapes->n * (double)shapes->p;
    measure_variant_t variants[] = {
        [COMPILED] = {"step of a compiled graph", call_compiled, contest, 0, 0},
        [SESSION] = {"eager session", call_session, contest, 0, 0},
        [BLAS] = {"OpenBLAS", call_blas, contest, 0, 0}};
    if (!measure_run(variants, count, ROUNDS, shapes->iterations)) {
        return 0;
    }
    printf("-- %s\n", shapes->name);
    measure_print(variants, count);
    printf("step: best %.1f GFLOP/s", 2 * terms / variants[COMPILED].best_ns);
    if (count == VARIANT_COUNT) {
        printf("; of OpenBLAS' speed best %.2f, median %.2f",
               variants[BLAS].best_ns / variants[COMPILED].best_ns,
               variants[BLAS].median_ns / variants[COMPILED].median_ns);
    }
    puts("");
    return 1;
}

int product_task_run(product_task_t *task, const product_case_t *shapes)
{
    contest_t contest = {.task = task, .shapes = shapes};
    int is_done = prepare(&contest) && measure(&contest);
    if (!is_done) {
        fprintf(stderr, "%s: %s\n", shapes->name, task->bench.error.message);
    }
    kci_session_destroy(contest.session);
    for (size_t i = 0; i < 3; i++) {
        kci_tensor_release(contest.tensors[i]);
        free(contest.operands[i]);
    }
    return is_done;
}

int product_task_begin(product_task_t *task)
{
    measure_print_machine();
    blas_open(&task->blas);
    return bench_begin(&task->bench, 1);
}

void product_task_end(product_task_t *task)
{
    bench_end(&task->bench);
}
