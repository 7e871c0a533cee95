/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Results that are off, each capsule in one way, in f32 and f64: add and exp
 * by one unit of the last place, mul by a factor of two, abs by a NaN in the
 * first element; sums from the right where nobody says from where (matmul),
 * where the left is promised (reduce_sum) and where an order is, but not which
 * (reduce_mean). sqrt is right. */
#include <math.h>

#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("drifting"));

#define FLOATS (1u << KC_DTYPE_F32 | 1u << KC_DTYPE_F64)
#define LEFT_FOLD                                                              \
    {                                                                          \
        .reduction = KC_REDUCTION_FIXED_LEFT, .order = "left.mul_add/1"        \
    }
#define SOME_FOLD                                                              \
    {                                                                          \
        .reduction = KC_REDUCTION_FIXED_LEFT                                   \
    }
#define ANY_ORDER                                                              \
    {                                                                          \
        .reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED                       \
    }
#define NO_SUM                                                                 \
    {                                                                          \
        .reduction = KC_REDUCTION_NOT_APPLICABLE                               \
    }

/* With the runtime's derivative rule. */
#define DRIFTING(label, operation, inputs, outputs, ...)                       \
    {                                                                          \
        .struct_size = sizeof(kc_capsule_record_t), .op = (operation),         \
        .device = KC_DEVICE_CPU, .trust = KC_TRUST_CHECKED,                    \
        .vjp_mode = KC_VJP_TORCHLEAN_TAPE, .supports_forward = 1,              \
        .saved_inputs = (inputs), .saved_outputs = (outputs),                  \
        .name = "drifting." label, .provider = "acme",                         \
        .shape = KC_SHAPE_GUARD(operation, "dispatch.shape", ""),              \
        .layout = KC_LAYOUT_GUARD(operation, KC_LAYOUT_CANONICAL_TENSOR,       \
                                  "dispatch.layout", ""),                      \
        .value = KC_VALUE_SUITE(operation, "mocks", ""),                       \
        .vjp = KC_VJP_SUITE(operation, KC_VJP_TORCHLEAN_TAPE, "mocks", ""),    \
        .numerics = __VA_ARGS__, .limits = {                                   \
            .dtypes = FLOATS                                                   \
        }                                                                      \
    }

KC_CAPSULES(DRIFTING("add", KC_OP_ADD, 0, 0, NO_SUM),
            DRIFTING("exp", KC_OP_EXP, 0, 1, NO_SUM),
            DRIFTING("mul", KC_OP_MUL, 3, 0, NO_SUM),
            DRIFTING("abs", KC_OP_ABS, 1, 0, ANY_ORDER),
            DRIFTING("sqrt", KC_OP_SQRT, 0, 1, ANY_ORDER),
            DRIFTING("matmul", KC_OP_MATMUL, 3, 0, ANY_ORDER),
            DRIFTING("reduce_sum", KC_OP_REDUCE_SUM, 0, 0, LEFT_FOLD),
            DRIFTING("reduce_mean", KC_OP_REDUCE_MEAN, 0, 0, SOME_FOLD));

static int is_double(const DLTensor *tensor)
{
    return kc_tensor_dtype(tensor) == KC_DTYPE_F64;
}

static double element(const DLTensor *tensor, int64_t index)
{
    const void *data = kc_tensor_data(tensor);
    return is_double(tensor) ? ((const double *)data)[index]
                             : (double)((const float *)data)[index];
}

static double rounded(const DLTensor *tensor, double value)
{
    return is_double(tensor) ? value : (double)(float)value;
}

static void put(DLTensor *tensor, int64_t index, double value)
{
    void *data = kc_tensor_data(tensor);
    if (is_double(tensor)) {
        ((double *)data)[index] = value;
    } else {
        ((float *)data)[index] = (float)value;
    }
}

/* The next number up. */
static double above(const DLTensor *tensor, double value)
{
    return is_double(tensor) ? nextafter(value, INFINITY)
                             : (double)nextafterf((float)value, INFINITY);
}

