/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Nothing is wrong with it: attention on the cpu as the runtime's own
 * composition, forward and backward. A contract without code. */
#include "mocks/mock.h"

#define OP     KC_OP_SCALED_DOT_PRODUCT_ATTENTION
#define FLOATS (1u << KC_DTYPE_F32 | 1u << KC_DTYPE_F64)

KC_MODULE(MOCK_MODULE("composed_attention"));
KC_CAPSULES(MOCK_SAVING(
    15, 0, "composed_attention.attention", OP, "torchlean",
    KC_VJP_TORCHLEAN_TAPE, .flags = KC_CAPSULE_NO_HANDLER,
    .limits = {.dtypes = FLOATS, .mask_polarity = KC_MASK_TRUE_MAY_ATTEND},
    .value = KC_VALUE_SUITE(OP, "mocks", "products and a masked softmax"),
    .vjp = KC_VJP_SUITE(OP, KC_VJP_TORCHLEAN_TAPE, "mocks",
                        "the runtime's rule")));
KC_MODULE_ENTRY(NULL, 0);
