/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences against derivatives that are known: within their own bound, and
 * that bound is narrow.
 */
#include "conform/difference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "conform/gradient_case.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

#define COUNT 9

static double numbers[2][COUNT] = {
    {-1.9, -1.2, -0.7, -0.3, 0.15, 0.5, 0.8, 1.3, 1.8},
    {0.4, -0.6, 1.1, -1.4, 1.7, 0.2, -0.9, 0.7, -0.1}};
static const double cotangent[COUNT] = {1,   -0.5, 0.25, 2,    -1,
                                        0.5, 0.75, -2,   0.125};
static int64_t vector[] = {COUNT};
static int64_t square[] = {3, 3};

static DLTensor view(double *values, int32_t rank, int64_t *shape)
{
    return (DLTensor){.data = values,
                      .device = {kDLCPU, 0},
                      .ndim = rank,
                      .dtype = {kDLFloat, 64, 1},
                      .shape = shape};
}

static kci_slope_t *slopes_of(int32_t op, const DLTensor *const *inputs,
                              size_t input_count, size_t input)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_attributes_t attributes = {.struct_size = sizeof attributes, .op = op};
    kci_point_t *point = NULL;
    kci_slope_t *slopes = NULL;
    EXPECT_OK(error, kci_point_create(op, &attributes, inputs, input_count,
                                      &point, &error));
    EXPECT_OK(error,
              kci_point_slopes(point, input, cotangent, &slopes, &error));
    kci_point_release(point);
    return slopes;
}

/* `expected` is computed in double itself: a few roundings of its own. */
static void expect_slope(const kci_slope_t *slope, double expected)
{
    double own = 8 * DBL_EPSILON * fabs(expected);
    ck_assert_msg(fabs(slope->value - expected) <= slope->error + own,
                  "expected %.17g, found %.17g within %g", expected,
                  slope->value, slope->error);
}

static double slope_exp(double x)
{
    return exp(x);
}

static double slope_sin(double x)
{
    return cos(x);
}

static double slope_tanh(double x)
{
    return 1 / (cosh(x) * cosh(x));
}

static double slope_softplus(double x)
{
    return 1 / (1 + exp(-x));
}

static double slope_inv(double x)
{
    return -1 / (x * x);
}

static double slope_abs(double x)
{
    return x < 0 ? -1 : 1;
}

START_TEST(functions_of_one_element)
{
    static const struct {
        int32_t op;
        double (*slope)(double x);
    } functions[] = {
        {KC_OP_EXP, slope_exp},           {KC_OP_SIN, slope_sin},
        {KC_OP_TANH, slope_tanh},         {KC_OP_INV, slope_inv},
        {KC_OP_SOFTPLUS, slope_softplus}, {KC_OP_ABS, slope_abs},
    };
    const DLTensor x = view(numbers[0], 1, vector);
    const DLTensor *inputs[] = {&x};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        kci_slope_t *slopes = slopes_of(functions[i].op, inputs, 1, 0);
        for (int k = 0; k < COUNT; k++) {
            double slope = functions[i].slope(numbers[0][k]);
            expect_slope(&slopes[k], cotangent[k] * slope);
            /* (h / 2)^2 / 6 times the third derivative, which is at most 2
             * or the slope itself, h <= 1.9e-3; of 1 / x it is 6 / x^4, and
             * h = x / 1000. */
            ck_assert_double_le(slopes[k].error,
                                4e-7 * fabs(cotangent[k]) * (fabs(slope) + 1));
            ck_assert_double_eq_tol(slopes[k].largest, fabs(slope), 1e-6);
            ck_assert_double_eq_tol(slopes[k].magnitude,
                                    fabs(cotangent[k] * slope), 1e-6);
        }
        free(slopes);
    }
}
END_TEST

/* dA[i, k] = sum over j of g[i, j] B[k, j]. Linear: only roundings are left,
 * each of 1e-16 over a step of 1e-3 and less. */
