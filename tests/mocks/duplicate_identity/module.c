/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Two capsules of one name, operation, provider and device. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("duplicate_identity"));
KC_CAPSULES(MOCK_RELU("duplicate_identity.relu", "acme"),
            MOCK_CAPSULE("duplicate_identity.abs", KC_OP_ABS, "acme"),
            MOCK_RELU("duplicate_identity.relu", "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);
