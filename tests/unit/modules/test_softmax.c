/* SPDX-License-Identifier: Apache-2.0
 *
 * softmax, log_softmax and hard_masked_softmax: the written formula bit by
 * bit along every axis, extremes, and what a mask is not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

/* The oracle's slice, in place. */
static void log_softmax_of(int32_t dtype, size_t n, double *x)
{
    double largest = x[0];
    double sum = 0;
    double log_sum;
    for (size_t i = 1; i < n; i++) {
        largest = x[i] > largest ? x[i] : largest;
    }
    for (size_t i = 0; i < n; i++) {
        double e = rounded(dtype, exp(rounded(dtype, x[i] - largest)));
        sum = rounded(dtype, sum + e);
    }
    log_sum = rounded(dtype, log(sum));
    for (size_t i = 0; i < n; i++) {
        x[i] = rounded(dtype, rounded(dtype, x[i] - largest) - log_sum);
    }
}

static void expect_slices(trial_t *trial, int32_t axis)
{
    const operand_t *x = trial->inputs[0];
    double *expected = new_doubles(x->count);
    size_t n = x->view.ndim == 0 ? 1 : (size_t)x->shape[axis];
    size_t inner = x->view.ndim == 0 ? 1 : (size_t)x->strides[axis];
    double *slice = new_doubles(n);
    unsigned char *allowed = calloc(n + 1, 1);
    ck_assert_ptr_nonnull(allowed);
    for (size_t r = 0; n > 0 && r < x->count / n; r++) {
        size_t first = r / inner * n * inner + r % inner;
        for (size_t i = 0; i < n; i++) {
            slice[i] = operand_get(x, first + i * inner);
            allowed[i] = trial->op != KC_OP_HARD_MASKED_SOFTMAX ||
                         operand_get(trial->inputs[1], first + i) != 0;
        }
        if (trial->op == KC_OP_LOG_SOFTMAX) {
            log_softmax_of(x->dtype, n, slice);
        } else {
            oracle_softmax(x->dtype, n, slice, allowed, slice);
        }
        for (size_t i = 0; i < n; i++) {
            expected[first + i * inner] = slice[i];
        }
    }
    trial_expect(trial, expected);
    free(allowed);
    free(slice);
    free(expected);
}

static void check_random(int32_t op, int32_t dtype, int32_t axis,
                         const int64_t *shape, int wild, uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    trial_init(&trial, op);
    trial.seed = seed;
    trial.in_place = wild;
    trial.attributes.u.axis.axis = axis;
    trial_add(&trial, operand_create(dtype, 3, shape));
    trial_set_output(&trial, operand_create(dtype, 3, shape));
    if (wild) {
        trial_fill_wild(trial.inputs[0], &state, 1);
    } else {
        trial_fill_uniform(trial.inputs[0], &state, -20, 20);
    }
    if (op == KC_OP_HARD_MASKED_SOFTMAX) {
        operand_t *mask =
            trial_add(&trial, operand_create(KC_DTYPE_BOOL, 3, shape));
        for (size_t i = 0; i < mask->count; i++) {
            operand_set(mask, i, random_word(&state) % 3 != 0);
        }
    }
    expect_slices(&trial, axis);
    trial_clear(&trial);
}

