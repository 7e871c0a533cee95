/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Built without its handlers: plans and audits, never runs. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("contracts_only"), .flags = KC_MODULE_CONTRACTS_ONLY);
KC_CAPSULES(MOCK_RECORD("contracts_only.relu", KC_OP_RELU, "acme",
                        KC_VJP_TORCHLEAN_TAPE, .flags = KC_CAPSULE_NO_HANDLER,
                        .value = KC_VALUE_SUITE(KC_OP_RELU, "mocks",
                                                "max(x, 0)"),
                        .vjp = MOCK_RELU_VJP));
KC_MODULE_ENTRY(NULL, 0);
