/* SPDX-License-Identifier: Apache-2.0
 *
 * Transcendental functions against the real function, evaluated in long
 * double from the written formula: float32 has to be the rounded value,
 * float64 within some units in the last place.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

#define EPS 1e-6
#define PI  3.14159265358979323846264338327950288L

static long double sigmoid(long double x)
{
    return 1 / (1 + expl(-x));
}

static long double softplus(long double x)
{
    return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x));
}

static long double gelu_tanh(long double x)
{
    long double u = sqrtl(2 / PI) * (x + 0.044715L * x * x * x);
    return x * sigmoid(2 * u); /* (1 + tanh u) / 2, without cancellation */
}

static long double gelu_erf(long double x)
{
    return x * erfcl(-x / sqrtl(2)) / 2;
}

typedef struct function {
    int32_t op;
    int32_t gelu_form;
    long double (*meaning)(long double x);
    double lo;
    double hi;
    double tolerance; /* of float64, in halves of a unit in the last place */
} function_t;

/* The tail of gelu is an exponential of about -200: it turns a rounding of
 * its argument into hundreds of units. */
static const function_t functions[] = {
    {KC_OP_GELU, KC_GELU_TANH, gelu_tanh, -14, 14, 2048},
    {KC_OP_GELU, KC_GELU_ERF, gelu_erf, -14, 14, 1024},
    {KC_OP_SIGMOID, 0, sigmoid, -110, 110, 8},
    {KC_OP_TANH, 0, tanhl, -12, 12, 8},
    {KC_OP_SOFTPLUS, 0, softplus, -110, 110, 8},
    {KC_OP_EXP, 0, expl, -105, 90, 8},
    {KC_OP_LOG, 0, logl, 0, 1e6, 8},
    {KC_OP_SIN, 0, sinl, -100, 100, 8},
    {KC_OP_COS, 0, cosl, -100, 100, 8}};
#define FUNCTION_COUNT (int)(sizeof functions / sizeof functions[0])

enum { ELEMENT_COUNT = 40000 };

static void init_trial(trial_t *trial, const function_t *function,
                       int32_t dtype, uint64_t seed)
{
    uint64_t state = seed;
    trial_init(trial, function->op);
    trial->seed = seed;
    trial->attributes.u.gelu.approximate = function->gelu_form;
    trial_add(trial, operand_create(dtype, SHAPE(ELEMENT_COUNT)));
    trial_set_output(trial, operand_create(dtype, SHAPE(ELEMENT_COUNT)));
    trial_fill_uniform(trial->inputs[0], &state, function->lo, function->hi);
}

START_TEST(float32_is_the_rounded_real_function)
{
    trial_t trial;
    double *expected = new_doubles(ELEMENT_COUNT);
    init_trial(&trial, &functions[_i], KC_DTYPE_F32, 7000 + (uint64_t)_i);
    for (size_t i = 0; i < ELEMENT_COUNT; i++) {
        long double x = (long double)operand_get(trial.inputs[0], i);
        expected[i] = (double)(float)functions[_i].meaning(x);
    }
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}
END_TEST

START_TEST(float64_is_close_to_the_real_function)
{
    trial_t trial;
    init_trial(&trial, &functions[_i], KC_DTYPE_F64, 7100 + (uint64_t)_i);
    ck_assert_int_eq(trial_run(&trial, 2), KC_OK);
    for (size_t i = 0; i < ELEMENT_COUNT; i++) {
        double x = operand_get(trial.inputs[0], i);
        double found = operand_get(trial.output, i);
        long double expected = functions[_i].meaning((long double)x);
        long double bound =
            fabsl(expected) * 0x1p-53L * (long double)functions[_i].tolerance;
        if (!(fabsl((long double)found - expected) <= bound)) {
            ck_abort_msg(
                "operation %d of %a: expected %La, found %a; seed %llu",
                (int)trial.op, x, expected, found,
                (unsigned long long)trial.seed);
        }
    }
    trial_clear(&trial);
}
END_TEST

static kc_status_t run_safe_log(int32_t dtype, double x, double eps,
                                double *out_y, kc_error_t *out_error)
{
    trial_t trial;
    kc_status_t status;
    trial_init(&trial, KC_OP_SAFE_LOG);
    operand_set(trial_add(&trial, operand_create(dtype, SHAPE(1))), 0, x);
    operand_set(trial_add(&trial, operand_create(dtype, 0, NULL)), 0, eps);
    trial_set_output(&trial, operand_create(dtype, SHAPE(1)));
    status = trial_run(&trial, 1);
    *out_y = operand_get(trial.output, 0);
    *out_error = trial.error;
    trial_clear(&trial);
    return status;
}

START_TEST(safe_log_is_log_of_softplus)
{
    const double xs[] = {0, 1, -1, 30, -30, 1000, -1000, -0.0, 0x1p-140};
    for (size_t i = 0; i < sizeof xs / sizeof xs[0]; i++) {
        kc_error_t error;
        double y;
        long double eps = (long double)(float)EPS;
        double expected =
            (double)(float)logl(softplus((long double)xs[i]) + eps);
        ck_assert_int_eq(run_safe_log(KC_DTYPE_F32, xs[i], EPS, &y, &error),
                         KC_OK);
        ck_assert_msg(same_bits(y, expected), "safe_log(%g): %.9g, not %.9g",
                      xs[i], y, expected);
    }
}
END_TEST

/* 1e-50 and 1e39 are finite and positive until they become float32. */
START_TEST(safe_log_refuses_its_eps)
{
    const double bad[] = {0, -1, NAN, INFINITY, 1e-50, 1e39};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        kc_error_t error;
        double y;
        ck_assert_int_eq(run_safe_log(KC_DTYPE_F32, 1, bad[i], &y, &error),
                         KC_ERR_KERNEL);
        ck_assert_msg(strstr(error.message, "safe_log: eps") != NULL, "%s",
                      error.message);
    }
}
END_TEST

static double value_of(int32_t op, double x)
{
    trial_t trial;
    double y;
    trial_init(&trial, op);
    operand_set(trial_add(&trial, operand_create(KC_DTYPE_F32, 0, NULL)), 0, x);
    trial_set_output(&trial, operand_create(KC_DTYPE_F32, 0, NULL));
    ck_assert_int_eq(trial_run(&trial, 0), KC_OK);
    y = operand_get(trial.output, 0);
    trial_clear(&trial);
    return y;
}

START_TEST(golden_values)
{
    kc_error_t error;
    double y;
    ck_assert_double_eq_tol(value_of(KC_OP_GELU, 1), 0.841192, 5e-7);
    ck_assert_double_eq_tol(value_of(KC_OP_GELU, -1), -0.158808, 5e-7);
    ck_assert_int_eq(run_safe_log(KC_DTYPE_F32, 0, EPS, &y, &error), KC_OK);
    ck_assert_double_eq_tol(y, -0.366511, 5e-7);
}
END_TEST

TCase *tcase_transcendental(void)
{
    TCase *tcase = tcase_create("transcendental");
    tcase_add_loop_test(tcase, float32_is_the_rounded_real_function, 0,
                        FUNCTION_COUNT);
    tcase_add_loop_test(tcase, float64_is_close_to_the_real_function, 0,
                        FUNCTION_COUNT);
    tcase_add_test(tcase, safe_log_is_log_of_softplus);
    tcase_add_test(tcase, safe_log_refuses_its_eps);
    tcase_add_test(tcase, golden_values);
    return tcase;
}
