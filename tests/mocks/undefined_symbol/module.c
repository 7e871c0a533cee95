/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Built for lazy binding; its kernel calls a function that exists nowhere.
 * Loading must refuse it naming the function, not die in the first call. */
#include "mocks/mock.h"

void kc_mock_missing_function(void);

KC_MODULE(MOCK_MODULE("undefined_symbol"));
KC_CAPSULES(MOCK_RELU("undefined_symbol.relu", "acme"));

static kc_status_t broken_relu(const kc_call_t *call)
{
    kc_mock_missing_function();
    return mock_relu(call);
}

static const kc_handler_t relu = MOCK_HANDLER(KC_OP_RELU, "acme", broken_relu);
static const kc_handler_t *const handlers[] = {&relu};

KC_MODULE_ENTRY(handlers, 1);
