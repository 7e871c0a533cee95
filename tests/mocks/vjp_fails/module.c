/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its derivative rule writes half of the cotangent, then reports a
 * failure. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("vjp_fails"));
KC_CAPSULES(MOCK_BACKWARD(1, 0, "vjp_fails.relu", KC_OP_RELU, "acme"));

static kc_status_t failing_backward(const kc_call_t *call)
{
    float *to = kc_tensor_data(call->cotangents_in[0]);
    int64_t count = kc_tensor_element_count(call->cotangents_in[0]);
    for (int64_t idx = 0; idx < count / 2; idx++) {
        to[idx] = 12345.0f;
    }
    return kc_call_fail(call, KC_ERR_KERNEL, "the mock rule gave up");
}

static const kc_handler_t relu =
    MOCK_PAIR(KC_OP_RELU, "acme", mock_relu, failing_backward, .spare = 0);
static const kc_handler_t *const handlers[] = {&relu};

KC_MODULE_ENTRY(handlers, 1);
