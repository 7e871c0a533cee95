/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * One of two modules with different names that offer the same capsule. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("same_identity_b"));
KC_CAPSULES(MOCK_RELU("acme.same_relu", "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);
