/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of LibTorch's attention: what stands behind its values is
 * trust in a foreign library, and the contract says so. The forward is
 * LibTorch's; the derivative rule is the runtime's.
 */
#include <kcapsule/module.h>

#define OP KC_OP_SCALED_DOT_PRODUCT_ATTENTION
#define NAME "libtorch.sdpa_forward"

#define SDPA_FORWARD                                                           \
    {.struct_size = sizeof(kc_capsule_record_t),                               \
     .op = OP,                                                                 \
     .device = KC_DEVICE_CUDA,                                                 \
     .trust = KC_TRUST_TRUSTED_EXTERNAL,                                       \
     .vjp_mode = KC_VJP_TORCHLEAN_TAPE,                                        \
     .supports_forward = 1,                                                    \
     .flags = KC_CAPSULE_NO_HANDLER,                                           \
     .saved_inputs = 15, /* query, key, value, mask; never the weights */      \
     .name = NAME,                                                             \
     .provider = "libtorch",                                                   \
     .shape = KC_SHAPE_GUARD(OP, "dispatch.shape",                             \
                             "query, key, value and mask obey the shape rule"),\
     .layout = KC_LAYOUT_GUARD(OP, KC_LAYOUT_LIBTORCH_CUDA_VIEW,               \
                               "dispatch.layout",                              \
                               "operands are contiguous CUDA tensor views"),   \
     .value = KC_VALUE_BOUNDARY(OP, "LibTorch/CUDA SDPA implementation",       \
                                "the values are what LibTorch computes"),      \
     .vjp = KC_VJP_GUARD(OP, KC_VJP_TORCHLEAN_TAPE, "planner.vjp_mode",        \
                         "the rule is the tape's; the planner asks for it"),   \
     .numerics = {.reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED},           \
     .limits = {.dtypes = 1u << KC_DTYPE_F32,                                  \
                .mask_polarity = KC_MASK_TRUE_MAY_ATTEND}}

KC_CAPSULES(SDPA_FORWARD);

/* There is no native symbol to name before the forward is built. */
KC_PROVENANCE({.struct_size = sizeof(kc_provenance_record_t),
               .kind = KC_PROVENANCE_SOURCE_PATH,
               .obligation = KC_OBLIGATION_LAYOUT,
               .capsule = NAME,
               .path = "modules/libtorch/contracts.c"});
