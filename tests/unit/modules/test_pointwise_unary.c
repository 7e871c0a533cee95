/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of one operand that are plain arithmetic, the table of kinks and
 * special values of all of them, and strict domains.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

#define LO     -0.75
#define HI     1.1 /* no float32: it has to be rounded once */
#define FACTOR 0.1

static const int32_t ops[] = {KC_OP_SCALE, KC_OP_ABS,  KC_OP_SQRT,
                              KC_OP_CLAMP, KC_OP_RELU, KC_OP_INV};
#define OP_COUNT (int)(sizeof ops / sizeof ops[0])

static double meaning(int32_t op, int32_t dtype, double x)
{
    switch (op) {
    case KC_OP_SCALE:
        return x * rounded(dtype, FACTOR);
    case KC_OP_ABS:
        return fabs(x);
    case KC_OP_SQRT:
        return sqrt(x);
    case KC_OP_CLAMP:
        return x < LO ? LO : x > HI ? rounded(dtype, HI) : x;
    case KC_OP_RELU:
        return x > 0 || isnan(x) ? x : 0;
    default:
        return 1 / x;
    }
}

static void set_attributes(trial_t *trial)
{
    if (trial->op == KC_OP_SCALE) {
        trial->attributes.u.scale.factor = FACTOR;
    }
    if (trial->op == KC_OP_CLAMP) {
        trial->attributes.u.clamp.lo = LO;
        trial->attributes.u.clamp.hi = HI;
    }
}

static void check_random(int32_t op, int32_t dtype, int64_t rows, int in_place,
                         uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    double *expected;
    trial_init(&trial, op);
    trial.seed = seed;
    trial.in_place = in_place;
    set_attributes(&trial);
    trial_add(&trial, operand_create(dtype, SHAPE(rows, 37)));
    trial_set_output(&trial, operand_create(dtype, SHAPE(rows, 37)));
    trial_fill_wild(trial.inputs[0], &state, 1);
    expected = new_doubles(trial.output->count);
    for (size_t i = 0; i < trial.output->count; i++) {
        double x = operand_get(trial.inputs[0], i);
        expected[i] = rounded(dtype, meaning(op, dtype, x));
    }
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

START_TEST(unary_rounds_once)
{
    const int64_t rows[] = {0, 1, 20, 900};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t type = 0; type < 2; type++) {
            check_random(ops[_i], trial_floats[type], rows[i], 0, 6000 + i);
            check_random(ops[_i], trial_floats[type], rows[i], 1, 6100 + i);
        }
    }
}
END_TEST

static void init_scalar(trial_t *trial, int32_t op, int32_t dtype, double x)
{
    trial_init(trial, op);
    operand_set(trial_add(trial, operand_create(dtype, 0, NULL)), 0, x);
    trial_set_output(trial, operand_create(dtype, 0, NULL));
}

static void check_value(int32_t op, int32_t dtype, double x, double expected)
{
    trial_t trial;
    init_scalar(&trial, op, dtype, x);
    trial_expect(&trial, &expected);
    trial_clear(&trial);
}

