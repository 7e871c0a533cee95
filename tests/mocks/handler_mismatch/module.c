/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The handler is for cuda, the capsule for the cpu. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("handler_mismatch"));
KC_CAPSULES(MOCK_RELU("handler_mismatch.relu", "acme"));

static const kc_handler_t relu =
    MOCK_HANDLER_ON(KC_DEVICE_CUDA, KC_OP_RELU, "acme", mock_relu);
static const kc_handler_t *const handlers[] = {&relu};

KC_MODULE_ENTRY(handlers, 1);
