/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Trust `checked`, but its value rests on a trusted boundary: selectable under
 * the checked policy, refused by its acceptance. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("checked_boundary"));
KC_CAPSULES(MOCK_RECORD(
    "checked_boundary.relu", KC_OP_RELU, "acme", KC_VJP_TORCHLEAN_TAPE,
    .value = KC_VALUE_BOUNDARY(KC_OP_RELU, "the vendor's word", "max(x, 0)"),
    .vjp = MOCK_RELU_VJP));
MOCK_RELU_ENTRY("acme", .spare = 0);
