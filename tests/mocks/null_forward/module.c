/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A handler without a forward function. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("null_forward"));
KC_CAPSULES(MOCK_RELU("null_forward.relu", "acme"));

static const kc_handler_t relu = MOCK_HANDLER(KC_OP_RELU, "acme", NULL);
static const kc_handler_t *const handlers[] = {&relu};

KC_MODULE_ENTRY(handlers, 1);
