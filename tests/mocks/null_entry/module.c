/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its getter returns NULL. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("null_entry"));
KC_CAPSULES(MOCK_RELU("null_entry.relu", "acme"));

const kc_module_t *kc_module_entry(void)
{
    return NULL;
}
