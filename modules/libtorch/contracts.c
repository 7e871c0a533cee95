/* SPDX-License-Identifier: Apache-2.0
 *
 * The contracts of LibTorch: what stands behind its values is trust in a
 * foreign library, and the contracts say so. Attention's derivative is the
 * runtime's, all others' are ATen's or, where ATen's convention is another, a
 * loop of this module.
 */
#include <kcapsule/module.h>

#include "families.h"

#define OP   KC_OP_SCALED_DOT_PRODUCT_ATTENTION
#define NAME "libtorch.sdpa_forward"

#define HANDLER_FLAG(family)                                                   \
    (KC_HAVE_LIBTORCH && KC_LIBTORCH_HAS_##family ? 0u : KC_CAPSULE_NO_HANDLER)

#define SDPA_FORWARD                                                           \
    .struct_size = sizeof(kc_capsule_record_t), .op = OP,                      \
    .trust = KC_TRUST_TRUSTED_EXTERNAL, .vjp_mode = KC_VJP_TORCHLEAN_TAPE,     \
    .supports_forward = 1,                                                     \
    .saved_inputs = 15, /* query, key, value, mask; never the weights */       \
        .name = NAME, .provider = "libtorch",                                  \
    .shape = KC_SHAPE_GUARD(OP, "dispatch.shape",                              \
                            "query, key, value and mask obey the shape rule"), \
    .vjp = KC_VJP_GUARD(OP, KC_VJP_TORCHLEAN_TAPE, "planner.vjp_mode",         \
                        "the rule is the tape's; the planner asks for it")

#define SDPA_FORWARD_CUDA                                                      \
    {                                                                          \
        SDPA_FORWARD,                                                          \
            .device = KC_DEVICE_CUDA, .flags = KC_CAPSULE_NO_HANDLER,          \
            .layout = KC_LAYOUT_GUARD(                                         \
                OP, KC_LAYOUT_LIBTORCH_CUDA_VIEW, "dispatch.layout",           \
                "operands are contiguous CUDA tensor views"),                  \
            .value =                                                           \
                KC_VALUE_BOUNDARY(OP, "LibTorch/CUDA SDPA implementation",     \
                                  "the values are what LibTorch computes"),    \
            .numerics = {.reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED},    \
            .limits = {                                                        \
                .dtypes = 1u << KC_DTYPE_F32,                                  \
                .mask_polarity = KC_MASK_TRUE_MAY_ATTEND                       \
            }                                                                  \
    }

#define SDPA_FORWARD_CPU                                                       \
    {                                                                          \
        SDPA_FORWARD,                                                          \
            .device = KC_DEVICE_CPU, .flags = HANDLER_FLAG(ATTENTION),         \
            .layout = KC_LAYOUT_GUARD(                                         \
                OP, KC_LAYOUT_CANONICAL_TENSOR, "dispatch.layout",             \
                "operands are row-major tensors as declared"),                 \
            .value =                                                           \
                KC_VALUE_BOUNDARY(OP, "LibTorch/CPU SDPA composition",         \
                                  "the values are what LibTorch computes"),    \
            .numerics = NUMERICS_sums, .limits = LIMITS_attention              \
    }

/* ATen and its BLAS run with one thread here, so the host's count is nothing
 * to them. Bits may depend on the rest of a batch. */
#define SAME_EACH_RUN (1u << KC_INVARIANT_RUN | 1u << KC_INVARIANT_THREADS)
#define SAME_ELEMENT                                                           \
    (SAME_EACH_RUN | 1u << KC_INVARIANT_BATCH | 1u << KC_INVARIANT_STRIDES)
#define SAME_ALWAYS                                                            \
    (SAME_ELEMENT | 1u << KC_INVARIANT_INSTRUCTION_SET |                       \
     1u << KC_INVARIANT_ARCHITECTURE | 1u << KC_INVARIANT_VERSION)

#define NUMERICS_sums                                                          \
    {                                                                          \
        .reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED,                      \
        .invariance = SAME_EACH_RUN                                            \
    }
#define NUMERICS_each                                                          \
    {                                                                          \
        .reduction = KC_REDUCTION_NOT_APPLICABLE, .invariance = SAME_ELEMENT   \
    }
/* A zero of two signs: which one is taken depends on the place. */
#define NUMERICS_pick                                                          \
    {                                                                          \
        .reduction = KC_REDUCTION_NOT_APPLICABLE, .invariance = SAME_EACH_RUN  \
    }
#define NUMERICS_copy                                                          \
    {                                                                          \
        .reduction = KC_REDUCTION_NOT_APPLICABLE, .invariance = SAME_ALWAYS    \
    }

#define FLOATS (1u << KC_DTYPE_F32 | 1u << KC_DTYPE_F64)
#define ANY_TYPE                                                               \
    (FLOATS | 1u << KC_DTYPE_BOOL | 1u << KC_DTYPE_I32 | 1u << KC_DTYPE_I64)
#define ANY_LAYOUT                                                             \
    (KC_OPERAND_DENSE | KC_OPERAND_ROW_PADDED | KC_OPERAND_STRIDED)

#define LIMITS_f32                                                             \
    {                                                                          \
        .dtypes = 1u << KC_DTYPE_F32                                           \
    }
#define LIMITS_floats                                                          \
    {                                                                          \
        .dtypes = FLOATS                                                       \
    }
#define LIMITS_in_place_x                                                      \
    {                                                                          \
        .dtypes = FLOATS, .overwrites = 1                                      \
    }
#define LIMITS_in_place_ab                                                     \
    {                                                                          \
        .dtypes = FLOATS, .overwrites = 3                                      \
    }
#define LIMITS_any_type                                                        \
    {                                                                          \
        .dtypes = ANY_TYPE                                                     \
    }
#define LIMITS_any_type_strided                                                \
    {                                                                          \
        .dtypes = ANY_TYPE, .layouts = ANY_LAYOUT                              \
    }
/* The extents of all pieces are asked for, and 32 can be saved. */
#define LIMITS_concat                                                          \
    {                                                                          \
        .dtypes = ANY_TYPE, .input_count_max = 32                              \
    }
#define LIMITS_attention                                                       \
    {                                                                          \
        .dtypes = FLOATS, .mask_polarity = KC_MASK_TRUE_MAY_ATTEND             \
    }

#define BOUNDARY "LibTorch/CPU ATen implementation"
#define COMMON(operation, label, family, numerics_kind, limits_kind)           \
    .struct_size = sizeof(kc_capsule_record_t), .op = (operation),             \
    .device = KC_DEVICE_CPU, .trust = KC_TRUST_TRUSTED_EXTERNAL,               \
    .supports_forward = 1, .flags = HANDLER_FLAG(family),                      \
    .name = "libtorch." label, .provider = "libtorch",                         \
    .shape = KC_SHAPE_GUARD(operation, "dispatch.shape",                       \
                            "operands of " label " obey its shape rule"),      \
    .layout = KC_LAYOUT_GUARD(operation, KC_LAYOUT_CANONICAL_TENSOR,           \
                              "dispatch.layout",                               \
                              "operands are row-major tensors as declared"),   \
    .numerics = NUMERICS_##numerics_kind, .limits = LIMITS_##limits_kind

/* Who computes values and derivatives. */
#define VALUE_aten(operation, label)                                           \
    KC_VALUE_BOUNDARY(operation, BOUNDARY,                                     \
                      "the values are what LibTorch computes")
#define VALUE_loop(operation, label)                                           \
    KC_VALUE_SUITE(operation, "conform.reference",                             \
                   "a loop of the module computes " label)
#define VJP_aten(operation, label)                                             \
    {                                                                          \
        .claim = KC_CLAIM_VJP_REFINEMENT, .op = (operation),                   \
        .mode = KC_VJP_BACKEND, .evidence = KC_EVIDENCE_TRUSTED_BOUNDARY,      \
        .summary = "the derivative is what LibTorch computes",                 \
        .source = BOUNDARY                                                     \
    }
#define VJP_loop(operation, label)                                             \
    KC_VJP_SUITE(operation, KC_VJP_BACKEND, "conform.gradients",               \
                 "a loop of the module is the rule of " label)

#define DIFFERENTIABLE(operation, label, family, inputs, outputs, value_kind,  \
                       vjp_kind, numerics, limits)                             \
    {COMMON(operation, label, family, numerics, limits),                       \
     .vjp_mode = KC_VJP_BACKEND,                                               \
     .saved_inputs = (inputs),                                                 \
     .saved_outputs = (outputs),                                               \
     .value = VALUE_##value_kind(operation, label),                            \
     .vjp = VJP_##vjp_kind(operation, label)},
#define RANDOM(operation, label, limits)                                       \
    {COMMON(operation, label, RANDOM, each, limits), .vjp_mode = KC_VJP_NONE,  \
     .value = VALUE_loop(operation, label),                                    \
     .vjp = KC_NO_VJP(operation, label " is a leaf of the tape")},

/* X(operation, label, family, inputs and outputs that the derivative reads,
 * who computes values and derivatives, numerics, limits). R is a random source. */
#define FOR_EACH_CAPSULE(X, R)                                                 \
    X(KC_OP_MATMUL, "matmul", MATMUL, 3, 0, aten, aten, sums, floats)          \
    X(KC_OP_LINEAR, "linear", MATMUL, 3, 0, aten, aten, sums, floats)          \
    X(KC_OP_MSE_LOSS, "mse_loss", LOSS, 3, 0, aten, aten, sums, floats)        \
    X(KC_OP_RELU, "relu", UNARY, 1, 0, aten, loop, each, in_place_x)           \
    X(KC_OP_GELU, "gelu", UNARY, 1, 0, aten, aten, each, in_place_x)           \
    X(KC_OP_ADD, "add", BINARY, 0, 0, aten, aten, each, in_place_ab)           \
    X(KC_OP_SUB, "sub", BINARY, 0, 0, aten, aten, each, in_place_ab)           \
    X(KC_OP_MUL, "mul", BINARY, 3, 0, aten, aten, each, in_place_ab)           \
    X(KC_OP_SCALE, "scale", UNARY, 0, 0, aten, aten, each, in_place_x)         \
    X(KC_OP_ABS, "abs", UNARY, 1, 0, aten, loop, each, in_place_x)             \
    X(KC_OP_SQRT, "sqrt", UNARY, 0, 1, aten, aten, each, in_place_x)           \
    X(KC_OP_CLAMP, "clamp", UNARY, 1, 0, aten, loop, each, in_place_x)         \
    X(KC_OP_MAX, "max", BINARY, 3, 0, loop, loop, pick, in_place_ab)           \
    X(KC_OP_MIN, "min", BINARY, 3, 0, loop, loop, pick, in_place_ab)           \
    X(KC_OP_SIGMOID, "sigmoid", UNARY, 0, 1, aten, aten, each, floats)         \
    X(KC_OP_TANH, "tanh", UNARY, 0, 1, aten, aten, each, in_place_x)           \
    X(KC_OP_SOFTPLUS, "softplus", UNARY, 1, 0, aten, aten, each, in_place_x)   \
    X(KC_OP_EXP, "exp", UNARY, 0, 1, aten, aten, each, in_place_x)             \
    X(KC_OP_LOG, "log", UNARY, 1, 0, aten, aten, each, in_place_x)             \
    X(KC_OP_SIN, "sin", UNARY, 1, 0, aten, aten, each, in_place_x)             \
    X(KC_OP_COS, "cos", UNARY, 1, 0, aten, aten, each, in_place_x)             \
    X(KC_OP_INV, "inv", UNARY, 0, 1, aten, aten, each, in_place_x)             \
    X(KC_OP_SAFE_LOG, "safe_log", UNARY, 3, 0, aten, aten, each, in_place_x)   \
    X(KC_OP_LOG_SOFTMAX, "log_softmax", SOFTMAX, 0, 1, aten, aten, sums,       \
      in_place_x)                                                              \
    X(KC_OP_SOFTMAX, "softmax", SOFTMAX, 0, 1, aten, aten, sums, in_place_x)   \
    X(KC_OP_HARD_MASKED_SOFTMAX, "hard_masked_softmax", SOFTMAX, 2, 1, aten,   \
      aten, sums, in_place_x)                                                  \
    X(KC_OP_REDUCE_SUM, "reduce_sum", REDUCE, 0, 0, aten, aten, sums, floats)  \
    X(KC_OP_REDUCE_MEAN, "reduce_mean", REDUCE, 0, 0, aten, aten, sums,        \
      floats)                                                                  \
    X(KC_OP_RESHAPE, "reshape", LAYOUT, 0, 0, aten, aten, copy, any_type)      \
    X(KC_OP_PERMUTE, "permute", LAYOUT, 0, 0, aten, aten, copy,                \
      any_type_strided)                                                        \
    X(KC_OP_BROADCAST, "broadcast", LAYOUT, 0, 0, aten, aten, copy,            \
      any_type_strided)                                                        \
    X(KC_OP_CONCAT, "concat", LAYOUT, 0xffffffffu, 0, aten, aten, copy,        \
      concat)                                                                  \
    X(KC_OP_SLICE, "slice", LAYOUT, 0, 0, aten, aten, copy, any_type_strided)  \
    X(KC_OP_GATHER, "gather", INDEX, 2, 0, aten, aten, copy, any_type)         \
    X(KC_OP_SCATTER_ADD, "scatter_add", INDEX, 2, 0, aten, aten, sums,         \
      in_place_x)                                                              \
    R(KC_OP_RAND_UNIFORM, "rand_uniform", f32)                                 \
    R(KC_OP_BERNOULLI_MASK, "bernoulli_mask", floats)                          \
    X(KC_OP_LAYER_NORM, "layer_norm", NORM, 3, 0, loop, loop, sums,            \
      in_place_x)                                                              \
    X(KC_OP_BATCH_NORM, "batch_norm", NORM, 27, 0, loop, loop, sums,           \
      in_place_x)                                                              \
    X(KC_OP_CONV, "conv", CONV, 3, 0, aten, aten, sums, floats)                \
    X(KC_OP_CONV_TRANSPOSE, "conv_transpose", CONV, 3, 0, aten, aten, sums,    \
      floats)                                                                  \
    X(KC_OP_MAX_POOL, "max_pool", POOL, 1, 0, aten, aten, sums, floats)        \
    X(KC_OP_SMOOTH_MAX_POOL, "smooth_max_pool", POOL, 1, 0, loop, loop, sums,  \
      floats)                                                                  \
    X(KC_OP_AVG_POOL, "avg_pool", POOL, 0, 0, aten, aten, sums, floats)        \
    X(KC_OP_FFT_FNO, "fft_fno", FFT, 7, 0, aten, aten, sums, floats)           \
    X(KC_OP_SELECTIVE_SCAN, "selective_scan", SCAN, 15, 1, loop, loop, sums,   \
      floats)

KC_CAPSULES(SDPA_FORWARD_CUDA,
            FOR_EACH_CAPSULE(DIFFERENTIABLE, RANDOM) SDPA_FORWARD_CPU);

/* There is no native symbol to name before the forward is built. */
KC_PROVENANCE({.struct_size = sizeof(kc_provenance_record_t),
               .kind = KC_PROVENANCE_SOURCE_PATH,
               .obligation = KC_OBLIGATION_LAYOUT,
               .capsule = NAME,
               .path = "modules/libtorch/contracts.c"});
