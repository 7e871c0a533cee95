/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Contracts without a getter, linked with `good`, which has one: asking the
 * dynamic linker alone would find the getter of somebody else. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("borrowed_entry"));
KC_CAPSULES(MOCK_RELU("borrowed_entry.relu", "acme"));

KC_EXPORT const char *borrowed_entry_name(void);

const char *borrowed_entry_name(void)
{
    return kc_module_entry()->name;
}
