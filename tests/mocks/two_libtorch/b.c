/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * One of two modules that both call themselves `libtorch`. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("libtorch"));
KC_CAPSULES(MOCK_RELU("libtorch.mock_relu_b", "libtorch"));
MOCK_RELU_ENTRY("libtorch", .spare = 0);
