/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its constructor writes a line to the file that KC_TEST_MARK names: whoever
 * finds that file knows that code of the module ran. It works otherwise. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("marker"));
KC_CAPSULES(MOCK_RELU("marker.relu", "acme"));
MOCK_RELU_ENTRY("acme", .spare = 0);

__attribute__((constructor)) static void leave_mark(void)
{
    mock_mark("constructor\n");
}
