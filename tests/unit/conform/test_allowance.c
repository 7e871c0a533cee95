/* SPDX-License-Identifier: Apache-2.0
 *
 * What a gradient may be off: proportional to the precision of the type, to
 * the number of terms and to what is added up; and more where the parts of a
 * rule are larger than its derivatives.
 */
#include "conform/allowance.h"

#include <math.h>

#include "unit/conform/suites.h"
#include "unit/expect.h"

static double allowance_of(int32_t op, int32_t dtype, uint64_t seed,
                           kci_slope_t slope, double ulps)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_gradient_case_t one;
    EXPECT_OK(error, kci_gradient_case_create(op, dtype, seed, &one, &error));
    one.largest_cotangent = 1;
    one.output.count = 84;
    double allowance = kci_gradient_allowance(&one, &slope, 1, ulps);
    kci_gradient_case_release(&one);
    return allowance;
}

/* (84 + 16) u (magnitude + 1 + largest) */
START_TEST(the_general_case)
{
    const kci_slope_t slope = {.magnitude = 5, .largest = 2};
    double single = allowance_of(KC_OP_MATMUL, KC_DTYPE_F32, 3, slope, 0);
    double twice = allowance_of(KC_OP_MATMUL, KC_DTYPE_F64, 3, slope, 0);
    double stated = allowance_of(KC_OP_MATMUL, KC_DTYPE_F64, 3, slope, 100);
    ck_assert_double_eq_tol(single, 100 * 0x1p-24 * 8, 1e-12);
    ck_assert_double_eq_tol(twice, 100 * 0x1p-53 * 8, 1e-20);
    ck_assert_double_eq_tol(stated, 2 * twice, 1e-20);
}
END_TEST

/* No cotangent and no slope: nothing is added up. */
START_TEST(of_nothing)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_gradient_case_t one;
    EXPECT_OK(error, kci_gradient_case_create(KC_OP_EXP, KC_DTYPE_F32, 4, &one,
                                              &error));
    one.largest_cotangent = 0;
    ck_assert_double_eq(kci_gradient_allowance(&one, NULL, 0, 0), 0);
    kci_gradient_case_release(&one);
}
END_TEST

/* Flat places of these are differences of larger parts. */
START_TEST(parts_that_cancel)
{
    static const int32_t ops[] = {KC_OP_LAYER_NORM, KC_OP_BATCH_NORM,
                                  KC_OP_SMOOTH_MAX_POOL,
                                  KC_OP_SCALED_DOT_PRODUCT_ATTENTION};
    const kci_slope_t flat = {.magnitude = 0, .largest = 0};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (uint64_t seed = 10; seed < 30; seed++) {
            double found = allowance_of(ops[i], KC_DTYPE_F32, seed, flat, 0);
            double general =
                allowance_of(KC_OP_MATMUL, KC_DTYPE_F32, seed, flat, 0);
            ck_assert_double_ge(found, general);
            /* And still far below what is looked for. */
            ck_assert_msg(found < 0.05, "%s seed %d: %g", kc_op_label(ops[i]),
                          (int)seed, found);
        }
    }
}
END_TEST

CONFORM_SUITE(allowance, the_general_case, of_nothing, parts_that_cancel)
