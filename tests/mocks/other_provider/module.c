/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * relu of another provider than `good`: both may be found together. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("zenith"));
KC_CAPSULES(MOCK_RELU("zenith.relu", "zenith"));
MOCK_RELU_ENTRY("zenith", .spare = 0);
