/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The next major version of the interface: refused with both versions. */
#include "mocks/mock.h"

#undef KC_ABI_MAJOR
#define KC_ABI_MAJOR 2

KC_MODULE(MOCK_MODULE("wrong_major"));
KC_CAPSULES(MOCK_RELU("wrong_major.relu", "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);
