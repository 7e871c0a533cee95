/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Declares threads of its own, so it stays mapped when it is released. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("starts_threads"), .flags = KC_MODULE_STARTS_THREADS);
KC_CAPSULES(MOCK_RELU("starts_threads.relu", "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);
