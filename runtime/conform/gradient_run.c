/* SPDX-License-Identifier: Apache-2.0
 *
 * One question to a tape: leaves over the operands, the operation, its
 * backward for the wanted inputs.
 */
#include "conform/gradient.h"

#include <string.h>

static bool is_float(const DLTensor *view)
{
    return view != NULL && view->dtype.code == kDLFloat;
}

/* Inputs that are constants of the formula: the epsilon of safe_log, and
 * stored statistics. */
static bool is_constant(int32_t op, size_t input)
{
    return (op == KC_OP_SAFE_LOG && input == 1) ||
           (op == KC_OP_BATCH_NORM && input >= 3) || op == KC_OP_BERNOULLI_MASK;
}

void kci_gradient_inputs(int32_t op, const DLTensor *const *inputs,
                         size_t input_count, bool *out_differentiable)
{
    for (size_t i = 0; i < input_count; i++) {
        out_differentiable[i] = is_float(inputs[i]) && !is_constant(op, i);
    }
}

/* A leaf that shares the operand's memory. */
static kc_status_t add_leaf(const kci_gradient_subject_t *subject,
                            kc_tape_t *tape, const DLTensor *view,
                            bool is_wanted, kc_variable_t *out,
                            kc_error_t *error)
{
    kc_tensor_t *tensor = NULL;
    kc_status_t status = kc_tensor_wrap(subject->runtime, kc_tensor_dtype(view),
                                        view->ndim, view->shape, view->strides,
                                        kc_tensor_data(view), &tensor, error);
    if (status == KC_OK) {
        status = kc_tape_leaf(tape, tensor, NULL,
                              is_wanted ? KC_LEAF_GRADIENT : 0, out, error);
    }
    kc_tensor_release(tensor);
    return status;
}

static kc_status_t run_backward(kc_tape_t *tape,
                                const kci_gradient_call_t *call,
                                const kc_variable_t *leaves,
                                kc_variable_t output,
                                kc_tensor_t **out_gradients, kc_error_t *error)
{
    kc_variable_t wanted[KCI_CASE_INPUT_MAX];
    kc_tensor_t *gradients[KCI_CASE_INPUT_MAX] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < call->input_count; i++) {
        if (call->wanted[i]) {
            wanted[count++] = leaves[i];
        }
    }
    kc_backward_request_t request = {.struct_size = sizeof request,
                                     .outputs = &output,
                                     .seeds = &call->cotangent,
                                     .output_count = 1,
                                     .wanted = wanted,
                                     .out_gradients = gradients,
                                     .wanted_count = count};
    kc_status_t status = kc_tape_backward(tape, &request, error);
    count = 0;
    for (size_t i = 0; i < call->input_count; i++) {
        out_gradients[i] = call->wanted[i] ? gradients[count++] : NULL;
    }
    return status;
}

kc_status_t kci_gradient_ask(const kci_gradient_subject_t *subject,
                             const kci_gradient_call_t *call,
                             kc_tensor_t **out_gradients, kc_error_t *error)
{
    if (subject->run != NULL) {
        return subject->run(subject->context, call, out_gradients, error);
    }
    return kci_gradient_run(subject, call, out_gradients, error);
}

kc_status_t kci_gradient_run(const kci_gradient_subject_t *subject,
                             const kci_gradient_call_t *call,
                             kc_tensor_t **out_gradients, kc_error_t *error)
{
    kc_tape_t *tape = NULL;
    kc_variable_t leaves[KCI_CASE_INPUT_MAX];
    kc_variable_t output;
    memset(leaves, 0, sizeof leaves);
    kc_status_t status = kc_tape_create(subject->session, &tape, error);
    for (size_t i = 0; status == KC_OK && i < call->input_count; i++) {
        if (call->inputs[i] != NULL) {
            status = add_leaf(subject, tape, call->inputs[i], call->wanted[i],
                              &leaves[i], error);
        }
    }
    if (status == KC_OK) {
        status = kc_tape_apply(tape, call->op, call->attributes, leaves,
                               call->input_count, &output, error);
    }
    if (status == KC_OK) {
        status = run_backward(tape, call, leaves, output, out_gradients, error);
    }
    kc_tape_release(tape);
    return status;
}
