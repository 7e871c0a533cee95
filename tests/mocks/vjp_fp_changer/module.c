/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its derivative rule is right and rounds upward from then on, if nobody
 * restores the control words. */
#include <fenv.h>
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("vjp_fp_changer"));
KC_CAPSULES(MOCK_BACKWARD(1, 0, "vjp_fp_changer.relu", KC_OP_RELU, "acme"));

static kc_status_t rounding_backward(const kc_call_t *call)
{
    kc_status_t status = mock_relu_backward(call);
    return fesetround(FE_UPWARD) == 0 ? status : KC_ERR_KERNEL;
}

static const kc_handler_t relu =
    MOCK_PAIR(KC_OP_RELU, "acme", mock_relu, rounding_backward, .spare = 0);
static const kc_handler_t *const handlers[] = {&relu};

KC_MODULE_ENTRY(handlers, 1);
