/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds calls of the libtorch module by hand.
 */
#include "unit/modules/libtorch_call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/modules/module_file.h"
#include "unit/modules/test_host.h"

static int has_handlers(void)
{
    module_note_t note = module_file_read_note("libtorch", KC_NOTE_MODULE);
    const kc_module_record_t *record = note.records;
    int found;
    ck_assert_ptr_nonnull(record);
    found = (record->flags & KC_MODULE_CONTRACTS_ONLY) == 0;
    free(note.records);
    return found;
}

int libtorch_open(libtorch_t *libtorch)
{
    test_host_t host;
    kc_error_t error = KC_ERROR_INIT;
    if (!has_handlers()) {
        printf("# skipped: the libtorch module was built without LibTorch\n");
        return 0;
    }
    libtorch->state = NULL;
    libtorch->module = module_file_load("libtorch");
    ck_assert_msg(libtorch->module->open(test_host_init(&host, 1),
                                         &libtorch->state, &error) == KC_OK,
                  "%s", error.message);
    return 1;
}

void libtorch_close(libtorch_t *libtorch)
{
    libtorch->module->close(libtorch->state);
}

static const kc_handler_t *find_handler(const libtorch_t *libtorch, int32_t op)
{
    for (uint32_t i = 0; i < libtorch->module->handler_count; i++) {
        const kc_handler_t *handler = libtorch->module->handlers[i];
        if (handler->op == op && handler->device == KC_DEVICE_CPU) {
            return handler;
        }
    }
    ck_abort_msg("no handler for operation %d", (int)op);
    return NULL;
}

/* What forward and backward have in common; `views` gets the inputs. */
static kc_call_t call_of(const libtorch_t *libtorch, trial_t *trial,
                         const DLTensor **views, DLTensor **output,
                         test_host_t *host)
{
    for (uint32_t i = 0; i < trial->input_count; i++) {
        views[i] = trial->inputs[i] == NULL ? NULL : &trial->inputs[i]->view;
    }
    *output = trial->in_place ? &trial->inputs[0]->view : &trial->output->view;
    trial->error = (kc_error_t)KC_ERROR_INIT;
    return (kc_call_t){.struct_size = sizeof(kc_call_t),
                       .op = trial->op,
                       .numerics = trial->numerics,
                       .input_count = trial->input_count,
                       .output_count = 1,
                       .inputs = views,
                       .outputs = output,
                       .attributes = &trial->attributes,
                       .host = test_host_init(host, 1),
                       .module_state = libtorch->state,
                       .error = &trial->error};
}

/* A result holds NaN before, or what no result looks like: neither may get
 * into it. */
static void spoil(operand_t *operand, int with_nan)
{
    operand_spoil(operand);
    for (size_t i = 0; with_nan && i < operand->count; i++) {
        operand_set(operand, i, NAN);
    }
}

static kc_status_t run_forward(const libtorch_t *libtorch, trial_t *trial,
                               int with_nan)
{
    const DLTensor *views[TRIAL_INPUTS_MAX] = {NULL};
    operand_t *output = trial->in_place ? trial->inputs[0] : trial->output;
    DLTensor *view;
    test_host_t host;
    kc_call_t call = call_of(libtorch, trial, views, &view, &host);
    const kc_handler_t *handler = find_handler(libtorch, trial->op);
    kc_status_t status;
    ck_assert(handler->forward_workspace == NULL);
    if (!trial->in_place) {
        spoil(output, with_nan);
    }
    status = handler->forward(&call);
    ck_assert(operand_guards_hold(output));
    return status;
}

kc_status_t libtorch_forward(const libtorch_t *libtorch, trial_t *trial)
{
    return run_forward(libtorch, trial, 0);
}

static kc_status_t run_vjp(const libtorch_t *libtorch, trial_t *trial,
                           operand_t *cotangent, operand_t *const *gradients,
                           int with_nan)
{
    const DLTensor *views[TRIAL_INPUTS_MAX] = {NULL};
    const DLTensor *cotangents_out = &cotangent->view;
    DLTensor *cotangents_in[TRIAL_INPUTS_MAX] = {NULL};
    DLTensor *view;
    test_host_t host;
    kc_call_t call = call_of(libtorch, trial, views, &view, &host);
    const kc_handler_t *handler = find_handler(libtorch, trial->op);
    kc_status_t status;
    ck_assert(handler->vjp_workspace == NULL);
    for (uint32_t i = 0; i < trial->input_count; i++) {
        if (gradients[i] != NULL) {
            spoil(gradients[i], with_nan);
            cotangents_in[i] = &gradients[i]->view;
        }
    }
    call.cotangents_out = &cotangents_out;
    call.cotangents_in = cotangents_in;
    status = handler->vjp(&call);
    for (uint32_t i = 0; i < trial->input_count; i++) {
        ck_assert(gradients[i] == NULL || operand_guards_hold(gradients[i]));
    }
    return status;
}

kc_status_t libtorch_vjp(const libtorch_t *libtorch, trial_t *trial,
                         operand_t *cotangent, operand_t *const *gradients)
{
    return run_vjp(libtorch, trial, cotangent, gradients, 0);
}

static void compare(const trial_t *trial, const char *what,
                    const operand_t *found, const double *expected)
{
    for (size_t i = 0; i < found->count; i++) {
        double value = operand_get(found, i);
        ck_assert_msg(same_bits(value, expected[i]),
                      "operation %d, %s, element %zu: expected %.17g (%a), "
                      "found %.17g (%a); seed %llu, dtype %d",
                      (int)trial->op, what, i, expected[i], expected[i], value,
                      value, (unsigned long long)trial->seed,
                      (int)found->dtype);
    }
}

void libtorch_expect(const libtorch_t *libtorch, trial_t *trial,
                     const double *expected)
{
    for (int with_nan = 0; with_nan < 2 - trial->in_place; with_nan++) {
        kc_status_t status = run_forward(libtorch, trial, with_nan);
        ck_assert_msg(status == KC_OK, "%s", trial->error.message);
        compare(trial, "value",
                trial->in_place ? trial->inputs[0] : trial->output, expected);
    }
}

void libtorch_expect_vjp(const libtorch_t *libtorch, trial_t *trial,
                         operand_t *cotangent, operand_t *const *gradients,
                         const double *const *expected)
{
    for (int with_nan = 0; with_nan < 2; with_nan++) {
        kc_status_t status =
            run_vjp(libtorch, trial, cotangent, gradients, with_nan);
        ck_assert_msg(status == KC_OK, "%s", trial->error.message);
        for (uint32_t i = 0; i < trial->input_count; i++) {
            if (gradients[i] != NULL) {
                compare(trial, "gradient", gradients[i], expected[i]);
            }
        }
    }
}

operand_t *operand_of(int32_t dtype, int32_t rank, const int64_t *shape,
                      const double *values)
{
    operand_t *operand = operand_create(dtype, rank, shape);
    operand_fill(operand, values);
    return operand;
}
