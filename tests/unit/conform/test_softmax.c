/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalised exponentials: the mask demo, scalars, extremes.
 */
#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

#define THIRD (1.0 / 3)

START_TEST(mask_demo)
{
    worked_t w = worked_begin(KC_OP_HARD_MASKED_SOFTMAX);
    worked_add(&w, KC_DTYPE_F32, SHAPE(3, 3),
               VALUES(1, 2, 3, 0.5, 0, -0.5, 2, 2, 2));
    worked_add(&w, KC_DTYPE_BOOL, SHAPE(3, 3),
               VALUES(1, 0, 0, 1, 1, 0, 1, 1, 1));
    worked_expect(&w, SHAPE(3, 3),
                  VALUES(1, 0, 0, 0.622459, 0.377541, 0, THIRD, THIRD, THIRD),
                  5e-7);
    ck_assert(w.problem.bounds[1] == 0); /* blocked: exactly 0 */
    worked_end(&w);
}
END_TEST

START_TEST(blocked_values_do_not_matter)
{
    worked_t w = worked_begin(KC_OP_HARD_MASKED_SOFTMAX);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 3),
               VALUES(NAN, 1, INFINITY, 5, NAN, 6));
    worked_add(&w, KC_DTYPE_BOOL, SHAPE(2, 3), VALUES(0, 1, 0, 0, 0, 0));
    worked_expect(&w, SHAPE(2, 3), VALUES(0, 1, 0, 0, 0, 0), 0);
    worked_end(&w);
    w = worked_begin(KC_OP_HARD_MASKED_SOFTMAX);
    worked_add(&w, KC_DTYPE_F32, SHAPE(3), VALUES(1, NAN, 2));
    worked_add(&w, KC_DTYPE_BOOL, SHAPE(3), VALUES(1, 1, 0));
    worked_expect(&w, SHAPE(3), VALUES(NAN, NAN, 0), 0);
    worked_end(&w);
}
END_TEST

START_TEST(axes_and_scalars)
{
    worked_t w = worked_begin(KC_OP_SOFTMAX);
    double x = 4;
    double one = 1;
    worked_add(&w, KC_DTYPE_F32, SCALAR, &x);
    worked_expect(&w, SCALAR, &one, 0);
    worked_end(&w);
    w = worked_begin(KC_OP_SOFTMAX);
    w.attributes.u.axis.axis = 0;
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(0, log(3), 0, 0));
    worked_expect(&w, SHAPE(2, 2), VALUES(0.5, 0.75, 0.5, 0.25), 1e-7);
    worked_end(&w);
    w = worked_begin(KC_OP_LOG_SOFTMAX);
    worked_add(&w, KC_DTYPE_F64, SHAPE(2), VALUES(7, 7));
    worked_expect(&w, SHAPE(2), VALUES(-log(2), -log(2)), 1e-15);
    worked_end(&w);
}
END_TEST

START_TEST(extremes)
{
    worked_t w = worked_begin(KC_OP_SOFTMAX);
    w.attributes.u.axis.axis = 1;
    worked_add(&w, KC_DTYPE_F32, SHAPE(3, 2),
               VALUES(-INFINITY, -INFINITY, INFINITY, 0, -INFINITY, 3));
    worked_expect(&w, SHAPE(3, 2), VALUES(NAN, NAN, NAN, NAN, 0, 1), 0);
    worked_end(&w);
}
END_TEST

START_TEST(bounds)
{
    worked_bounds_hold(KC_OP_SOFTMAX, KC_DTYPE_F32, 1, 150);
    worked_bounds_hold(KC_OP_LOG_SOFTMAX, KC_DTYPE_F32, 1, 150);
    worked_bounds_hold(KC_OP_HARD_MASKED_SOFTMAX, KC_DTYPE_F32, 1, 150);
    worked_bounds_hold(KC_OP_LOG_SOFTMAX, KC_DTYPE_F64, 1, 50);
}
END_TEST

CONFORM_SUITE(softmax, mask_demo, blocked_values_do_not_matter,
              axes_and_scalars, extremes, bounds)
