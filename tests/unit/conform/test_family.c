/* SPDX-License-Identifier: Apache-2.0
 *
 * The table is complete, and every entry can be asked.
 */
#include "conform/family.h"

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

START_TEST(every_operation_has_a_family)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        ck_assert_msg(kci_family_of(op) != NULL, "operation %d", (int)op);
        ck_assert(kci_family_of(op)->evaluate != NULL);
        ck_assert(kci_family_of(op)->draw != NULL);
    }
}
END_TEST

START_TEST(every_operation_answers_its_cases)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        worked_bounds_hold(op, KC_DTYPE_F32, 1000, 30);
        if (op != KC_OP_RAND_UNIFORM && op != KC_OP_BERNOULLI_MASK) {
            worked_bounds_hold(op, KC_DTYPE_F64, 1000, 30);
        }
    }
}
END_TEST

CONFORM_SUITE(family, every_operation_has_a_family,
              every_operation_answers_its_cases)
