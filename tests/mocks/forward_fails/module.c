/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its kernel writes half of the output, then reports a failure. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("forward_fails"));
KC_CAPSULES(MOCK_RELU("forward_fails.relu", "acme"));

static kc_status_t failing_relu(const kc_call_t *call)
{
    float *to = kc_tensor_data(call->outputs[0]);
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count / 2; idx++) {
        to[idx] = 12345.0f;
    }
    return kc_call_fail(call, KC_ERR_KERNEL, "the mock kernel gave up");
}

static const kc_handler_t relu = MOCK_HANDLER(KC_OP_RELU, "acme", failing_relu);
static const kc_handler_t *const handlers[] = {&relu};

KC_MODULE_ENTRY(handlers, 1);
