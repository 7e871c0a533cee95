/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Nothing is wrong with it: relu, mul and matmul with derivative rules of
 * their own, which save an output, both inputs, and both inputs with a
 * workspace. Each writes a line to the mark when it runs. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("own_backward"));
KC_CAPSULES(MOCK_BACKWARD(0, 1, "own_backward.relu", KC_OP_RELU, "acme"),
            MOCK_BACKWARD(3, 0, "own_backward.mul", KC_OP_MUL, "acme"),
            MOCK_BACKWARD(3, 0, "own_backward.matmul", KC_OP_MATMUL, "acme"));

/* Does not look at the input: what the contract does not save is not there. */
static kc_status_t relu_backward(const kc_call_t *call)
{
    const float *y = kc_tensor_data(call->outputs[0]);
    const float *g = kc_tensor_data(call->cotangents_out[0]);
    float *to = kc_tensor_data(call->cotangents_in[0]);
    int64_t count = kc_tensor_element_count(call->cotangents_in[0]);
    mock_mark("relu backward\n");
    for (int64_t idx = 0; idx < count; idx++) {
        to[idx] = y[idx] > 0.0f ? g[idx] : 0.0f;
    }
    return KC_OK;
}

static void multiply(const DLTensor *a, const DLTensor *b, DLTensor *out)
{
    const float *left = kc_tensor_data(a);
    const float *right = kc_tensor_data(b);
    float *to = kc_tensor_data(out);
    int64_t count = kc_tensor_element_count(out);
    for (int64_t idx = 0; idx < count; idx++) {
        to[idx] = left[idx] * right[idx];
    }
}

static kc_status_t mul(const kc_call_t *call)
{
    multiply(call->inputs[0], call->inputs[1], call->outputs[0]);
    return KC_OK;
}

static kc_status_t mul_backward(const kc_call_t *call)
{
    const DLTensor *g = call->cotangents_out[0];
    mock_mark("mul backward\n");
    for (int i = 0; i < 2; i++) {
        if (call->cotangents_in[i] != NULL) {
            multiply(g, call->inputs[1 - i], call->cotangents_in[i]);
        }
    }
    return KC_OK;
}

/* A matrix in memory: element (i, k) is at i * row + k * column. */
typedef struct matrix {
    const float *from;
    int64_t row;
    int64_t column;
} matrix_t;

/* c[i, j] = fold0(k; a[i, k] * b[k, j]) */
static void product(matrix_t a, matrix_t b, int64_t m, int64_t n, int64_t p,
                    float *c)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < p; j++) {
            float sum = 0.0f;
            for (int64_t k = 0; k < n; k++) {
                sum += a.from[i * a.row + k * a.column] *
                       b.from[k * b.row + j * b.column];
            }
            c[i * p + j] = sum;
        }
    }
}

/* a [batch..., m, n], b [batch..., n, p] */
typedef struct extents {
    int64_t batch;
    int64_t m;
    int64_t n;
    int64_t p;
} extents_t;

static extents_t extents_of(const kc_call_t *call)
{
    const DLTensor *a = call->inputs[0];
    const DLTensor *b = call->inputs[1];
    extents_t extents = {.batch = 1,
                         .m = a->shape[a->ndim - 2],
                         .n = a->shape[a->ndim - 1],
                         .p = b->shape[b->ndim - 1]};
    for (int32_t axis = 0; axis < a->ndim - 2; axis++) {
        extents.batch *= a->shape[axis];
    }
    return extents;
}

static kc_status_t matmul(const kc_call_t *call)
{
    const extents_t e = extents_of(call);
    const float *a = kc_tensor_data(call->inputs[0]);
    const float *b = kc_tensor_data(call->inputs[1]);
    float *c = kc_tensor_data(call->outputs[0]);
    for (int64_t at = 0; at < e.batch; at++) {
        product((matrix_t){a + at * e.m * e.n, e.n, 1},
                (matrix_t){b + at * e.n * e.p, e.p, 1}, e.m, e.n, e.p,
                c + at * e.m * e.p);
    }
    return KC_OK;
}

/* Room for b the other way round. */
static kc_status_t matmul_workspace(const kc_call_t *call, size_t *out_size)
{
    const extents_t e = extents_of(call);
    *out_size = (size_t)(e.n * e.p) * sizeof(float);
    return KC_OK;
}

/* da = g bT, through a copy of b the other way round. */
static void backward_a(const kc_call_t *call, const extents_t *e, int64_t at)
{
    const float *b =
        (float *)kc_tensor_data(call->inputs[1]) + at * e->n * e->p;
    const float *g = kc_tensor_data(call->cotangents_out[0]);
    float *da = kc_tensor_data(call->cotangents_in[0]);
    float *turned = call->workspace;
    for (int64_t k = 0; k < e->n; k++) {
        for (int64_t j = 0; j < e->p; j++) {
            turned[j * e->n + k] = b[k * e->p + j];
        }
    }
    product((matrix_t){g + at * e->m * e->p, e->p, 1},
            (matrix_t){turned, e->n, 1}, e->m, e->p, e->n,
            da + at * e->m * e->n);
}

/* db = aT g */
static void backward_b(const kc_call_t *call, const extents_t *e, int64_t at)
{
    const float *a = kc_tensor_data(call->inputs[0]);
    const float *g = kc_tensor_data(call->cotangents_out[0]);
    float *db = kc_tensor_data(call->cotangents_in[1]);
    product((matrix_t){a + at * e->m * e->n, 1, e->n},
            (matrix_t){g + at * e->m * e->p, e->p, 1}, e->n, e->m, e->p,
            db + at * e->n * e->p);
}

static kc_status_t matmul_backward(const kc_call_t *call)
{
    const extents_t e = extents_of(call);
    mock_mark("matmul backward\n");
    if (call->workspace_size != (size_t)(e.n * e.p) * sizeof(float)) {
        return kc_call_fail(call, KC_ERR_KERNEL,
                            "expected the workspace that was asked for");
    }
    for (int64_t at = 0; at < e.batch; at++) {
        if (call->cotangents_in[0] != NULL) {
            backward_a(call, &e, at);
        }
        if (call->cotangents_in[1] != NULL) {
            backward_b(call, &e, at);
        }
    }
    return KC_OK;
}

static const kc_handler_t relu_pair =
    MOCK_PAIR(KC_OP_RELU, "acme", mock_relu, relu_backward, .spare = 0);
static const kc_handler_t mul_pair =
    MOCK_PAIR(KC_OP_MUL, "acme", mul, mul_backward, .spare = 0);
static const kc_handler_t matmul_pair =
    MOCK_PAIR(KC_OP_MATMUL, "acme", matmul, matmul_backward,
              .vjp_workspace = matmul_workspace);
static const kc_handler_t *const handlers[] = {&relu_pair, &mul_pair,
                                               &matmul_pair};

KC_MODULE_ENTRY(handlers, 3);
