/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds calls by hand, as the host would, and compares results. What a host
 * checks before a call is not checked here.
 */
#include "unit/modules/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/module_file.h"
#include "unit/modules/test_host.h"

void trial_init(trial_t *trial, int32_t op)
{
    memset(trial, 0, sizeof *trial);
    trial->op = op;
    trial->attributes.struct_size = sizeof trial->attributes;
    trial->attributes.op = op;
}

void trial_clear(trial_t *trial)
{
    for (uint32_t i = 0; i < trial->input_count; i++) {
        operand_destroy(trial->inputs[i]);
    }
    operand_destroy(trial->output);
    memset(trial, 0, sizeof *trial);
}

operand_t *trial_add(trial_t *trial, operand_t *operand)
{
    ck_assert_uint_lt(trial->input_count, TRIAL_INPUTS_MAX);
    trial->inputs[trial->input_count++] = operand;
    return operand;
}

operand_t *trial_set_output(trial_t *trial, operand_t *operand)
{
    trial->output = operand;
    return operand;
}

void trial_fill_uniform(operand_t *operand, uint64_t *state, double lo,
                        double hi)
{
    for (size_t i = 0; i < operand->storage; i++) {
        operand_set(operand, i, random_uniform(state, lo, hi));
    }
}

void trial_fill_wild(operand_t *operand, uint64_t *state, int specials)
{
    for (size_t i = 0; i < operand->storage; i++) {
        operand_set(operand, i, random_wild(state, specials));
    }
}

static const kc_handler_t *find_handler(int32_t op)
{
    const kc_module_t *module = module_file_load("reference");
    for (uint32_t i = 0; i < module->handler_count; i++) {
        if (module->handlers[i]->op == op) {
            return module->handlers[i];
        }
    }
    ck_abort_msg("no handler for operation %d", (int)op);
    return NULL;
}

static void *allocate_workspace(const kc_handler_t *handler, kc_call_t *call)
{
    void *workspace;
    size_t size = 0;
    if (handler->forward_workspace != NULL) {
        ck_assert_int_eq(handler->forward_workspace(call, &size), KC_OK);
    }
    if (size == 0) {
        return NULL;
    }
    workspace = aligned_alloc(64, (size + 63) / 64 * 64);
    ck_assert_ptr_nonnull(workspace);
    memset(workspace, 0xff, size); /* NaN, wherever read before written */
    call->workspace = workspace;
    call->workspace_size = size;
    return workspace;
}

kc_status_t trial_run(trial_t *trial, size_t thread_count)
{
    const kc_handler_t *handler = find_handler(trial->op);
    test_host_t host;
    const DLTensor *inputs[TRIAL_INPUTS_MAX] = {NULL};
    DLTensor *output =
        trial->in_place ? &trial->inputs[0]->view : &trial->output->view;
    kc_call_t call = {.struct_size = sizeof call,
                      .op = trial->op,
                      .numerics = trial->numerics,
                      .input_count = trial->input_count,
                      .output_count = 1,
                      .inputs = inputs,
                      .outputs = &output,
                      .attributes = &trial->attributes,
                      .host = test_host_init(&host, thread_count),
                      .error = &trial->error};
    void *workspace;
    kc_status_t status;
    for (uint32_t i = 0; i < trial->input_count; i++) {
        inputs[i] = trial->inputs[i] == NULL ? NULL : &trial->inputs[i]->view;
    }
    trial->error = (kc_error_t)KC_ERROR_INIT;
    workspace = allocate_workspace(handler, &call);
    status = handler->forward(&call);
    free(workspace);
    return status;
}

static void compare(const trial_t *trial, const operand_t *output,
                    const double *expected, size_t thread_count)
{
    for (size_t i = 0; i < output->count; i++) {
        double found = operand_get(output, i);
        if (same_bits(found, expected[i])) {
            continue; /* an assertion an element is slow: Check writes a file */
        }
        ck_abort_msg("operation %d, element %zu: expected %.17g (%a), found "
                     "%.17g (%a); seed %llu, dtype %d, %zu threads",
                     (int)trial->op, i, expected[i], expected[i], found, found,
                     (unsigned long long)trial->seed, (int)output->dtype,
                     thread_count);
    }
    ck_assert_msg(operand_guards_hold(output),
                  "operation %d wrote outside its output; seed %llu",
                  (int)trial->op, (unsigned long long)trial->seed);
}

void trial_expect(trial_t *trial, const double *expected)
{
    const size_t thread_counts[] = {0, 1, 2, 7};
    operand_t *output = trial->in_place ? trial->inputs[0] : trial->output;
    double *before = calloc(output->storage + 1, sizeof *before);
    ck_assert_ptr_nonnull(before);
    for (size_t i = 0; trial->in_place && i < output->storage; i++) {
        before[i] = operand_get(output, i);
    }
    for (size_t i = 0; i < sizeof thread_counts / sizeof *thread_counts; i++) {
        if (trial->in_place) {
            operand_fill(output, before);
        } else {
            operand_spoil(output);
        }
        ck_assert_int_eq(trial_run(trial, thread_counts[i]), KC_OK);
        compare(trial, output, expected, thread_counts[i]);
    }
    free(before);
}