START_TEST(slices_are_the_written_formula)
{
    const int64_t shapes[][3] = {{2, 3, 4},   {1, 1, 1},   {30, 20, 9},
                                 {5, 400, 3}, {700, 2, 5}, {0, 3, 2},
                                 {3, 0, 7},   {2, 3, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (int wild = 0; wild < 2; wild++) {
            int32_t dtype = trial_floats[_i];
            for (int32_t axis = 0; axis < 3; axis++) {
                check_random(KC_OP_SOFTMAX, dtype, axis, shapes[i], wild,
                             8000 + i);
                check_random(KC_OP_LOG_SOFTMAX, dtype, axis, shapes[i], wild,
                             8000 + i);
            }
            check_random(KC_OP_HARD_MASKED_SOFTMAX, dtype, 2, shapes[i], wild,
                         8000 + i);
        }
    }
}
END_TEST

/* One row; `mask` NULL unless the operation takes one. */
static void run_row(int32_t op, int32_t dtype, size_t n, const double *x,
                    const double *mask, double *out_y)
{
    trial_t trial;
    trial_init(&trial, op);
    operand_fill(trial_add(&trial, operand_create(dtype, SHAPE((int64_t)n))),
                 x);
    if (mask != NULL) {
        operand_fill(
            trial_add(&trial, operand_create(KC_DTYPE_BOOL, SHAPE((int64_t)n))),
            mask);
    }
    trial_set_output(&trial, operand_create(dtype, SHAPE((int64_t)n)));
    ck_assert_int_eq(trial_run(&trial, 1), KC_OK);
    for (size_t i = 0; i < n; i++) {
        out_y[i] = operand_get(trial.output, i);
    }
    trial_clear(&trial);
}

static void check_row(int32_t op, int32_t dtype, size_t n, const double *x,
                      const double *mask, const double *expected, double bound)
{
    double y[4];
    run_row(op, dtype, n, x, mask, y);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(
            same_bits(y[i], expected[i]) || fabs(y[i] - expected[i]) <= bound,
            "element %zu: expected %.9g, found %.9g", i, expected[i], y[i]);
    }
}

START_TEST(extremes_stay_finite)
{
    int32_t dtype = trial_floats[_i];
    check_row(KC_OP_SOFTMAX, dtype, 2, VALUES(1000, 1001), NULL,
              VALUES(0.268941, 0.731059), 5e-7);
    check_row(KC_OP_SOFTMAX, dtype, 2, VALUES(-10000, -10000), NULL,
              VALUES(0.5, 0.5), 0);
    check_row(KC_OP_SOFTMAX, dtype, 2, VALUES(0, -INFINITY), NULL,
              VALUES(1, 0.0), 0);
    /* Cross entropy of logits [1000, 0]: 0 for class 0, 1000 for class 1. */
    check_row(KC_OP_LOG_SOFTMAX, dtype, 2, VALUES(1000, 0), NULL,
              VALUES(0.0, -1000), 0);
    check_row(KC_OP_LOG_SOFTMAX, dtype, 2, VALUES(0, -INFINITY), NULL,
              VALUES(0.0, -INFINITY), 0);
}
END_TEST

START_TEST(rows_without_a_maximum_are_nan)
{
    const double rows[][2] = {{-INFINITY, -INFINITY},
                              {NAN, 1},
                              {1, NAN},
                              {INFINITY, 1},
                              {1, INFINITY}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_row(KC_OP_SOFTMAX, trial_floats[_i], 2, rows[i], NULL,
                  VALUES(NAN, NAN), 0);
    }
}
END_TEST

START_TEST(scalars)
{
    const double one = 1;
    const double zero = 0;
    for (int allowed = 0; allowed < 2; allowed++) {
        trial_t trial;
        trial_init(&trial, KC_OP_HARD_MASKED_SOFTMAX);
        operand_set(
            trial_add(&trial, operand_create(trial_floats[_i], 0, NULL)), 0, 7);
        operand_set(trial_add(&trial, operand_create(KC_DTYPE_BOOL, 0, NULL)),
                    0, allowed);
        trial_set_output(&trial, operand_create(trial_floats[_i], 0, NULL));
        trial_expect(&trial, allowed ? &one : &zero);
        trial.op = KC_OP_SOFTMAX;
        trial_expect(&trial, &one);
        trial.op = KC_OP_LOG_SOFTMAX;
        trial_expect(&trial, &zero);
        trial_clear(&trial);
    }
}
END_TEST

static const double demo_scores[3][3] = {{1, 2, 3}, {.5, 0, -.5}, {2, 2, 2}};
static const double causal[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};