START_TEST(a_product)
{
    const DLTensor a = view(numbers[0], 2, square);
    const DLTensor b = view(numbers[1], 2, square);
    const DLTensor *inputs[] = {&a, &b};
    kci_slope_t *slopes = slopes_of(KC_OP_MATMUL, inputs, 2, 0);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            double magnitude = 0;
            double largest = 0;
            for (int j = 0; j < 3; j++) {
                double factor = numbers[1][3 * k + j];
                sum += cotangent[3 * i + j] * factor;
                magnitude += fabs(cotangent[3 * i + j] * factor);
                largest = fmax(largest, fabs(factor));
            }
            const kci_slope_t *slope = &slopes[3 * i + k];
            expect_slope(slope, sum);
            ck_assert_double_le(slope->error, 1e-9 * magnitude);
            ck_assert_double_eq_tol(slope->magnitude, magnitude, 1e-9);
            ck_assert_double_eq_tol(slope->largest, largest, 1e-9);
        }
    }
    free(slopes);
}
END_TEST

/* The operands are as before, and those of f32 were read as doubles. */
START_TEST(a_point_is_its_own)
{
    kc_error_t error = KC_ERROR_INIT;
    float single[COUNT];
    kci_point_t *point = NULL;
    kci_slope_t *slopes = NULL;
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_EXP};
    for (int i = 0; i < COUNT; i++) {
        single[i] = (float)numbers[0][i];
    }
    DLTensor x = view(numbers[0], 1, vector);
    x.data = single;
    x.dtype.bits = 32;
    const DLTensor *inputs[] = {&x};
    EXPECT_OK(error, kci_point_create(KC_OP_EXP, &attributes, inputs, 1, &point,
                                      &error));
    EXPECT_OK(error, kci_point_slopes(point, 0, cotangent, &slopes, &error));
    for (int i = 0; i < COUNT; i++) {
        expect_slope(&slopes[i], cotangent[i] * exp((double)single[i]));
        ck_assert_float_eq(single[i], (float)numbers[0][i]);
        ck_assert_double_eq(point->inputs[0].values[i], (double)single[i]);
    }
    free(slopes);
    kci_point_release(point);
    kci_point_release(NULL);
}
END_TEST

/* Of what the slope is made of. Two values that are normalised together may
 * be 4 / 150 apart, and a step of 2e-3 is a thirteenth of that: the error of
 * the difference goes with its square. Of a coefficient of the recurrence the
 * slope is a sum of powers up to 0.9^t, whose third derivative is large. */
static double widest(int32_t op)
{
    switch (op) {
    case KC_OP_LAYER_NORM:
    case KC_OP_BATCH_NORM:
        return 1e-3;
    case KC_OP_SELECTIVE_SCAN:
        return 1e-4;
    default:
        return 1e-6;
    }
}

/*
 * Every operation, over smooth cases: the bound is below a millionth of what
 * the slope is made of, so that an error of a thousandth cannot hide. A kink
 * or a tie that a step crosses would make it as large as the slope.
 */
START_TEST(bounds_are_narrow)
{
    for (int32_t op = KC_OP_BERNOULLI_MASK + 1; op < KC_OP_COUNT; op++) {
        for (uint64_t seed = 900; seed < 912; seed++) {
            kc_error_t error = KC_ERROR_INIT;
            kci_gradient_case_t one;
            EXPECT_OK(error, kci_gradient_case_create(op, KC_DTYPE_F64, seed,
                                                      &one, &error));
            for (size_t i = 0; i < one.trial->input_count; i++) {
                kci_slope_t *slopes = NULL;
                if (!one.wanted[i]) {
                    continue;
                }
                EXPECT_OK(error,
                          kci_point_slopes(one.point, i, one.cotangent_values,
                                           &slopes, &error));
                for (int64_t k = 0; k < one.point->inputs[i].count; k++) {
                    double most = slopes[k].magnitude + slopes[k].largest + 1;
                    ck_assert_msg(slopes[k].error <= widest(op) * most,
                                  "%s seed %d: within %g of %g",
                                  kc_op_label(op), (int)seed, slopes[k].error,
                                  most);
                }
                free(slopes);
            }
            kci_gradient_case_release(&one);
        }
    }
}
END_TEST

CONFORM_SUITE(difference, functions_of_one_element, a_product,
              a_point_is_its_own, bounds_are_narrow)
