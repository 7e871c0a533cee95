/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A later minor version with an operation that this host does not know: the
 * file is accepted, that capsule and its handler are never used, relu works. */
#include "mocks/mock.h"

#undef KC_ABI_MINOR
#define KC_ABI_MINOR  7
#define OP_OF_MINOR_7 (KC_OP_COUNT + 3)

KC_MODULE(MOCK_MODULE("newer_minor"));
KC_CAPSULES(MOCK_CAPSULE("newer_minor.novel", OP_OF_MINOR_7, "acme"),
            MOCK_RELU("newer_minor.relu", "acme"));

static const kc_handler_t novel =
    MOCK_HANDLER(OP_OF_MINOR_7, "acme", mock_relu);
static const kc_handler_t relu = MOCK_HANDLER(KC_OP_RELU, "acme", mock_relu);
static const kc_handler_t *const handlers[] = {&novel, &relu};

KC_MODULE_ENTRY(handlers, 2);
