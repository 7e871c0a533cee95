/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operands of one relu that every guard passes, to be broken one way each. */
#ifndef KC_TESTS_UNIT_DISPATCH_RELU_CASE_H
#define KC_TESTS_UNIT_DISPATCH_RELU_CASE_H

#include "dispatch/operands.h"
#include "unit/operand_fixture.h"

typedef struct relu_case {
    operand_t x;
    operand_t y;
    const DLTensor *inputs[1];
    kc_capsule_record_t capsule;
    kci_operands_t operands;
    kc_error_t error;
} relu_case_t;

/* x and y are float32 [2, 3], dense. */
void relu_begin(relu_case_t *relu);

#endif
