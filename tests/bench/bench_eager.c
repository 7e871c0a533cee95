/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What a checked eager call costs beyond its handler: add on four elements
 * into the caller's output. The bar is 150 ns. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench_context.h"
#include "bench/measure.h"
#include "dispatch/call.h"
#include "exec/session.h"

typedef struct eager_task {
    bench_context_t bench;
    kc_session_t *session;
    kc_tensor_t *a;
    kc_tensor_t *b;
    kc_tensor_t *y;
    const DLTensor *inputs[2];
    DLTensor *outputs[1];
    kci_binding_t binding;
    kci_call_context_t context;
    kc_attributes_t attributes;
    kc_call_t call;
} eager_task_t;

static int call_directly(void *context, int iterations)
{
    eager_task_t *task = context;
    kc_status_t status = KC_OK;
    for (int i = 0; i < iterations; i++) {
        status |= task->binding.handler->forward(&task->call);
    }
    return status == KC_OK;
}

static int call_compiled(void *context, int iterations)
{
    eager_task_t *task = context;
    kc_status_t status = KC_OK;
    for (int i = 0; i < iterations; i++) {
        status |=
            kci_call_compiled(&task->context, &task->attributes, task->inputs,
                              2, task->outputs[0], &task->bench.error);
    }
    return status == KC_OK;
}

static int call_session(void *context, int iterations)
{
    eager_task_t *task = context;
    kc_status_t status = KC_OK;
    for (int i = 0; i < iterations; i++) {
        status |= kci_session_run(task->session, KC_OP_ADD, NULL, task->inputs,
                                  2, task->outputs[0], &task->bench.error);
    }
    return status == KC_OK;
}

static int make_tensors(eager_task_t *task)
{
    const int64_t dims[] = {4};
    kci_host_allocator_t *allocator = &task->bench.allocator;
    kc_tensor_t **const tensors[] = {&task->a, &task->b, &task->y};
    for (int i = 0; i < 3; i++) {
        if (kci_tensor_create(allocator, KC_DTYPE_F32, 1, dims, tensors[i],
                              &task->bench.error) != KC_OK) {
            return 0;
        }
        for (int k = 0; k < 4; k++) {
            ((float *)kc_tensor_data(&(*tensors[i])->view))[k] = (float)k;
        }
    }
    task->inputs[0] = &task->a->view;
    task->inputs[1] = &task->b->view;
    task->outputs[0] = &task->y->view;
    return 1;
}

/* Binds what the session has chosen and prepares its call by hand. */
static int prepare(eager_task_t *task)
{
    if (!bench_begin(&task->bench, 1) || !make_tensors(task) ||
        kci_session_create(task->bench.host, task->bench.profile, false,
                           &task->session, &task->bench.error) != KC_OK ||
        !call_session(task, 1) ||
        kci_bind(kci_session_record(task->session)->entries[0].entry,
                 task->bench.host, &task->binding,
                 &task->bench.error) != KC_OK) {
        return 0;
    }
    task->attributes = (kc_attributes_t){.struct_size = sizeof task->attributes,
                                         .op = KC_OP_ADD};
    task->context = (kci_call_context_t){.host = task->bench.host,
                                         .binding = &task->binding};
    task->call = (kc_call_t){.struct_size = sizeof task->call,
                             .op = KC_OP_ADD,
                             .input_count = 2,
                             .output_count = 1,
                             .inputs = task->inputs,
                             .outputs = task->outputs,
                             .attributes = &task->attributes,
                             .host = &task->bench.host->interface,
                             .module_state = task->binding.module_state,
                             .error = &task->bench.error};
    return 1;
}

int main(void)
{
    static eager_task_t task;
    measure_variant_t variants[] = {
        {"add of 4: handler alone", call_directly, &task, 0, 0},
        {"add of 4: step of a compiled graph", call_compiled, &task, 0, 0},
        {"add of 4: eager session", call_session, &task, 0, 0}};
    puts("== bench_eager");
    measure_print_machine();
    if (!prepare(&task) || !measure_run(variants, 3, 501, 1000)) {
        fprintf(stderr, "%s\n", task.bench.error.message);
        return EXIT_FAILURE;
    }
    measure_print(variants, 3);
    for (int i = 1; i < 3; i++) {
        printf("%s: beyond the handler best %.1f ns, median %.1f ns\n",
               variants[i].name, variants[i].best_ns - variants[0].best_ns,
               variants[i].median_ns - variants[0].median_ns);
    }
    kci_session_destroy(task.session);
    kci_tensor_release(task.a);
    kci_tensor_release(task.b);
    kci_tensor_release(task.y);
    bench_end(&task.bench);
    return EXIT_SUCCESS;
}
