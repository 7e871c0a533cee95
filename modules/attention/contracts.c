/* SPDX-License-Identifier: Apache-2.0
 *
 * The two attention capsules that belong to no single provider's module: the
 * direct CUDA kernel, and the runtime's own composition of catalogue
 * operations. This build has contracts only.
 */
#include <kcapsule/module.h>

#define OP KC_OP_SCALED_DOT_PRODUCT_ATTENTION
#define SAVED_OPERANDS 15 /* query, key, value, mask; never the weights */

#define COMMON                                                                 \
    .struct_size = sizeof(kc_capsule_record_t), .op = OP,                      \
    .device = KC_DEVICE_CUDA, .trust = KC_TRUST_CHECKED,                       \
    .supports_forward = 1, .flags = KC_CAPSULE_NO_HANDLER,                     \
    .saved_inputs = SAVED_OPERANDS,                                            \
    .shape = KC_SHAPE_GUARD(OP, "dispatch.shape",                              \
                            "query, key, value and mask obey the shape rule"), \
    .layout = KC_LAYOUT_GUARD(OP, KC_LAYOUT_FLAT_ROW_MAJOR, "dispatch.layout", \
                              "operands are dense row-major device buffers"),  \
    .numerics = {.reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED},            \
    .limits = {.dtypes = 1u << KC_DTYPE_F32,                                   \
               .mask_polarity = KC_MASK_TRUE_MAY_ATTEND}

#define DIRECT_ATTENTION                                                       \
    {COMMON, .name = "native_cuda.direct_attention",                           \
     .provider = "native_cuda", .vjp_mode = KC_VJP_BACKEND,                    \
     .value = KC_VALUE_SUITE(OP, "modules.attention.values",                   \
                             "blocked keys are skipped in every step"),        \
     .vjp = KC_VJP_SUITE(OP, KC_VJP_BACKEND, "modules.attention.gradients",    \
                         "the kernel's own backward recomputes the weights")}

#define COMPOSED_ATTENTION                                                     \
    {COMMON, .name = "torchlean.composed_attention", .provider = "torchlean",  \
     .vjp_mode = KC_VJP_TORCHLEAN_TAPE,                                        \
     .value = KC_VALUE_SUITE(OP, "modules.attention.values",                   \
                             "products and a masked softmax, composed"),       \
     .vjp = KC_VJP_SUITE(OP, KC_VJP_TORCHLEAN_TAPE, "autograd.rules",          \
                         "the rule of attention on the runtime's tape")}

KC_CAPSULES(DIRECT_ATTENTION, COMPOSED_ATTENTION);
