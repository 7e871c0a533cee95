/* SPDX-License-Identifier: Apache-2.0
 *
 * add, sub, mul, max and min: random operands against one rounded operation,
 * and the table of zeros, infinities and NaN.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

static double larger(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return NAN;
    }
    if (a == 0 && b == 0) {
        return signbit(a) && signbit(b) ? -0.0 : 0.0;
    }
    return a > b ? a : b;
}

static double meaning(int32_t op, double a, double b)
{
    switch (op) {
    case KC_OP_ADD:
        return a + b;
    case KC_OP_SUB:
        return a - b;
    case KC_OP_MUL:
        return a * b;
    case KC_OP_MAX:
        return larger(a, b);
    default:
        return -larger(-a, -b);
    }
}

static const int32_t ops[] = {KC_OP_ADD, KC_OP_SUB, KC_OP_MUL, KC_OP_MAX,
                              KC_OP_MIN};
#define OP_COUNT (int)(sizeof ops / sizeof ops[0])

static void check_random(int32_t op, int32_t dtype, int64_t rows, int in_place,
                         uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    double *expected;
    trial_init(&trial, op);
    trial.seed = seed;
    trial.in_place = in_place;
    trial_add(&trial, operand_create(dtype, SHAPE(rows, 37)));
    trial_add(&trial, operand_create(dtype, SHAPE(rows, 37)));
    trial_set_output(&trial, operand_create(dtype, SHAPE(rows, 37)));
    trial_fill_wild(trial.inputs[0], &state, 1);
    trial_fill_wild(trial.inputs[1], &state, 1);
    expected = new_doubles(trial.output->count);
    for (size_t i = 0; i < trial.output->count; i++) {
        expected[i] =
            rounded(dtype, meaning(op, operand_get(trial.inputs[0], i),
                                   operand_get(trial.inputs[1], i)));
    }
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

START_TEST(binary_rounds_once)
{
    const int64_t rows[] = {0, 1, 20, 900};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t type = 0; type < 2; type++) {
            check_random(ops[_i], trial_floats[type], rows[i], 0, 5000 + i);
            check_random(ops[_i], trial_floats[type], rows[i], 1, 5100 + i);
        }
    }
}
END_TEST

static void check_pair(int32_t op, int32_t dtype, double a, double b,
                       double expected)
{
    trial_t trial;
    trial_init(&trial, op);
    operand_set(trial_add(&trial, operand_create(dtype, 0, NULL)), 0, a);
    operand_set(trial_add(&trial, operand_create(dtype, 0, NULL)), 0, b);
    trial_set_output(&trial, operand_create(dtype, 0, NULL));
    trial_expect(&trial, &expected);
    trial_clear(&trial);
}

START_TEST(max_and_min_of_special_values)
{
    const struct {
        double a;
        double b;
        double max;
        double min;
    } rows[] = {{0.0, -0.0, 0.0, -0.0},
                {-0.0, 0.0, 0.0, -0.0},
                {-0.0, -0.0, -0.0, -0.0},
                {0.0, 0.0, 0.0, 0.0},
                {NAN, 1, NAN, NAN},
                {1, NAN, NAN, NAN},
                {NAN, INFINITY, NAN, NAN},
                {-INFINITY, NAN, NAN, NAN},
                {INFINITY, -INFINITY, INFINITY, -INFINITY},
                {INFINITY, INFINITY, INFINITY, INFINITY},
                {3, 3, 3, 3},
                {-1, 2, 2, -1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int32_t dtype = trial_floats[_i];
        check_pair(KC_OP_MAX, dtype, rows[i].a, rows[i].b, rows[i].max);
        check_pair(KC_OP_MIN, dtype, rows[i].a, rows[i].b, rows[i].min);
    }
}
END_TEST

TCase *tcase_pointwise_binary(void)
{
    TCase *tcase = tcase_create("pointwise_binary");
    tcase_add_loop_test(tcase, binary_rounds_once, 0, OP_COUNT);
    tcase_add_loop_test(tcase, max_and_min_of_special_values, 0, 2);
    return tcase;
}
