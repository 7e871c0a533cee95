/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools: what padding is to each of them, and who wins.
 */
#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

static worked_t pool(int32_t op, int64_t rank, int64_t kernel, int64_t stride,
                     int64_t padding)
{
    worked_t w = worked_begin(op);
    w.attributes.u.pool.spatial_rank = rank;
    for (int64_t i = 0; i < rank; i++) {
        w.attributes.u.pool.kernel[i] = kernel;
        w.attributes.u.pool.stride[i] = stride;
        w.attributes.u.pool.padding[i] = padding;
    }
    return w;
}

START_TEST(maximum)
{
    worked_t w = pool(KC_OP_MAX_POOL, 1, 2, 1, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(3), VALUES(2, 2, 1));
    worked_expect_exact(&w, SHAPE(2), VALUES(2, 2));
    worked_end(&w);
    /* A border of negative cells: padding is no value. */
    w = pool(KC_OP_MAX_POOL, 2, 3, 1, 1);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(-1, -1, -1, -1));
    worked_expect_exact(&w, SHAPE(2, 2), VALUES(-1, -1, -1, -1));
    worked_end(&w);
    w = pool(KC_OP_MAX_POOL, 1, 3, 3, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 3),
               VALUES(1, NAN, 2, -INFINITY, -INFINITY, -INFINITY));
    worked_expect_exact(&w, SHAPE(2, 1), VALUES(NAN, -INFINITY));
    worked_end(&w);
}
END_TEST

/* Of two zeros the first has the sign; the other is no wrong number. */
START_TEST(zeros_of_both_signs)
{
    worked_t w = pool(KC_OP_MAX_POOL, 1, 2, 2, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(4), VALUES(-0.0, 0.0, -0.0, -0.0));
    worked_expect(&w, SHAPE(2), VALUES(-0.0, -0.0), 0);
    ck_assert(w.problem.bounds[0] > 0);
    ck_assert(w.problem.bounds[1] == 0);
    worked_end(&w);
}
END_TEST

START_TEST(average)
{
    worked_t w = pool(KC_OP_AVG_POOL, 1, 3, 1, 1);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(3));
    worked_expect(&w, SHAPE(1), VALUES(1), 0);
    worked_end(&w);
    w = pool(KC_OP_AVG_POOL, 2, 2, 2, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 2, 4),
               VALUES(1, 2, 3, 4, 5, 6, 7, 8));
    worked_expect(&w, SHAPE(1, 1, 2), VALUES(3.5, 5.5), 0);
    worked_end(&w);
}
END_TEST

START_TEST(smooth)
{
    worked_t w = pool(KC_OP_SMOOTH_MAX_POOL, 1, 3, 1, 1);
    w.attributes.u.pool.beta = 1;
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(-1));
    worked_expect(&w, SHAPE(1), VALUES(log(2 + exp(-1))), 1e-15);
    ck_assert(fabs(w.problem.values[0] - 0.861994) < 1e-6);
    worked_end(&w);
    /* Negative beta: a soft minimum, no overflow for large values. */
    w = pool(KC_OP_SMOOTH_MAX_POOL, 1, 2, 2, 0);
    w.attributes.u.pool.beta = -1;
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(1000, 1000));
    worked_expect(&w, SHAPE(1), VALUES(1000 - log(2)), 1e-12);
    worked_end(&w);
}
END_TEST

START_TEST(bounds)
{
    worked_bounds_hold(KC_OP_MAX_POOL, KC_DTYPE_F32, 1, 100);
    worked_bounds_hold(KC_OP_AVG_POOL, KC_DTYPE_F32, 1, 200);
    worked_bounds_hold(KC_OP_SMOOTH_MAX_POOL, KC_DTYPE_F32, 1, 200);
    worked_bounds_hold(KC_OP_SMOOTH_MAX_POOL, KC_DTYPE_F64, 1, 50);
}
END_TEST

CONFORM_SUITE(pool, maximum, zeros_of_both_signs, average, smooth, bounds)
