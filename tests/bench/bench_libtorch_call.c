/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What a step of a compiled graph by LibTorch costs beyond the ATen call that
 * it makes. The bar is 150 ns. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench_context.h"
#include "bench/measure.h"
#include "bench/torch_call.h"
#include "dispatch/call.h"
#include "exec/session.h"

typedef struct libtorch_task {
    bench_context_t *bench;
    kc_session_t *session;
    kc_tensor_t *tensors[3]; /* a, b, y */
    const DLTensor *inputs[2];
    DLTensor *output;
    kci_binding_t binding;
    kci_call_context_t context;
    kc_attributes_t attributes;
    torch_call_t *direct;
} libtorch_task_t;

static int call_directly(void *context, int iterations)
{
    libtorch_task_t *task = context;
    return torch_call_run(task->direct, iterations);
}

static int call_compiled(void *context, int iterations)
{
    libtorch_task_t *task = context;
    kc_status_t status = KC_OK;
    for (int i = 0; i < iterations; i++) {
        status |=
            kci_call_compiled(&task->context, &task->attributes, task->inputs,
                              2, task->output, &task->bench->error);
    }
    return status == KC_OK;
}

static int make_tensors(libtorch_task_t *task, int32_t rank)
{
    const int64_t dims[] = {4, 4};
    for (int i = 0; i < 3; i++) {
        if (kci_tensor_create(&task->bench->allocator, KC_DTYPE_F32, rank, dims,
                              &task->tensors[i],
                              &task->bench->error) != KC_OK) {
            return 0;
        }
        int64_t count = kc_tensor_element_count(&task->tensors[i]->view);
        for (int64_t k = 0; k < count; k++) {
            ((float *)kc_tensor_data(&task->tensors[i]->view))[k] = (float)k;
        }
    }
    task->inputs[0] = &task->tensors[0]->view;
    task->inputs[1] = &task->tensors[1]->view;
    task->output = &task->tensors[2]->view;
    return 1;
}

/* Binds what the session has chosen. */
static int prepare(libtorch_task_t *task, bench_context_t *bench, int32_t op)
{
    int is_matmul = op == KC_OP_MATMUL;
    task->bench = bench;
    if (!make_tensors(task, is_matmul ? 2 : 1) ||
        kci_session_create(bench->host, bench->profile, false, &task->session,
                           &bench->error) != KC_OK ||
        kci_session_run(task->session, op, NULL, task->inputs, 2, task->output,
                        &bench->error) != KC_OK ||
        kci_bind(kci_session_record(task->session)->entries[0].entry,
                 bench->host, &task->binding, &bench->error) != KC_OK) {
        return 0;
    }
    task->attributes =
        (kc_attributes_t){.struct_size = sizeof task->attributes, .op = op};
    task->context =
        (kci_call_context_t){.host = bench->host, .binding = &task->binding};
    task->direct =
        torch_call_create(kc_tensor_data(&task->tensors[0]->view),
                          kc_tensor_data(&task->tensors[1]->view),
                          kc_tensor_data(&task->tensors[2]->view), is_matmul);
    return task->direct != NULL;
}

static void clear(libtorch_task_t *task)
{
    torch_call_destroy(task->direct);
    kci_session_destroy(task->session);
    for (int i = 0; i < 3; i++) {
        kci_tensor_release(task->tensors[i]);
    }
}

static int has_libtorch(void)
{
    float values[4] = {0};
    torch_call_t *call = torch_call_create(values, values, values, 0);
    torch_call_destroy(call);
    return call != NULL;
}

int main(void)
{
    static bench_context_t bench;
    static libtorch_task_t add;
    static libtorch_task_t matmul;
    measure_variant_t variants[] = {
        {"add of 4: ATen alone", call_directly, &add, 0, 0},
        {"add of 4: step of a compiled graph", call_compiled, &add, 0, 0},
        {"matmul of 4x4: ATen alone", call_directly, &matmul, 0, 0},
        {"matmul of 4x4: step of a compiled graph", call_compiled, &matmul, 0,
         0}};
    puts("== bench_libtorch_call");
    measure_print_machine();
    if (!has_libtorch()) {
        puts("skipped: this build has no LibTorch");
        return EXIT_SUCCESS;
    }
    if (!bench_begin_under(&bench, "libtorch_cpu", 1) ||
        !prepare(&add, &bench, KC_OP_ADD) ||
        !prepare(&matmul, &bench, KC_OP_MATMUL) ||
        !measure_run(variants, 4, 501, 1000)) {
        fprintf(stderr, "%s\n", bench.error.message);
        return EXIT_FAILURE;
    }
    measure_print(variants, 4);
    for (int i = 1; i < 4; i += 2) {
        printf("%s: beyond ATen best %.1f ns, median %.1f ns\n",
               variants[i].name, variants[i].best_ns - variants[i - 1].best_ns,
               variants[i].median_ns - variants[i - 1].median_ns);
    }
    clear(&add);
    clear(&matmul);
    bench_end(&bench);
    return EXIT_SUCCESS;
}
