/* SPDX-License-Identifier: Apache-2.0
 *
 * Which family an operation belongs to: the one table of the library.
 */
#ifndef KC_CONFORM_FAMILY_H
#define KC_CONFORM_FAMILY_H

#include "conform/case.h"
#include "conform/oracle.h"

typedef struct kci_family {
    kc_status_t (*evaluate)(kci_problem_t *problem, kc_error_t *error);
    /* Draws attributes and operands of one case. */
    void (*draw)(kci_case_t *trial);
    /* exp, log, sin ... are in the formulas. */
    bool has_functions;
} kci_family_t;

/* Of a valid kc_op_t. */
const kci_family_t *kci_family_of(int32_t op);

#endif
