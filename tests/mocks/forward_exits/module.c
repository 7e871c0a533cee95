/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its kernel ends the process as if all were well. */
#include <stdlib.h>
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("forward_exits"));
KC_CAPSULES(MOCK_RELU("forward_exits.relu", "acme"));

static kc_status_t exiting_relu(const kc_call_t *call)
{
    (void)call;
    exit(0);
}

static const kc_handler_t relu = MOCK_HANDLER(KC_OP_RELU, "acme", exiting_relu);
static const kc_handler_t *const handlers[] = {&relu};

KC_MODULE_ENTRY(handlers, 1);
