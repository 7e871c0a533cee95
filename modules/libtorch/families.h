/* SPDX-License-Identifier: Apache-2.0
 *
 * The one list of what the module executes on the cpu, a list a family, for
 * contracts.c (who has a handler) and handlers.cpp (which functions). A family
 * whose list is in KC_LIBTORCH_FOR_EACH_HANDLER has its file.
 *
 * X(name, operation): name_forward and name_vjp. R has no derivative.
 */
#ifndef KC_LIBTORCH_FAMILIES_H
#define KC_LIBTORCH_FAMILIES_H

#include <kcapsule/vocabulary.h>

#define KC_LIBTORCH_UNARY(X)                                                   \
    X(scale, KC_OP_SCALE)                                                      \
    X(abs, KC_OP_ABS)                                                          \
    X(sqrt, KC_OP_SQRT)                                                        \
    X(clamp, KC_OP_CLAMP)                                                      \
    X(relu, KC_OP_RELU)                                                        \
    X(gelu, KC_OP_GELU)                                                        \
    X(sigmoid, KC_OP_SIGMOID)                                                  \
    X(tanh, KC_OP_TANH)                                                        \
    X(softplus, KC_OP_SOFTPLUS)                                                \
    X(exp, KC_OP_EXP)                                                          \
    X(log, KC_OP_LOG)                                                          \
    X(sin, KC_OP_SIN)                                                          \
    X(cos, KC_OP_COS)                                                          \
    X(inv, KC_OP_INV)                                                          \
    X(safe_log, KC_OP_SAFE_LOG)
#define KC_LIBTORCH_BINARY(X)                                                  \
    X(add, KC_OP_ADD)                                                          \
    X(sub, KC_OP_SUB)                                                          \
    X(mul, KC_OP_MUL)                                                          \
    X(max, KC_OP_MAX)                                                          \
    X(min, KC_OP_MIN)
#define KC_LIBTORCH_LAYOUT(X)                                                  \
    X(reshape, KC_OP_RESHAPE)                                                  \
    X(permute, KC_OP_PERMUTE)                                                  \
    X(broadcast, KC_OP_BROADCAST)                                              \
    X(concat, KC_OP_CONCAT)                                                    \
    X(slice, KC_OP_SLICE)
#define KC_LIBTORCH_RANDOM(R)                                                  \
    R(rand_uniform, KC_OP_RAND_UNIFORM)                                        \
    R(bernoulli_mask, KC_OP_BERNOULLI_MASK)
#define KC_LIBTORCH_SCAN(X) X(selective_scan, KC_OP_SELECTIVE_SCAN)
#define KC_LIBTORCH_SOFTMAX(X)                                                 \
    X(softmax, KC_OP_SOFTMAX)                                                  \
    X(log_softmax, KC_OP_LOG_SOFTMAX)                                          \
    X(hard_masked_softmax, KC_OP_HARD_MASKED_SOFTMAX)
#define KC_LIBTORCH_REDUCE(X)                                                  \
    X(reduce_sum, KC_OP_REDUCE_SUM)                                            \
    X(reduce_mean, KC_OP_REDUCE_MEAN)
#define KC_LIBTORCH_INDEX(X)                                                   \
    X(gather, KC_OP_GATHER)                                                    \
    X(scatter_add, KC_OP_SCATTER_ADD)
#define KC_LIBTORCH_MATMUL(X)                                                  \
    X(matmul, KC_OP_MATMUL)                                                    \
    X(linear, KC_OP_LINEAR)
#define KC_LIBTORCH_LOSS(X) X(mse_loss, KC_OP_MSE_LOSS)
#define KC_LIBTORCH_NORM(X)                                                    \
    X(layer_norm, KC_OP_LAYER_NORM)                                            \
    X(batch_norm, KC_OP_BATCH_NORM)
#define KC_LIBTORCH_CONV(X)                                                    \
    X(conv, KC_OP_CONV)                                                        \
    X(conv_transpose, KC_OP_CONV_TRANSPOSE)
#define KC_LIBTORCH_POOL(X)                                                    \
    X(max_pool, KC_OP_MAX_POOL)                                                \
    X(smooth_max_pool, KC_OP_SMOOTH_MAX_POOL)                                  \
    X(avg_pool, KC_OP_AVG_POOL)
#define KC_LIBTORCH_FFT(X) X(fft_fno, KC_OP_FFT_FNO)
/* Attention's derivative is the tape's. */
#define KC_LIBTORCH_ATTENTION(R)                                               \
    R(attention, KC_OP_SCALED_DOT_PRODUCT_ATTENTION)

/* One line a family that is written: its 1 says that its capsules have
 * handlers, and handlers.cpp lists them. */
#define KC_LIBTORCH_HAS_UNARY     1
#define KC_LIBTORCH_HAS_BINARY    1
#define KC_LIBTORCH_HAS_LAYOUT    1
#define KC_LIBTORCH_HAS_RANDOM    1
#define KC_LIBTORCH_HAS_SCAN      1
#define KC_LIBTORCH_HAS_SOFTMAX   1
#define KC_LIBTORCH_HAS_REDUCE    1
#define KC_LIBTORCH_HAS_INDEX     1
#define KC_LIBTORCH_HAS_MATMUL    1
#define KC_LIBTORCH_HAS_LOSS      1
#define KC_LIBTORCH_HAS_NORM      1
#define KC_LIBTORCH_HAS_CONV      1
#define KC_LIBTORCH_HAS_POOL      1
#define KC_LIBTORCH_HAS_FFT       1
#define KC_LIBTORCH_HAS_ATTENTION 1

#endif
