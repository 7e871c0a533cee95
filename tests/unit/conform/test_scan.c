/* SPDX-License-Identifier: Apache-2.0
 *
 * The recurrence by hand, with shared and with changing coefficients.
 */
#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

START_TEST(shared)
{
    worked_t w = worked_begin(KC_OP_SELECTIVE_SCAN);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(0.5));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(1));
    worked_add(&w, KC_DTYPE_F32, SHAPE(3, 1), VALUES(1, 1, 1));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(0));
    worked_expect(&w, SHAPE(3, 1), VALUES(1, 1.5, 1.75), 0);
    worked_end(&w);
}
END_TEST

START_TEST(one_set_a_step)
{
    worked_t w = worked_begin(KC_OP_SELECTIVE_SCAN);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(1, 2, 3, 4));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(1, 1, 2, 2));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(1, 1, 1, 1));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(10, 20));
    worked_expect(&w, SHAPE(2, 2), VALUES(11, 41, 35, 166), 0);
    worked_end(&w);
}
END_TEST

START_TEST(bounds)
{
    worked_bounds_hold(KC_OP_SELECTIVE_SCAN, KC_DTYPE_F32, 1, 200);
    worked_bounds_hold(KC_OP_SELECTIVE_SCAN, KC_DTYPE_F64, 1, 50);
}
END_TEST

CONFORM_SUITE(scan, shared, one_set_a_step, bounds)
