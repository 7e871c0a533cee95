/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Nothing is wrong with it: module `acme` with relu of provider acme. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("acme"));
KC_CAPSULES(MOCK_RELU("acme.relu", "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);
