/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Contracts but no getter under the name that the host asks for. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("no_symbol"));
KC_CAPSULES(MOCK_RELU("no_symbol.relu", "acme"));

KC_EXPORT kc_status_t no_symbol_relu(const kc_call_t *call);

kc_status_t no_symbol_relu(const kc_call_t *call)
{
    return mock_relu(call);
}
