/* SPDX-License-Identifier: Apache-2.0
 *
 * Pointwise oracles at the corners of their definitions and at known values.
 */
#include <float.h>
#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

static void expect_unary(int32_t op, double x, double y, double tolerance)
{
    worked_t w = worked_begin(op);
    worked_add(&w, KC_DTYPE_F32, SCALAR, &x);
    worked_expect(&w, SCALAR, &y, tolerance);
    worked_end(&w);
}

static void expect_binary(int32_t op, double a, double b, double y)
{
    worked_t w = worked_begin(op);
    worked_add(&w, KC_DTYPE_F32, SCALAR, &a);
    worked_add(&w, KC_DTYPE_F32, SCALAR, &b);
    worked_expect_exact(&w, SCALAR, &y);
    worked_end(&w);
}

START_TEST(arithmetic)
{
    expect_binary(KC_OP_ADD, 1, 2, 3);
    expect_binary(KC_OP_SUB, 1, 2, -1);
    expect_binary(KC_OP_MUL, -3, 2, -6);
    expect_binary(KC_OP_ADD, INFINITY, -INFINITY, NAN);
    expect_unary(KC_OP_INV, -0.0, -INFINITY, 0);
    expect_unary(KC_OP_INV, 4, 0.25, 0);
    expect_unary(KC_OP_SQRT, -0.0, -0.0, 0);
    expect_unary(KC_OP_SQRT, -1, NAN, 0);
}
END_TEST

START_TEST(selections)
{
    expect_binary(KC_OP_MAX, 0.0, -0.0, 0.0);
    expect_binary(KC_OP_MAX, -0.0, 0.0, 0.0);
    expect_binary(KC_OP_MIN, 0.0, -0.0, -0.0);
    expect_binary(KC_OP_MAX, NAN, 1, NAN);
    expect_binary(KC_OP_MAX, 1, NAN, NAN);
    expect_binary(KC_OP_MIN, 1, NAN, NAN);
    expect_unary(KC_OP_RELU, -0.0, 0.0, 0);
    expect_unary(KC_OP_RELU, NAN, NAN, 0);
    expect_unary(KC_OP_RELU, -INFINITY, 0, 0);
    expect_unary(KC_OP_ABS, -0.0, 0.0, 0);
}
END_TEST

static void expect_clamp(double lo, double hi, double x, double y)
{
    worked_t w = worked_begin(KC_OP_CLAMP);
    w.attributes.u.clamp.lo = lo;
    w.attributes.u.clamp.hi = hi;
    worked_add(&w, KC_DTYPE_F32, SCALAR, &x);
    worked_expect_exact(&w, SCALAR, &y);
    worked_end(&w);
}

START_TEST(clamp)
{
    expect_clamp(-1, 1, 3, 1);
    expect_clamp(-1, 1, -3, -1);
    expect_clamp(-1, 1, NAN, NAN);
    expect_clamp(2, 1, 1.5, 1); /* hi wins */
    expect_clamp(-INFINITY, INFINITY, 7, 7);
    expect_clamp(0.1, 1, 0, (double)0.1F);
}
END_TEST

START_TEST(scale_rounds_its_factor)
{
    worked_t w = worked_begin(KC_OP_SCALE);
    double one = 1;
    double y = (double)0.1F;
    w.attributes.u.scale.factor = 0.1;
    worked_add(&w, KC_DTYPE_F32, SCALAR, &one);
    worked_expect_exact(&w, SCALAR, &y);
    worked_end(&w);
}
END_TEST

static void expect_gelu(int32_t form, double x, double y, double tolerance)
{
    worked_t w = worked_begin(KC_OP_GELU);
    w.attributes.u.gelu.approximate = form;
    worked_add(&w, KC_DTYPE_F64, SCALAR, &x);
    worked_expect(&w, SCALAR, &y, tolerance);
    worked_end(&w);
}

START_TEST(gelu)
{
    expect_gelu(KC_GELU_TANH, 1, 0.841192, 5e-7);
    expect_gelu(KC_GELU_TANH, -1, -0.158808, 5e-7);
    expect_gelu(KC_GELU_ERF, 1, 0.8413447460685429, 1e-15);
    expect_gelu(KC_GELU_ERF, -1, -0.15865525393145705, 1e-15);
    expect_gelu(KC_GELU_TANH, -INFINITY, NAN, 0);
    expect_gelu(KC_GELU_ERF, -INFINITY, NAN, 0);
    expect_gelu(KC_GELU_TANH, INFINITY, INFINITY, 0);
    expect_gelu(KC_GELU_TANH, 1e200, 1e200, 0);
    /* A tail that 1 + tanh cannot reach: -10 / (1 + e^(2 * 43.66)). */
    expect_gelu(KC_GELU_TANH, -10, -1.20409234820980e-37, 1e-50);
}
END_TEST

START_TEST(functions)
{
    double log2 = 0.6931471805599453;
    expect_unary(KC_OP_SIGMOID, 0, 0.5, 0);
    expect_unary(KC_OP_SIGMOID, INFINITY, 1, 0);
    expect_unary(KC_OP_SIGMOID, -INFINITY, 0, 0);
    expect_unary(KC_OP_SOFTPLUS, 0, log2, 1e-15);
    expect_unary(KC_OP_SOFTPLUS, -INFINITY, 0, 0);
    expect_unary(KC_OP_SOFTPLUS, 1000, 1000, 0);
    expect_unary(KC_OP_TANH, INFINITY, 1, 0);
    expect_unary(KC_OP_EXP, 0, 1, 0);
    expect_unary(KC_OP_LOG, 0, -INFINITY, 0);
    expect_unary(KC_OP_LOG, -1, NAN, 0);
    expect_unary(KC_OP_SIN, INFINITY, NAN, 0);
    expect_unary(KC_OP_COS, 0, 1, 0);
}
END_TEST

START_TEST(safe_log)
{
    worked_t w = worked_begin(KC_OP_SAFE_LOG);
    double x = 0;
    double eps = 1e-6;
    double y = -0.366511;
    worked_add(&w, KC_DTYPE_F64, SCALAR, &x);
    worked_add(&w, KC_DTYPE_F64, SCALAR, &eps);
    worked_expect(&w, SCALAR, &y, 5e-7);
    worked_end(&w);
}
END_TEST

/* Correctly rounded is right, the neighbour is not. */
START_TEST(function_bounds_are_half_an_ulp)
{
    worked_t w = worked_begin(KC_OP_EXP);
    double one = 1;
    double y = exp(1);
    worked_add(&w, KC_DTYPE_F32, SCALAR, &one);
    worked_expect(&w, SCALAR, &y, 0);
    double right = (double)(float)y;
    double next = (double)nextafterf((float)y, 3);
    ck_assert(fabs(right - y) <= w.problem.bounds[0]);
    ck_assert(fabs(next - y) > w.problem.bounds[0]);
    worked_end(&w);
}
END_TEST

CONFORM_SUITE(pointwise, arithmetic, selections, clamp, scale_rounds_its_factor,
              gelu, functions, safe_log, function_bounds_are_half_an_ulp)
