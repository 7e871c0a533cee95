/* SPDX-License-Identifier: Apache-2.0
 *
 * The handlers that the families of the reference module define, once as a
 * list. A family file defines each of its own with KC_REFERENCE_HANDLER;
 * module.c alone collects them.
 */
#ifndef KC_REFERENCE_HANDLERS_H
#define KC_REFERENCE_HANDLERS_H

#include <kcapsule/handler.h>

#define KC_REFERENCE_FOR_EACH_HANDLER(X)                                       \
    X(matmul)                                                                  \
    X(linear)                                                                  \
    X(mse_loss)                                                                \
    X(relu)                                                                    \
    X(gelu)                                                                    \
    X(add)                                                                     \
    X(sub)                                                                     \
    X(mul)                                                                     \
    X(scale)                                                                   \
    X(abs)                                                                     \
    X(sqrt)                                                                    \
    X(clamp)                                                                   \
    X(max)                                                                     \
    X(min)                                                                     \
    X(sigmoid)                                                                 \
    X(tanh)                                                                    \
    X(softplus)                                                                \
    X(exp)                                                                     \
    X(log)                                                                     \
    X(sin)                                                                     \
    X(cos)                                                                     \
    X(inv)                                                                     \
    X(safe_log)                                                                \
    X(log_softmax)                                                             \
    X(softmax)                                                                 \
    X(hard_masked_softmax)                                                     \
    X(reduce_sum)                                                              \
    X(reduce_mean)                                                             \
    X(reshape)                                                                 \
    X(permute)                                                                 \
    X(broadcast)                                                               \
    X(concat)                                                                  \
    X(slice)                                                                   \
    X(gather)                                                                  \
    X(scatter_add)                                                             \
    X(rand_uniform)                                                            \
    X(bernoulli_mask)                                                          \
    X(layer_norm)                                                              \
    X(batch_norm)                                                              \
    X(conv)                                                                    \
    X(conv_transpose)                                                          \
    X(max_pool)                                                                \
    X(smooth_max_pool)                                                         \
    X(avg_pool)                                                                \
    X(attention)

#define KC_REFERENCE_DECLARE_(name)                                            \
    extern const kc_handler_t kc_reference_##name;
KC_REFERENCE_FOR_EACH_HANDLER(KC_REFERENCE_DECLARE_)

/* KC_REFERENCE_HANDLER(relu, KC_OP_RELU, relu_forward, NULL) */
#define KC_REFERENCE_HANDLER(name, operation, run, workspace)                  \
    const kc_handler_t kc_reference_##name = {                                 \
        .struct_size = sizeof(kc_handler_t),                                   \
        .op = (operation),                                                     \
        .device = KC_DEVICE_CPU,                                               \
        .provider = "reference",                                               \
        .forward = (run),                                                      \
        .forward_workspace = (workspace)}

#endif
