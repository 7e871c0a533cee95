/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * It leaves its derivative to the runtime's rule, which reads the input, and
 * saves nothing. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("saves_too_little"));
KC_CAPSULES(MOCK_SAVING(0, 0, "saves_too_little.relu", KC_OP_RELU, "acme",
                        KC_VJP_TORCHLEAN_TAPE,
                        .value = KC_VALUE_SUITE(KC_OP_RELU, "mocks",
                                                "max(x, 0), NaN stays"),
                        .vjp = MOCK_RELU_VJP));
MOCK_RELU_ENTRY("acme", .spare = 0);
