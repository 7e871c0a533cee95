/* SPDX-License-Identifier: Apache-2.0
 *
 * The attention capsules that belong to no single provider's module: the
 * direct CUDA kernel, the runtime's own composition of catalogue operations
 * (contracts without a handler in this file), and the streaming CPU kernel.
 */
#include <kcapsule/module.h>

#define OP             KC_OP_SCALED_DOT_PRODUCT_ATTENTION
#define SAVED_OPERANDS 15 /* query, key, value, mask; never the weights */

#define EVERY                                                                  \
    .struct_size = sizeof(kc_capsule_record_t), .op = OP,                      \
    .trust = KC_TRUST_CHECKED, .supports_forward = 1,                          \
    .saved_inputs = SAVED_OPERANDS,                                            \
    .shape = KC_SHAPE_GUARD(OP, "dispatch.shape",                              \
                            "query, key, value and mask obey the shape rule"), \
    .limits = {.dtypes = 1u << KC_DTYPE_F32,                                   \
               .mask_polarity = KC_MASK_TRUE_MAY_ATTEND}

#define COMMON                                                                 \
    EVERY,                                                                     \
        .device = KC_DEVICE_CUDA, .flags = KC_CAPSULE_NO_HANDLER,              \
        .layout =                                                              \
            KC_LAYOUT_GUARD(OP, KC_LAYOUT_FLAT_ROW_MAJOR, "dispatch.layout",   \
                            "operands are dense row-major device buffers"),    \
        .numerics = {.reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED}

#define DIRECT_ATTENTION                                                       \
    {                                                                          \
        COMMON,                                                                \
            .name = "native_cuda.direct_attention", .provider = "native_cuda", \
            .vjp_mode = KC_VJP_BACKEND,                                        \
            .value = KC_VALUE_SUITE(OP, "modules.attention.values",            \
                                    "blocked keys are skipped in every step"), \
            .vjp = KC_VJP_SUITE(                                               \
                OP, KC_VJP_BACKEND, "modules.attention.gradients",             \
                "the kernel's own backward recomputes the weights")            \
    }

#define COMPOSED_ATTENTION                                                     \
    {                                                                          \
        COMMON,                                                                \
            .name = "torchlean.composed_attention", .provider = "torchlean",   \
            .vjp_mode = KC_VJP_TORCHLEAN_TAPE,                                 \
            .value =                                                           \
                KC_VALUE_SUITE(OP, "modules.attention.values",                 \
                               "products and a masked softmax, composed"),     \
            .vjp = KC_VJP_SUITE(OP, KC_VJP_TORCHLEAN_TAPE, "autograd.rules",   \
                                "the rule of attention on the runtime's tape") \
    }

/* Products are fused where the processor can, and vectors are as long as its
 * own: another instruction set may give other bits. */
#define STREAMING_NUMERICS                                                     \
    {                                                                          \
        .reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED,                      \
        .order = "online48x128/1", .rounding = KC_ROUNDING_NEAREST_EVEN,       \
        .subnormals = KC_SUBNORMALS_KEPT,                                      \
        .contraction = KC_CONTRACTION_ALLOWED,                                 \
        .accumulation = KC_ACCUMULATION_ELEMENT_TYPE,                          \
        .reduced_precision = KC_REDUCED_PRECISION_NEVER,                       \
        .invariance = 1u << KC_INVARIANT_RUN | 1u << KC_INVARIANT_THREADS |    \
                      1u << KC_INVARIANT_BATCH | 1u << KC_INVARIANT_STRIDES    \
    }

#define STREAMING_ATTENTION                                                    \
    {                                                                          \
        EVERY,                                                                 \
            .device = KC_DEVICE_CPU, .name = "native_cpu.streaming_attention", \
            .provider = "native_cpu", .vjp_mode = KC_VJP_BACKEND,              \
            .layout = KC_LAYOUT_GUARD(                                         \
                OP, KC_LAYOUT_CANONICAL_TENSOR, "dispatch.layout",             \
                "operands are row-major tensors as declared"),                 \
            .value = KC_VALUE_SUITE(OP, "modules.attention.values",            \
                                    "blocked keys are skipped in every step"), \
            .vjp = KC_VJP_SUITE(                                               \
                OP, KC_VJP_BACKEND, "modules.attention.gradients",             \
                "the kernel's own backward recomputes the weights"),           \
            .numerics = STREAMING_NUMERICS                                     \
    }

KC_CAPSULES(DIRECT_ATTENTION, COMPOSED_ATTENTION, STREAMING_ATTENTION);

KC_PROVENANCE({.struct_size = sizeof(kc_provenance_record_t),
               .kind = KC_PROVENANCE_SOURCE_PATH,
               .obligation = KC_OBLIGATION_VALUE,
               .capsule = "native_cpu.streaming_attention",
               .path = "modules/attention/vector_forward.h"},
              {.struct_size = sizeof(kc_provenance_record_t),
               .kind = KC_PROVENANCE_SOURCE_PATH,
               .obligation = KC_OBLIGATION_VJP,
               .capsule = "native_cpu.streaming_attention",
               .path = "modules/attention/vector_backward.h"});
