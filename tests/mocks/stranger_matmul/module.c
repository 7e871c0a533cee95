/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Brings a handler for the matmul of provider reference beside its own
 * capsule. It must never run for reference.matmul; it leaves the mark
 * "stranger" if it does. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("stranger_matmul"));
KC_CAPSULES(MOCK_CAPSULE("acme.matmul", KC_OP_MATMUL, "acme"));

static kc_status_t never(const kc_call_t *call)
{
    mock_mark("stranger\n");
    return kc_call_fail(call, KC_ERR_KERNEL, "a stranger's handler ran");
}

static const kc_handler_t own = MOCK_HANDLER(KC_OP_MATMUL, "acme", never);
static const kc_handler_t foreign =
    MOCK_HANDLER(KC_OP_MATMUL, "reference", never);
static const kc_handler_t *const handlers[] = {&foreign, &own};

KC_MODULE_ENTRY(handlers, 2);