START_TEST(special_values)
{
    const double inf = INFINITY;
    const struct {
        int32_t op;
        double x;
        double y;
    } rows[] = {{KC_OP_ABS, -0.0, 0.0},     {KC_OP_ABS, -inf, inf},
                {KC_OP_ABS, NAN, NAN},      {KC_OP_SQRT, -0.0, -0.0},
                {KC_OP_SQRT, -1, NAN},      {KC_OP_SQRT, inf, inf},
                {KC_OP_SQRT, NAN, NAN},     {KC_OP_RELU, -0.0, 0.0},
                {KC_OP_RELU, 0.0, 0.0},     {KC_OP_RELU, NAN, NAN},
                {KC_OP_RELU, -inf, 0.0},    {KC_OP_RELU, inf, inf},
                {KC_OP_GELU, -inf, NAN},    {KC_OP_GELU, inf, inf},
                {KC_OP_GELU, NAN, NAN},     {KC_OP_GELU, 0.0, 0.0},
                {KC_OP_SIGMOID, inf, 1},    {KC_OP_SIGMOID, -inf, 0.0},
                {KC_OP_SIGMOID, 0.0, 0.5},  {KC_OP_SIGMOID, NAN, NAN},
                {KC_OP_TANH, inf, 1},       {KC_OP_TANH, -inf, -1},
                {KC_OP_TANH, -0.0, -0.0},   {KC_OP_TANH, NAN, NAN},
                {KC_OP_SOFTPLUS, inf, inf}, {KC_OP_SOFTPLUS, -inf, 0.0},
                {KC_OP_SOFTPLUS, NAN, NAN}, {KC_OP_SOFTPLUS, 1000, 1000},
                {KC_OP_EXP, inf, inf},      {KC_OP_EXP, -inf, 0.0},
                {KC_OP_EXP, 1000, inf},     {KC_OP_EXP, -1000, 0.0},
                {KC_OP_EXP, 0.0, 1},        {KC_OP_EXP, NAN, NAN},
                {KC_OP_LOG, 0.0, -inf},     {KC_OP_LOG, -0.0, -inf},
                {KC_OP_LOG, -1, NAN},       {KC_OP_LOG, inf, inf},
                {KC_OP_LOG, 1, 0.0},        {KC_OP_LOG, NAN, NAN},
                {KC_OP_SIN, inf, NAN},      {KC_OP_SIN, -0.0, -0.0},
                {KC_OP_SIN, NAN, NAN},      {KC_OP_COS, -inf, NAN},
                {KC_OP_COS, 0.0, 1},        {KC_OP_COS, NAN, NAN},
                {KC_OP_INV, 0.0, inf},      {KC_OP_INV, -0.0, -inf},
                {KC_OP_INV, inf, 0.0},      {KC_OP_INV, -inf, -0.0},
                {KC_OP_INV, NAN, NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_value(rows[i].op, trial_floats[_i], rows[i].x, rows[i].y);
    }
}
END_TEST

static void check_clamp(int32_t dtype, double lo, double hi, double x,
                        double expected)
{
    trial_t trial;
    init_scalar(&trial, KC_OP_CLAMP, dtype, x);
    trial.attributes.u.clamp.lo = lo;
    trial.attributes.u.clamp.hi = hi;
    trial_expect(&trial, &expected);
    trial_clear(&trial);
}

START_TEST(clamp_bounds)
{
    int32_t dtype = trial_floats[_i];
    check_clamp(dtype, -1, 1, -1, -1);
    check_clamp(dtype, -1, 1, 1, 1);
    check_clamp(dtype, -1, 1, NAN, NAN);
    check_clamp(dtype, 2, -2, 5, -2); /* lo > hi: hi everywhere */
    check_clamp(dtype, 2, -2, -5, -2);
    check_clamp(dtype, 2, -2, 0, -2);
    check_clamp(dtype, -INFINITY, INFINITY, -7, -7);
    check_clamp(dtype, 0.0, 1, -0.0, 0.0);
    check_clamp(dtype, -1, -0.0, 0.0, -0.0);
}
END_TEST

START_TEST(scale_by_special_factors)
{
    const double factors[] = {NAN, INFINITY, 1e39};
    const double expected_f32[] = {NAN, INFINITY, INFINITY};
    const double expected_f64[] = {NAN, INFINITY, 2e39};
    for (size_t i = 0; i < 3; i++) {
        trial_t trial;
        init_scalar(&trial, KC_OP_SCALE, trial_floats[_i], 2);
        trial.attributes.u.scale.factor = factors[i];
        trial_expect(&trial, _i == 0 ? &expected_f32[i] : &expected_f64[i]);
        trial_clear(&trial);
    }
}
END_TEST

/* 20000 elements: larger than one tile. `bad` is refused wherever it is. */
static void check_strict(int32_t op, int32_t dtype, double bad,
                         const char *message)
{
    trial_t trial;
    trial_init(&trial, op);
    trial.numerics = KC_NUMERICS_STRICT_DOMAIN;
    trial_add(&trial, operand_create(dtype, SHAPE(20000)));
    trial_set_output(&trial, operand_create(dtype, SHAPE(20000)));
    for (size_t i = 0; i < 20000; i++) {
        operand_set(trial.inputs[0], i, 2);
    }
    ck_assert_int_eq(trial_run(&trial, 2), KC_OK);
    operand_set(trial.inputs[0], 19997, bad);
    operand_set(trial.inputs[0], 19999, bad);
    ck_assert_int_eq(trial_run(&trial, 2), KC_ERR_KERNEL);
    ck_assert_str_eq(trial.error.message, message);
    ck_assert_int_eq(trial.error.status, KC_ERR_KERNEL);
    trial.numerics = 0;
    ck_assert_int_eq(trial_run(&trial, 2), KC_OK);
    trial_clear(&trial);
}

START_TEST(strict_domains)
{
    int32_t dtype = trial_floats[_i];
    check_strict(KC_OP_SQRT, dtype, -0.5,
                 "sqrt: input element 19997 is -0.5, expected no negative "
                 "number");
    check_strict(KC_OP_LOG, dtype, 0,
                 "log: input element 19997 is 0, expected a number above 0 "
                 "(safe_log takes any finite number)");
    check_strict(KC_OP_LOG, dtype, -3,
                 "log: input element 19997 is -3, expected a number above 0 "
                 "(safe_log takes any finite number)");
    check_strict(KC_OP_LOG, dtype, NAN,
                 "log: input element 19997 is nan, expected a number above 0 "
                 "(safe_log takes any finite number)");
}
END_TEST

/* Neither is negative: -0 has the root -0, NaN stays NaN. */
START_TEST(strict_sqrt_takes_zero_and_nan)
{
    const double values[] = {-0.0, 0.0, NAN};
    for (size_t i = 0; i < 3; i++) {
        trial_t trial;
        init_scalar(&trial, KC_OP_SQRT, trial_floats[_i], values[i]);
        trial.numerics = KC_NUMERICS_STRICT_DOMAIN;
        trial_expect(&trial, &values[i]);
        trial_clear(&trial);
    }
}
END_TEST

TCase *tcase_pointwise_unary(void)
{
    TCase *tcase = tcase_create("pointwise_unary");
    tcase_add_loop_test(tcase, unary_rounds_once, 0, OP_COUNT);
    tcase_add_loop_test(tcase, special_values, 0, 2);
    tcase_add_loop_test(tcase, clamp_bounds, 0, 2);
    tcase_add_loop_test(tcase, scale_by_special_factors, 0, 2);
    tcase_add_loop_test(tcase, strict_domains, 0, 2);
    tcase_add_loop_test(tcase, strict_sqrt_takes_zero_and_nan, 0, 2);
    return tcase;
}
