/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its contract promises a derivative rule of its own, its handler has none. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("vjp_missing"));
KC_CAPSULES(MOCK_BACKWARD(1, 0, "vjp_missing.relu", KC_OP_RELU, "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);
