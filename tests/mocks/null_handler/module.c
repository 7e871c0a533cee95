/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The second entry of the handler table is NULL. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("null_handler"));
KC_CAPSULES(MOCK_RELU("null_handler.relu", "acme"));

static const kc_handler_t relu = MOCK_HANDLER(KC_OP_RELU, "acme", mock_relu);
static const kc_handler_t *const handlers[] = {&relu, NULL};

KC_MODULE_ENTRY(handlers, 2);
