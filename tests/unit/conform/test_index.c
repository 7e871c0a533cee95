/* SPDX-License-Identifier: Apache-2.0
 *
 * Indices with repeats, and none.
 */
#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

START_TEST(gather)
{
    worked_t w = worked_begin(KC_OP_GATHER);
    w.attributes.u.axis.axis = 1;
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(1, 2, 3, 4));
    worked_add(&w, KC_DTYPE_I64, SHAPE(3), VALUES(1, 1, 0));
    worked_expect_exact(&w, SHAPE(2, 3), VALUES(2, 2, 1, 4, 4, 3));
    worked_end(&w);
}
END_TEST

START_TEST(scatter_add)
{
    worked_t w = worked_begin(KC_OP_SCATTER_ADD);
    w.attributes.u.axis.axis = 0;
    worked_add(&w, KC_DTYPE_F32, SHAPE(3), VALUES(10, -0.0, 30));
    worked_add(&w, KC_DTYPE_I64, SHAPE(3), VALUES(2, 0, 2));
    worked_add(&w, KC_DTYPE_F32, SHAPE(3), VALUES(1, 2, 3));
    worked_expect(&w, SHAPE(3), VALUES(12, -0.0, 34), 0);
    ck_assert(w.problem.bounds[1] == 0); /* nobody names it: a copy */
    ck_assert(w.problem.bounds[0] > 0);
    worked_end(&w);
}
END_TEST

/* Ascending order of the indices decides the bits. */
START_TEST(written_order)
{
    worked_t w = worked_begin(KC_OP_SCATTER_ADD);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(1));
    worked_add(&w, KC_DTYPE_I64, SHAPE(2), VALUES(0, 0));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(0x1p-24, 0x1p-24));
    worked_expect(&w, SHAPE(1), VALUES(1 + 0x1p-23), 0);
    ck_assert(w.problem.written[0] == 1);
    worked_end(&w);
}
END_TEST

START_TEST(bounds)
{
    worked_bounds_hold(KC_OP_SCATTER_ADD, KC_DTYPE_F32, 1, 200);
    worked_bounds_hold(KC_OP_GATHER, KC_DTYPE_F32, 1, 50);
}
END_TEST

CONFORM_SUITE(index, gather, scatter_add, written_order, bounds)
