/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * relu without any VJP: good for inference, not admissible for training. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("forward_only"));
KC_CAPSULES(MOCK_CAPSULE("forward_only.relu", KC_OP_RELU, "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);
