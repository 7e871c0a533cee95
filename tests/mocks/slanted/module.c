/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Results of f32 that are off where it is easily missed: relu by the sign of a
 * zero, scale by the sign of all it gives, log by being its operand, reduce_sum by an order that is
 * stated and another than the reference's, matmul by the name of a capsule of
 * the mock `drifting` that sums in another order, as does reduce_mean, of which
 * neither states any. sub has a derivative rule of its own: without the minus
 * for b, and from the third element on a unit of the last place too much for
 * a. */
#include <math.h>

#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("slanted"));

/* With the runtime's derivative rule. */
#define SLANTED(label, operation, inputs, ...)                                 \
    {                                                                          \
        .struct_size = sizeof(kc_capsule_record_t), .op = (operation),         \
        .device = KC_DEVICE_CPU, .trust = KC_TRUST_CHECKED,                    \
        .vjp_mode = KC_VJP_TORCHLEAN_TAPE, .supports_forward = 1,              \
        .saved_inputs = (inputs), .name = label, .provider = "acme",           \
        .shape = KC_SHAPE_GUARD(operation, "dispatch.shape", ""),              \
        .layout = KC_LAYOUT_GUARD(operation, KC_LAYOUT_CANONICAL_TENSOR,       \
                                  "dispatch.layout", ""),                      \
        .value = KC_VALUE_SUITE(operation, "mocks", ""),                       \
        .vjp = KC_VJP_SUITE(operation, KC_VJP_TORCHLEAN_TAPE, "mocks", ""),    \
        .numerics = {                                                          \
            __VA_ARGS__                                                        \
        }                                                                      \
    }

KC_CAPSULES(SLANTED("slanted.relu", KC_OP_RELU, 1,
                    .reduction = KC_REDUCTION_NOT_APPLICABLE),
            SLANTED("slanted.scale", KC_OP_SCALE, 0,
                    .reduction = KC_REDUCTION_NOT_APPLICABLE),
            SLANTED("slanted.log", KC_OP_LOG, 1,
                    .reduction = KC_REDUCTION_NOT_APPLICABLE),
            SLANTED("slanted.reduce_sum", KC_OP_REDUCE_SUM, 0,
                    .reduction = KC_REDUCTION_FIXED_LEFT,
                    .order = "from the right/1"),
            SLANTED("slanted.reduce_mean", KC_OP_REDUCE_MEAN, 0,
                    .reduction = KC_REDUCTION_FIXED_LEFT),
            SLANTED("drifting.matmul", KC_OP_MATMUL, 3,
                    .reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED),
            MOCK_BACKWARD(0, 0, "slanted.sub", KC_OP_SUB, "acme"));

static kc_status_t relu(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    float *y = kc_tensor_data(call->outputs[0]);
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        y[idx] = x[idx] > 0.0f ? x[idx] : -0.0f;
    }
    return KC_OK;
}

static kc_status_t scale(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    float *y = kc_tensor_data(call->outputs[0]);
    float factor = (float)call->attributes->u.scale.factor;
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        y[idx] = -(x[idx] * factor);
    }
    return KC_OK;
}

static kc_status_t logarithm(const kc_call_t *call)
{
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    memcpy(kc_tensor_data(call->outputs[0]), kc_tensor_data(call->inputs[0]),
           (size_t)count * sizeof(float));
    return KC_OK;
}

/* Of the last axis. */
static kc_status_t reduce_sum(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    float *y = kc_tensor_data(call->outputs[0]);
    int64_t n = call->inputs[0]->shape[call->inputs[0]->ndim - 1];
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        y[idx] = 0.0f;
        for (int64_t k = n; k-- > 0;) {
            y[idx] += x[idx * n + k];
        }
    }
    return KC_OK;
}

static kc_status_t reduce_mean(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    float *y = kc_tensor_data(call->outputs[0]);
    int64_t n = call->inputs[0]->shape[call->inputs[0]->ndim - 1];
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        float sum = 0.0f;
        for (int64_t k = 0; k < n; k++) {
            sum += x[idx * n + k];
        }
        y[idx] = sum / (float)n;
    }
    return KC_OK;
}

/* Of two matrices. */
static kc_status_t matmul(const kc_call_t *call)
{
    const float *a = kc_tensor_data(call->inputs[0]);
    const float *b = kc_tensor_data(call->inputs[1]);
    float *c = kc_tensor_data(call->outputs[0]);
    int64_t n = call->inputs[1]->shape[0];
    int64_t p = call->inputs[1]->shape[1];
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        float sum = 0.0f;
        for (int64_t k = 0; k < n; k++) {
            sum += a[idx / p * n + k] * b[k * p + idx % p];
        }
        c[idx] = sum;
    }
    return KC_OK;
}

static kc_status_t sub(const kc_call_t *call)
{
    const float *a = kc_tensor_data(call->inputs[0]);
    const float *b = kc_tensor_data(call->inputs[1]);
    float *y = kc_tensor_data(call->outputs[0]);
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        y[idx] = a[idx] - b[idx];
    }
    return KC_OK;
}

static kc_status_t sub_backward(const kc_call_t *call)
{
    const float *g = kc_tensor_data(call->cotangents_out[0]);
    int64_t count = kc_tensor_element_count(call->cotangents_out[0]);
    for (int place = 0; place < 2; place++) {
        float *to = call->cotangents_in[place] == NULL
                        ? NULL
                        : kc_tensor_data(call->cotangents_in[place]);
        for (int64_t idx = 0; to != NULL && idx < count; idx++) {
            int is_off = place == 0 && idx > 1;
            to[idx] = is_off ? nextafterf(g[idx], INFINITY) : g[idx];
        }
    }
    return KC_OK;
}

static const kc_handler_t for_relu = MOCK_HANDLER(KC_OP_RELU, "acme", relu);
static const kc_handler_t for_scale = MOCK_HANDLER(KC_OP_SCALE, "acme", scale);
static const kc_handler_t for_log = MOCK_HANDLER(KC_OP_LOG, "acme", logarithm);
static const kc_handler_t for_sum =
    MOCK_HANDLER(KC_OP_REDUCE_SUM, "acme", reduce_sum);
static const kc_handler_t for_mean =
    MOCK_HANDLER(KC_OP_REDUCE_MEAN, "acme", reduce_mean);
static const kc_handler_t for_matmul =
    MOCK_HANDLER(KC_OP_MATMUL, "acme", matmul);
static const kc_handler_t for_sub =
    MOCK_PAIR(KC_OP_SUB, "acme", sub, sub_backward, );
static const kc_handler_t *const handlers[] = {
    &for_relu, &for_scale,  &for_log, &for_sum,
    &for_mean, &for_matmul, &for_sub};

KC_MODULE_ENTRY(handlers, 7);
