/* SPDX-License-Identifier: Apache-2.0
 *
 * Products and the mean squared error.
 */
#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

START_TEST(matmul)
{
    worked_t w = worked_begin(KC_OP_MATMUL);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 1, 2), VALUES(1, 2, 3, 4));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2, 1), VALUES(5, 6, 7, 8));
    worked_expect(&w, SHAPE(2, 1, 1), VALUES(17, 53), 0);
    worked_end(&w);
    w = worked_begin(KC_OP_MATMUL);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 0), NULL);
    worked_add(&w, KC_DTYPE_F32, SHAPE(0, 2), NULL);
    worked_expect(&w, SHAPE(2, 2), VALUES(0, 0, 0, 0), 0);
    worked_end(&w);
    w = worked_begin(KC_OP_MATMUL);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 2), VALUES(0, 1));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 1), VALUES(INFINITY, 1));
    worked_expect(&w, SHAPE(1, 1), VALUES(NAN), 0); /* no zero is skipped */
    worked_end(&w);
}
END_TEST

START_TEST(linear)
{
    worked_t w = worked_begin(KC_OP_LINEAR);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(1, 2));
    worked_add(&w, KC_DTYPE_F32, SHAPE(3, 2), VALUES(1, 0, 0, 1, 1, 1));
    worked_expect(&w, SHAPE(3), VALUES(1, 2, 3), 0);
    worked_end(&w);
    worked_add(&w, KC_DTYPE_F32, SHAPE(3), VALUES(10, 20, 30));
    worked_expect(&w, SHAPE(3), VALUES(11, 22, 33), 0);
    worked_end(&w);
}
END_TEST

START_TEST(mse_loss)
{
    worked_t w = worked_begin(KC_OP_MSE_LOSS);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(1, 2, 3, 4));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(1, 0, 3, 0));
    worked_expect(&w, SCALAR, VALUES(5), 0);
    worked_end(&w);
    w = worked_begin(KC_OP_MSE_LOSS);
    worked_add(&w, KC_DTYPE_F32, SHAPE(0), NULL);
    worked_add(&w, KC_DTYPE_F32, SHAPE(0), NULL);
    worked_expect(&w, SCALAR, VALUES(NAN), 0);
    worked_end(&w);
}
END_TEST

/* A fused multiply-add gives other bits than the written order, within the
 * bound. */
START_TEST(fused_is_not_written)
{
    worked_t w = worked_begin(KC_OP_MATMUL);
    float a = 1 + 0x1p-12F;
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 2), VALUES(1, (double)a));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 1), VALUES(-1, (double)a));
    worked_expect(&w, SHAPE(1, 1), VALUES(0x1p-11 + 0x1p-24), 0);
    float fused = fmaf(a, a, -1);
    ck_assert((double)fused != w.problem.written[0]);
    ck_assert(fabs((double)fused - w.problem.values[0]) <= w.problem.bounds[0]);
    worked_end(&w);
}
END_TEST

START_TEST(bounds)
{
    worked_bounds_hold(KC_OP_MATMUL, KC_DTYPE_F32, 1, 100);
    worked_bounds_hold(KC_OP_LINEAR, KC_DTYPE_F32, 1, 100);
    worked_bounds_hold(KC_OP_MSE_LOSS, KC_DTYPE_F32, 1, 100);
    worked_bounds_hold(KC_OP_MSE_LOSS, KC_DTYPE_F64, 1, 50);
}
END_TEST

CONFORM_SUITE(matmul, matmul, linear, mse_loss, fused_is_not_written, bounds)