static double drift(const kc_call_t *call, int32_t op, int64_t index)
{
    const DLTensor *type = call->outputs[0];
    double x = element(call->inputs[0], index);
    switch (op) {
    case KC_OP_ADD:
        return above(type, rounded(type, x + element(call->inputs[1], index)));
    case KC_OP_EXP:
        return above(type, rounded(type, exp(x)));
    case KC_OP_MUL:
        return 2.0 * rounded(type, x * element(call->inputs[1], index));
    case KC_OP_ABS:
        return index == 0 ? (double)NAN : fabs(x);
    default:
        return sqrt(x);
    }
}

static kc_status_t each(const kc_call_t *call, int32_t op)
{
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        put(call->outputs[0], idx, drift(call, op, idx));
    }
    return KC_OK;
}

static kc_status_t add(const kc_call_t *call)
{
    return each(call, KC_OP_ADD);
}

static kc_status_t exponential(const kc_call_t *call)
{
    return each(call, KC_OP_EXP);
}

static kc_status_t mul(const kc_call_t *call)
{
    return each(call, KC_OP_MUL);
}

static kc_status_t absolute(const kc_call_t *call)
{
    return each(call, KC_OP_ABS);
}

static kc_status_t square_root(const kc_call_t *call)
{
    return each(call, KC_OP_SQRT);
}

static kc_status_t matmul(const kc_call_t *call)
{
    const DLTensor *a = call->inputs[0];
    const DLTensor *b = call->inputs[1];
    int64_t m = a->shape[a->ndim - 2];
    int64_t n = a->shape[a->ndim - 1];
    int64_t p = b->shape[b->ndim - 1];
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        int64_t batch = idx / (m * p);
        int64_t row = idx / p;
        double sum = 0.0;
        for (int64_t k = n; k-- > 0;) {
            double product = element(a, row * n + k) *
                             element(b, (batch * n + k) * p + idx % p);
            sum = rounded(a, sum + rounded(a, product));
        }
        put(call->outputs[0], idx, sum);
    }
    return KC_OK;
}

static kc_status_t reduce_sum(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    int64_t axis = call->attributes->u.axis.axis;
    int64_t inner = 1;
    for (int32_t at = (int32_t)axis + 1; at < x->ndim; at++) {
        inner *= x->shape[at];
    }
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        int64_t first = idx / inner * inner * x->shape[axis] + idx % inner;
        double sum = 0.0;
        for (int64_t k = x->shape[axis]; k-- > 0;) {
            sum = rounded(x, sum + element(x, first + k * inner));
        }
        put(call->outputs[0], idx, sum);
    }
    return KC_OK;
}

static kc_status_t reduce_mean(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    int64_t n = x->shape[call->attributes->u.axis.axis];
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    kc_status_t status = reduce_sum(call);
    for (int64_t idx = 0; idx < count; idx++) {
        put(call->outputs[0], idx, element(call->outputs[0], idx) / (double)n);
    }
    return status;
}

static const kc_handler_t for_add = MOCK_HANDLER(KC_OP_ADD, "acme", add);
static const kc_handler_t for_exp =
    MOCK_HANDLER(KC_OP_EXP, "acme", exponential);
static const kc_handler_t for_mul = MOCK_HANDLER(KC_OP_MUL, "acme", mul);
static const kc_handler_t for_abs = MOCK_HANDLER(KC_OP_ABS, "acme", absolute);
static const kc_handler_t for_sqrt =
    MOCK_HANDLER(KC_OP_SQRT, "acme", square_root);
static const kc_handler_t for_matmul =
    MOCK_HANDLER(KC_OP_MATMUL, "acme", matmul);
static const kc_handler_t for_sum =
    MOCK_HANDLER(KC_OP_REDUCE_SUM, "acme", reduce_sum);
static const kc_handler_t for_mean =
    MOCK_HANDLER(KC_OP_REDUCE_MEAN, "acme", reduce_mean);
static const kc_handler_t *const handlers[] = {&for_add, &for_exp,  &for_mul,
                                               &for_abs, &for_sqrt, &for_matmul,
                                               &for_sum, &for_mean};

KC_MODULE_ENTRY(handlers, 8);
