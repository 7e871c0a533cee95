/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The module record states that it has almost four gigabytes. */
#include "mocks/mock.h"

MOCK_SIZED_MODULE(0xfffffff0u, "absurd_size");
KC_CAPSULES(MOCK_RELU("absurd_size.relu", "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);
