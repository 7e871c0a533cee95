/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What it points to are parts of the case itself. */
#include "unit/dispatch/relu_case.h"

#include "unit/contract_fixture.h"

void relu_begin(relu_case_t *relu)
{
    operand_init(&relu->x, KC_DTYPE_F32, 2, DIMS(2, 3));
    operand_init(&relu->y, KC_DTYPE_F32, 2, DIMS(2, 3));
    relu->inputs[0] = &relu->x.view;
    relu->capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    relu->operands = (kci_operands_t){.op = KC_OP_RELU,
                                      .capsule = &relu->capsule,
                                      .inputs = relu->inputs,
                                      .input_count = 1,
                                      .output = &relu->y.view};
    relu->error = (kc_error_t)KC_ERROR_INIT;
}