START_TEST(masked_rows_of_the_demonstration)
{
    const double weights[3][3] = {
        {1, 0, 0}, {0.622459, 0.377541, 0}, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
    for (size_t row = 0; row < 3; row++) {
        double y[3];
        check_row(KC_OP_HARD_MASKED_SOFTMAX, trial_floats[_i], 3,
                  demo_scores[row], causal[row], weights[row], 5e-7);
        run_row(KC_OP_HARD_MASKED_SOFTMAX, trial_floats[_i], 3,
                demo_scores[row], causal[row], y);
        for (size_t i = row + 1; i < 3; i++) {
            ck_assert_msg(same_bits(y[i], 0.0), "a blocked weight is %a", y[i]);
        }
    }
}
END_TEST

/* A large negative score in an ordinary softmax is no mask: it leaves some
 * weight, and a whole row of it becomes uniform. */
START_TEST(a_sentinel_is_not_a_mask)
{
    int32_t dtype = trial_floats[_i];
    double y[3];
    run_row(KC_OP_SOFTMAX, dtype, 3, VALUES(1, 2, -30), NULL, y);
    ck_assert_msg(y[2] > 0, "the sentinel's weight is %a", y[2]);
    ck_assert_double_eq_tol(y[2], 9.2582e-15, 5e-19);
    run_row(KC_OP_SOFTMAX, dtype, 3, VALUES(1, -30, -30), NULL, y);
    ck_assert_double_eq_tol(y[1], 3.4425e-14, 5e-18);
    check_row(KC_OP_SOFTMAX, dtype, 3, VALUES(-1e30, -1e30, -1e30), NULL,
              VALUES(1.0 / 3, 1.0 / 3, 1.0 / 3), 5e-8);
    check_row(KC_OP_HARD_MASKED_SOFTMAX, dtype, 3, VALUES(-1e30, -1e30, -1e30),
              VALUES(0, 0, 0), VALUES(0.0, 0.0, 0.0), 0);
    check_row(KC_OP_HARD_MASKED_SOFTMAX, dtype, 2, VALUES(1, 2), VALUES(1, 0),
              VALUES(1, 0.0), 0);
}
END_TEST

START_TEST(blocked_values_cannot_matter)
{
    int32_t dtype = trial_floats[_i];
    const double evil[] = {NAN, INFINITY, -INFINITY, 1e38};
    for (size_t i = 0; i < 4; i++) {
        check_row(KC_OP_HARD_MASKED_SOFTMAX, dtype, 3, VALUES(evil[i], 4, 4),
                  VALUES(0, 1, 1), VALUES(0.0, 0.5, 0.5), 0);
        check_row(KC_OP_HARD_MASKED_SOFTMAX, dtype, 3, VALUES(4, 4, evil[i]),
                  VALUES(1, 1, 0), VALUES(0.5, 0.5, 0.0), 0);
    }
    check_row(KC_OP_HARD_MASKED_SOFTMAX, dtype, 3, VALUES(NAN, 4, 4),
              VALUES(1, 1, 0), VALUES(NAN, NAN, 0.0), 0);
}
END_TEST

TCase *tcase_softmax(void)
{
    TCase *tcase = tcase_create("softmax");
    tcase_add_loop_test(tcase, slices_are_the_written_formula, 0, 2);
    tcase_add_loop_test(tcase, extremes_stay_finite, 0, 2);
    tcase_add_loop_test(tcase, rows_without_a_maximum_are_nan, 0, 2);
    tcase_add_loop_test(tcase, scalars, 0, 2);
    tcase_add_loop_test(tcase, masked_rows_of_the_demonstration, 0, 2);
    tcase_add_loop_test(tcase, a_sentinel_is_not_a_mask, 0, 2);
    tcase_add_loop_test(tcase, blocked_values_cannot_matter, 0, 2);
    return tcase;
}
