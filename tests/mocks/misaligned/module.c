/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The misfiled example: a module named `reference` whose one capsule, attention
 * on the cpu, carries a value claim in its shape field. The file is accepted,
 * the capsule is never planned. */
#include "mocks/mock.h"

#define ATTENTION KC_OP_SCALED_DOT_PRODUCT_ATTENTION

KC_MODULE(MOCK_MODULE("reference"));
KC_CAPSULES({.struct_size = sizeof(kc_capsule_record_t),
             .op = ATTENTION,
             .device = KC_DEVICE_CPU,
             .trust = KC_TRUST_CHECKED,
             .vjp_mode = KC_VJP_TORCHLEAN_TAPE,
             .supports_forward = 1,
             .saved_inputs = 15,
             .name = "reference.misfiled_attention",
             .provider = "reference",
             .shape = KC_VALUE_SUITE(ATTENTION, "mocks", "misfiled"),
             .layout = KC_LAYOUT_GUARD(ATTENTION, KC_LAYOUT_CANONICAL_TENSOR,
                                       "layout", "dense row-major operands"),
             .value = KC_VALUE_SUITE(ATTENTION, "mocks", "softmax(QK')V"),
             .vjp = KC_VJP_SUITE(ATTENTION, KC_VJP_TORCHLEAN_TAPE, "mocks",
                                 "the runtime's rule"),
             .numerics = {.reduction = KC_REDUCTION_FIXED_LEFT}});
KC_MODULE_ENTRY(NULL, 0);
