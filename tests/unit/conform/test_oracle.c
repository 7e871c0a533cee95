/* SPDX-License-Identifier: Apache-2.0
 *
 * How families state what they expect.
 */
#include "conform/oracle.h"

#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"
#include "unit/expect.h"

START_TEST(types_follow_the_first_input)
{
    worked_t w = worked_begin(KC_OP_ABS);
    worked_add(&w, KC_DTYPE_F64, SHAPE(2), VALUES(0.1, -2));
    worked_expect_exact(&w, SHAPE(2), VALUES(0.1, 2));
    ck_assert_int_eq(w.problem.dtype, KC_DTYPE_F64);
    ck_assert_int_eq(w.problem.type.dtype, KC_DTYPE_F64);
    worked_end(&w);
    w = worked_begin(KC_OP_RESHAPE);
    worked_add(&w, KC_DTYPE_I64, SHAPE(1), VALUES(3));
    worked_expect_exact(&w, SCALAR, VALUES(3));
    ck_assert_int_eq(w.problem.dtype, KC_DTYPE_I64);
    worked_end(&w);
}
END_TEST

/* What a family forgets has a bound that nothing is within. */
START_TEST(forgotten_elements)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_problem_t problem = {.type = kci_precision_of(KC_DTYPE_F32)};
    const int64_t shape[] = {2};
    EXPECT_OK(error, kci_problem_shape(&problem, 1, shape, &error));
    ck_assert(problem.bounds[0] < 0 && problem.bounds[1] < 0);
    kci_problem_release(&problem);
}
END_TEST

START_TEST(expectations)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_problem_t problem = {.type = kci_precision_of(KC_DTYPE_F32),
                             .dtype = KC_DTYPE_F32,
                             .function_ulps = 2};
    const int64_t shape[] = {3};
    EXPECT_OK(error, kci_problem_shape(&problem, 1, shape, &error));
    kci_expect(&problem, 0, kci_tracked_exact(0));
    kci_expect_exact(&problem, 1, 0.1);
    kci_expect_function(&problem, 2, kci_tracked_exact(1));
    ck_assert(problem.bounds[0] == 0x1p-150); /* a zero of either sign */
    ck_assert(problem.bounds[1] == 0);
    ck_assert(problem.written[1] == (double)0.1F);
    ck_assert(problem.bounds[2] == 2 * 0x1p-23);
    kci_problem_release(&problem);
}
END_TEST

START_TEST(optional_inputs)
{
    worked_t w = worked_begin(KC_OP_LINEAR);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(2));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 1), VALUES(3));
    worked_add_absent(&w);
    worked_expect(&w, SHAPE(1), VALUES(6), 0);
    ck_assert(kci_problem_has(&w.problem, 1));
    ck_assert(!kci_problem_has(&w.problem, 2));
    ck_assert(!kci_problem_has(&w.problem, 3));
    worked_end(&w);
}
END_TEST

CONFORM_SUITE(oracle, types_follow_the_first_input, forgotten_elements,
              expectations, optional_inputs)
