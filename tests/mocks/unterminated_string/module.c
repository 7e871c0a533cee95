/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The capsule's provider fills its array to the last byte. */
#include "mocks/mock.h"

#define SIXTEEN "abcdefghijklmnop"

KC_MODULE(MOCK_MODULE("unterminated_string"));
KC_CAPSULES(MOCK_RELU("unterminated_string.relu",
                      SIXTEEN SIXTEEN SIXTEEN SIXTEEN));
KC_MODULE_ENTRY(NULL, 0);
