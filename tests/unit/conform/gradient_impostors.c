/* SPDX-License-Identifier: Apache-2.0
 *
 * The faults.
 */
#include "unit/conform/gradient_impostors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/expect.h"

/* Gradients are dense. */
static double get(const DLTensor *tensor, int64_t place)
{
    const void *data = kc_tensor_data(tensor);
    return kc_tensor_dtype(tensor) == KC_DTYPE_F64
               ? ((const double *)data)[place]
               : (double)((const float *)data)[place];
}

static void put(DLTensor *tensor, int64_t place, double value)
{
    void *data = kc_tensor_data(tensor);
    if (kc_tensor_dtype(tensor) == KC_DTYPE_F64) {
        ((double *)data)[place] = value;
    } else {
        ((float *)data)[place] = (float)value;
    }
}

static double next_above(const DLTensor *tensor, double value)
{
    return kc_tensor_dtype(tensor) == KC_DTYPE_F64
               ? nextafter(value, INFINITY)
               : (double)nextafterf((float)value, INFINITY);
}

static double spoiled(gradient_fault_t fault, const DLTensor *gradient,
                      double value)
{
    switch (fault) {
    case GRADIENT_NEGATED:
        return -value;
    case GRADIENT_DOUBLED:
        return 2 * value;
    case GRADIENT_ZEROS:
        return 0;
    case GRADIENT_NEGATIVE_ZEROS:
        return value == 0 ? -0.0 : value;
    case GRADIENT_NEXT_NUMBERS:
    case GRADIENT_ALONE_DIFFERS:
    case GRADIENT_LATER_DIFFERS:
        return next_above(gradient, value);
    default:
        return value;
    }
}

static void put_one_off(DLTensor *gradient, int64_t count)
{
    double part = kc_tensor_dtype(gradient) == KC_DTYPE_F64 ? 1e-6 : 1e-3;
    int64_t largest = 0;
    for (int64_t i = 1; i < count; i++) {
        if (fabs(get(gradient, i)) > fabs(get(gradient, largest))) {
            largest = i;
        }
    }
    put(gradient, largest, get(gradient, largest) * (1 + part));
}

static void transpose(DLTensor *gradient, int64_t count)
{
    if (gradient->ndim < 2) {
        return;
    }
    int64_t rows = gradient->shape[gradient->ndim - 2];
    int64_t columns = gradient->shape[gradient->ndim - 1];
    double *kept = calloc((size_t)count, sizeof *kept);
    ck_assert_ptr_nonnull(kept);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = i % (rows * columns);
        int64_t to = i - at + at % columns * rows + at / columns;
        kept[to] = get(gradient, i);
    }
    for (int64_t i = 0; i < count; i++) {
        put(gradient, i, kept[i]);
    }
    free(kept);
}

/* Blocked or not, an operand is read and multiplied by zero. */
static void add_nothing_of(DLTensor *gradient, const DLTensor *input,
                           int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        put(gradient, i, get(gradient, i) + 0 * get(input, i));
    }
}

/* Dense operands, as the kinks have them. */
static void give_ties(const kci_gradient_call_t *call, size_t input,
                      DLTensor *gradient, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (get(call->inputs[0], i) == get(call->inputs[1], i)) {
            put(gradient, i, input == 0 ? get(call->cotangent, i) : 0);
        }
    }
}

static void spoil(const gradient_impostor_t *impostor,
                  const kci_gradient_call_t *call, size_t input,
                  DLTensor *gradient)
{
    int64_t count = kc_tensor_element_count(gradient);
    if (count == 0) {
        return;
    }
    switch (impostor->fault) {
    case GRADIENT_NAN:
        put(gradient, 0, NAN);
        break;
    case GRADIENT_ONE_OFF:
        put_one_off(gradient, count);
        break;
    case GRADIENT_TRANSPOSED:
        transpose(gradient, count);
        break;
    case GRADIENT_NOT_SUMMED:
        for (int64_t i = 0; i < count; i++) {
            put(gradient, i, get(call->cotangent, i));
        }
        break;
    case GRADIENT_TIE_TO_FIRST:
        give_ties(call, input, gradient, count);
        break;
    case GRADIENT_READS_BLOCKED:
        add_nothing_of(gradient, call->inputs[input], count);
        break;
    default:
        for (int64_t i = 0; i < count; i++) {
            put(gradient, i,
                spoiled(impostor->fault, gradient, get(gradient, i)));
        }
        break;
    }
}

/* Some faults show now and then only. */
static bool is_at_fault(const gradient_impostor_t *impostor,
                        const kci_gradient_call_t *call)
{
    size_t wanted = 0;
    for (size_t i = 0; i < call->input_count; i++) {
        wanted += call->wanted[i];
    }
    if (impostor->fault == GRADIENT_ALONE_DIFFERS) {
        return wanted == 1;
    }
    return impostor->fault != GRADIENT_LATER_DIFFERS ||
           impostor->call_count > 1;
}

/* The same call as if nothing were blocked. */
static kc_status_t run_unmasked(const gradient_impostor_t *impostor,
                                const kci_gradient_call_t *call,
                                kc_tensor_t **out, kc_error_t *error)
{
    kci_gradient_call_t open = *call;
    kc_attributes_t attributes = *call->attributes;
    const DLTensor *inputs[KCI_CASE_INPUT_MAX];
    memcpy(inputs, call->inputs, call->input_count * sizeof *inputs);
    size_t place = call->input_count - 1;
    int64_t count = kc_tensor_element_count(inputs[place]);
    DLTensor mask = *inputs[place];
    mask.byte_offset = 0;
    mask.strides = NULL;
    mask.data = malloc((size_t)count + 1);
    ck_assert_ptr_nonnull(mask.data);
    memset(mask.data, 1, (size_t)count);
    inputs[place] = &mask;
    open.inputs = inputs;
    open.attributes = &attributes;
    if (call->op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION) {
        attributes.u.attention.causal = 0;
    }
    kc_status_t status = kci_gradient_run(&impostor->honest, &open, out, error);
    free(mask.data);
    return status;
}

kc_status_t gradient_impostor_run(void *context,
                                  const kci_gradient_call_t *call,
                                  kc_tensor_t **out_gradients,
                                  kc_error_t *error)
{
    gradient_impostor_t *impostor = context;
    impostor->call_count++;
    if (impostor->fault == GRADIENT_FAILS) {
        strcpy(error->message, "no luck");
        return KC_ERR_KERNEL;
    }
    if (impostor->fault == GRADIENT_MASK_IGNORED) {
        return run_unmasked(impostor, call, out_gradients, error);
    }
    kc_status_t status =
        kci_gradient_run(&impostor->honest, call, out_gradients, error);
    if (impostor->fault == GRADIENT_WRITES_INPUT &&
        kc_tensor_element_count(call->inputs[0]) > 0) {
        ((unsigned char *)kc_tensor_data(call->inputs[0]))[0]++;
    }
    for (size_t i = 0; status == KC_OK && i < call->input_count; i++) {
        if (call->wanted[i] && is_at_fault(impostor, call)) {
            spoil(impostor, call, i, kc_tensor_view(out_gradients[i]));
        }
    }
    return status;
}

kci_gradient_subject_t gradient_impostor_subject(gradient_impostor_t *impostor)
{
    kci_gradient_subject_t subject = impostor->honest;
    subject.run = gradient_impostor_run;
    subject.context = impostor;
    return subject;
}
