/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce_sum and reduce_mean against the written sum, bit by bit, along every
 * axis, and the sums that tell the orders apart.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

static size_t extent(const int64_t *shape, int32_t first, int32_t end)
{
    size_t count = 1;
    for (int32_t i = first; i < end; i++) {
        count *= (size_t)shape[i];
    }
    return count;
}

static void expected_of(const operand_t *x, int32_t axis, int is_mean,
                        double *expected)
{
    size_t outer = extent(x->shape, 0, axis);
    size_t n = (size_t)x->shape[axis];
    size_t inner = extent(x->shape, axis + 1, x->view.ndim);
    for (size_t i = 0; i < outer * inner; i++) {
        size_t first = i / inner * n * inner + i % inner;
        double sum = 0;
        for (size_t k = 0; k < n; k++) {
            sum = rounded(x->dtype, sum + operand_get(x, first + k * inner));
        }
        expected[i] = is_mean ? rounded(x->dtype, sum / (double)n) : sum;
    }
}

static void check_reduce(int32_t op, int32_t dtype, int32_t axis,
                         const int64_t *shape, int kind, uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    int64_t rest[2];
    operand_t *x;
    double *expected;
    for (int32_t i = 0, j = 0; i < 3; i++) {
        if (i != axis) {
            rest[j++] = shape[i];
        }
    }
    trial_init(&trial, op);
    trial.seed = seed;
    trial.attributes.u.axis.axis = axis;
    x = trial_add(&trial, operand_create(dtype, 3, shape));
    trial_set_output(&trial, operand_create(dtype, 2, rest));
    if (kind == 0) {
        trial_fill_uniform(x, &state, -1, 1);
    } else {
        trial_fill_wild(x, &state, kind == 2);
    }
    expected = new_doubles(trial.output->count);
    expected_of(x, axis, op == KC_OP_REDUCE_MEAN, expected);
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

START_TEST(reductions_are_the_left_fold)
{
    const int64_t shapes[][3] = {{2, 3, 4},    {1, 1, 1},    {40, 70, 33},
                                 {300, 1, 90}, {1, 5000, 1}, {0, 3, 2},
                                 {3, 0, 70},   {2, 3, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (int32_t axis = 0; axis < 3; axis++) {
            for (int kind = 0; kind < 3; kind++) {
                check_reduce(KC_OP_REDUCE_SUM, trial_floats[_i], axis,
                             shapes[i], kind, 3000 + i);
                check_reduce(KC_OP_REDUCE_MEAN, trial_floats[_i], axis,
                             shapes[i], kind, 3000 + i);
            }
        }
    }
}
END_TEST

static void check_vector(int32_t op, int32_t dtype, int64_t n,
                         const double *values, double expected)
{
    trial_t trial;
    trial_init(&trial, op);
    operand_fill(trial_add(&trial, operand_create(dtype, SHAPE(n))), values);
    trial_set_output(&trial, operand_create(dtype, 0, NULL));
    trial_expect(&trial, &expected);
    trial_clear(&trial);
}

START_TEST(sums_have_the_written_order)
{
    int32_t dtype = trial_floats[_i];
    double half = dtype == KC_DTYPE_F32 ? 0x1p-24 : 0x1p-53;
    check_vector(KC_OP_REDUCE_SUM, dtype, 3, VALUES(1, half, half), 1);
    check_vector(KC_OP_REDUCE_SUM, dtype, 3, VALUES(half, half, 1),
                 1 + 2 * half);
    /* Pairs would give 1 + 2 * half. */
    check_vector(KC_OP_REDUCE_SUM, dtype, 4, VALUES(1, half, 0, half), 1);
    check_vector(KC_OP_REDUCE_SUM, dtype, 1, VALUES(-0.0), 0.0);
    check_vector(KC_OP_REDUCE_SUM, dtype, 2, VALUES(-0.0, -0.0), 0.0);
    check_vector(KC_OP_REDUCE_SUM, dtype, 2, VALUES(INFINITY, -INFINITY), NAN);
}
END_TEST

START_TEST(reductions_of_nothing)
{
    check_vector(KC_OP_REDUCE_SUM, trial_floats[_i], 0, NULL, 0.0);
    check_vector(KC_OP_REDUCE_MEAN, trial_floats[_i], 0, NULL, NAN);
}
END_TEST

/* 5 / 3 is not 5 times the rounded 1/3, in either type. */
START_TEST(mean_divides_once)
{
    int32_t dtype = trial_floats[_i];
    check_vector(KC_OP_REDUCE_MEAN, dtype, 3, VALUES(1, 2, 2),
                 rounded(dtype, 5.0 / 3.0));
    check_vector(KC_OP_REDUCE_MEAN, dtype, 3, VALUES(1, 1, 1), 1);
}
END_TEST

TCase *tcase_reduce(void)
{
    TCase *tcase = tcase_create("reduce");
    tcase_add_loop_test(tcase, reductions_are_the_left_fold, 0, 2);
    tcase_add_loop_test(tcase, sums_have_the_written_order, 0, 2);
    tcase_add_loop_test(tcase, reductions_of_nothing, 0, 2);
    tcase_add_loop_test(tcase, mean_divides_once, 0, 2);
    return tcase;
}
