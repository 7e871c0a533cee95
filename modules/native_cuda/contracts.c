/* SPDX-License-Identifier: Apache-2.0
 *
 * The contracts of the native_cuda module, in catalogue order: which label of
 * reduction each capsule carries and which forward operands its backward
 * needs. Everything optional is unstated until there is a kernel to state it.
 */
#include <kcapsule/module.h>

#define NUMERICS_sums {.reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED}
#define NUMERICS_none {.reduction = KC_REDUCTION_NOT_APPLICABLE}

#define COMMON(operation, label, numerics_kind)                                \
    .struct_size = sizeof(kc_capsule_record_t), .op = (operation),             \
    .device = KC_DEVICE_CUDA, .trust = KC_TRUST_CHECKED,                       \
    .supports_forward = 1, .flags = KC_CAPSULE_NO_HANDLER,                     \
    .name = "native_cuda." label,                                              \
    .provider = "native_cuda",                                                 \
    .shape = KC_SHAPE_GUARD(operation, "dispatch.shape",                       \
                            "operands of " label " obey its shape rule"),      \
    .layout = KC_LAYOUT_GUARD(operation, KC_LAYOUT_FLAT_ROW_MAJOR,             \
                              "dispatch.layout",                               \
                              "operands are dense row-major device buffers"),  \
    .value = KC_VALUE_SUITE(operation, "modules.native_cuda.values",           \
                            label " agrees with its meaning"),                 \
    .numerics = NUMERICS_##numerics_kind,                                      \
    .limits = {.dtypes = 1u << KC_DTYPE_F32}

#define DIFFERENTIABLE(operation, label, inputs, outputs, numerics)            \
    {COMMON(operation, label, numerics),                                       \
     .vjp_mode = KC_VJP_BACKEND,                                               \
     .saved_inputs = (inputs),                                                 \
     .saved_outputs = (outputs),                                               \
     .vjp = KC_VJP_SUITE(operation, KC_VJP_BACKEND,                            \
                         "modules.native_cuda.gradients",                      \
                         "backward of " label " by a kernel of its own")},
#define RANDOM(operation, label)                                               \
    {COMMON(operation, label, none),                                           \
     .vjp_mode = KC_VJP_NONE,                                                  \
     .vjp = KC_NO_VJP(operation, label " is a leaf of the tape")},

/* X(operation, label, saved inputs, saved outputs, numerics), R for a random
 * source. A 0 in both sets: the rule needs shapes and attributes only. */
#define FOR_EACH_CAPSULE(X, R)                                                 \
    X(KC_OP_MATMUL, "matmul", 3, 0, sums)                                      \
    X(KC_OP_LINEAR, "linear", 3, 0, sums)                                      \
    X(KC_OP_MSE_LOSS, "mse_loss", 3, 0, sums)                                  \
    X(KC_OP_RELU, "relu", 1, 0, none)                                          \
    X(KC_OP_GELU, "gelu", 1, 0, none)                                          \
    X(KC_OP_ADD, "add", 0, 0, none)                                            \
    X(KC_OP_SUB, "sub", 0, 0, none)                                            \
    X(KC_OP_MUL, "mul", 3, 0, none)                                            \
    X(KC_OP_SCALE, "scale", 0, 0, none)                                        \
    X(KC_OP_ABS, "abs", 1, 0, none)                                            \
    X(KC_OP_SQRT, "sqrt", 0, 1, none)                                          \
    X(KC_OP_CLAMP, "clamp", 1, 0, none)                                        \
    X(KC_OP_MAX, "max", 3, 0, none)                                            \
    X(KC_OP_MIN, "min", 3, 0, none)                                            \
    X(KC_OP_SIGMOID, "sigmoid", 0, 1, none)                                    \
    X(KC_OP_TANH, "tanh", 0, 1, none)                                          \
    X(KC_OP_SOFTPLUS, "softplus", 1, 0, none)                                  \
    X(KC_OP_EXP, "exp", 0, 1, none)                                            \
    X(KC_OP_SIN, "sin", 1, 0, none)                                            \
    X(KC_OP_COS, "cos", 1, 0, none)                                            \
    X(KC_OP_LOG, "log", 1, 0, none)                                            \
    X(KC_OP_INV, "inv", 0, 1, none)                                            \
    X(KC_OP_SAFE_LOG, "safe_log", 3, 0, none)                                  \
    X(KC_OP_LOG_SOFTMAX, "log_softmax", 0, 1, sums)                            \
    X(KC_OP_SOFTMAX, "softmax", 0, 1, sums)                                    \
    X(KC_OP_HARD_MASKED_SOFTMAX, "hard_masked_softmax", 2, 1, sums)            \
    X(KC_OP_REDUCE_SUM, "reduce_sum", 0, 0, sums)                              \
    X(KC_OP_REDUCE_MEAN, "reduce_mean", 0, 0, sums)                            \
    X(KC_OP_RESHAPE, "reshape", 0, 0, none)                                    \
    X(KC_OP_PERMUTE, "permute", 0, 0, none)                                    \
    X(KC_OP_BROADCAST, "broadcast", 0, 0, none)                                \
    X(KC_OP_CONCAT, "concat", 0, 0, none)                                      \
    X(KC_OP_SLICE, "slice", 0, 0, none)                                        \
    X(KC_OP_GATHER, "gather", 2, 0, none)                                      \
    X(KC_OP_SCATTER_ADD, "scatter_add", 2, 0, sums)                            \
    R(KC_OP_RAND_UNIFORM, "rand_uniform")                                      \
    R(KC_OP_BERNOULLI_MASK, "bernoulli_mask")                                  \
    X(KC_OP_LAYER_NORM, "layer_norm", 3, 0, sums)                              \
    X(KC_OP_BATCH_NORM, "batch_norm", 27, 0, sums)                             \
    X(KC_OP_CONV, "conv", 3, 0, sums)                                          \
    X(KC_OP_CONV_TRANSPOSE, "conv_transpose", 3, 0, sums)                      \
    X(KC_OP_MAX_POOL, "max_pool", 1, 0, sums)                                  \
    X(KC_OP_SMOOTH_MAX_POOL, "smooth_max_pool", 1, 0, sums)                    \
    X(KC_OP_AVG_POOL, "avg_pool", 0, 0, sums)                                  \
    X(KC_OP_FFT_FNO, "fft_fno", 7, 0, sums)                                    \
    X(KC_OP_SELECTIVE_SCAN, "selective_scan", 15, 1, sums)

KC_CAPSULES(FOR_EACH_CAPSULE(DIFFERENTIABLE, RANDOM));
