/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of comparison, one trap a test.
 */
#include "conform/compare.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "conform/guarded.h"
#include "unit/conform/suites.h"
#include "unit/conform/worked.h"
#include "unit/expect.h"

START_TEST(same_bits)
{
    ck_assert(kci_is_same(NAN, -NAN));
    ck_assert(!kci_is_same(NAN, 0));
    ck_assert(!kci_is_same(0.0, -0.0));
    ck_assert(kci_is_same(INFINITY, INFINITY));
}
END_TEST

START_TEST(within_a_bound)
{
    kci_precision_t t = kci_precision_of(KC_DTYPE_F32);
    double largest = (double)FLT_MAX;
    ck_assert(kci_is_within(&t, 1, 1.5, 0.5));
    ck_assert(!kci_is_within(&t, 0.9, 1.5, 0.5));
    ck_assert(!kci_is_within(&t, NAN, 1, 10));
    ck_assert(!kci_is_within(&t, 1, NAN, 10));
    ck_assert(kci_is_within(&t, NAN, NAN, 10));
    ck_assert(!kci_is_within(&t, INFINITY, 1, 10));
    ck_assert(!kci_is_within(&t, -INFINITY, INFINITY, 10));
    ck_assert(!kci_is_within(&t, largest, INFINITY, 10));
    ck_assert(kci_is_within(&t, INFINITY, largest, 1e32));
    ck_assert(!kci_is_within(&t, INFINITY, largest, 1e30));
    ck_assert(!kci_is_within(&t, -INFINITY, largest, 1e32));
    ck_assert(!kci_is_within(&t, 0, 0, -1)); /* nobody set a bound */
}
END_TEST

START_TEST(exact_bits)
{
    kci_precision_t t = kci_precision_of(KC_DTYPE_F32);
    ck_assert(kci_is_within(&t, (double)0.1F, 0.1, 0));
    ck_assert(!kci_is_within(&t, 0.1, 0.1, 0));
    ck_assert(!kci_is_within(&t, -0.0, 0.0, 0));
    ck_assert(kci_is_within(&t, -0.0, 0.0, 0x1p-150));
    ck_assert(!kci_is_within(&t, 0x1p-149, 0.0, 0x1p-150));
    ck_assert(kci_is_within(&t, INFINITY, 1e39, 0));
}
END_TEST

/* A problem of three elements: 1 exact, 2 within 0.1, open. */
static kci_problem_t three(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_problem_t problem = {.type = kci_precision_of(KC_DTYPE_F32),
                             .dtype = KC_DTYPE_F32};
    const int64_t shape[] = {3};
    EXPECT_OK(error, kci_problem_shape(&problem, 1, shape, &error));
    kci_expect_exact(&problem, 0, 1);
    kci_expect(&problem, 1, (kci_tracked_t){2, 0.1, 2});
    kci_expect(&problem, 2, (kci_tracked_t){3, INFINITY, 3});
    return problem;
}

static kci_comparison_t compare(float a, float b, float c, bool is_written)
{
    kci_problem_t problem = three();
    const float elements[] = {a, b, c};
    kci_comparison_t result =
        kci_compare(&problem, (const unsigned char *)elements, is_written);
    kci_problem_release(&problem);
    return result;
}

START_TEST(each_element)
{
    kci_comparison_t r = compare(1, 2.05F, 99, false);
    ck_assert_int_eq(r.mismatch, KCI_MATCH);
    ck_assert_uint_eq(r.checked_count, 2);
    ck_assert_uint_eq(r.open_count, 1);
    r = compare(1, 2.2F, 99, false);
    ck_assert_int_eq(r.mismatch, KCI_MISMATCH_VALUE);
    ck_assert_int_eq(r.place, 1);
    ck_assert(r.found == (double)2.2F);
    r = compare(2, 1, 3, false); /* swapped */
    ck_assert_int_eq(r.mismatch, KCI_MISMATCH_VALUE);
    ck_assert_int_eq(r.place, 0);
    r = compare(NAN, NAN, NAN, false);
    ck_assert_int_eq(r.place, 0);
}
END_TEST

START_TEST(promised_order)
{
    kci_comparison_t r = compare(1, 2, 3, true);
    ck_assert_int_eq(r.mismatch, KCI_MATCH);
    ck_assert_uint_eq(r.open_count, 0);
    r = compare(1, 2.05F, 3, true);
    ck_assert_int_eq(r.mismatch, KCI_MISMATCH_WRITTEN);
    r = compare(1, 2, 99, true);
    ck_assert_int_eq(r.place, 2);
}
END_TEST

/* Also where anything may come out, something has to. */
START_TEST(unwritten)
{
    kci_problem_t problem = three();
    float elements[3] = {1, 2, 0};
    kci_guarded_fill_untouched(KC_DTYPE_F32, 1, (unsigned char *)&elements[2]);
    kci_comparison_t r =
        kci_compare(&problem, (const unsigned char *)elements, false);
    ck_assert_int_eq(r.mismatch, KCI_MISMATCH_UNTOUCHED);
    ck_assert_int_eq(r.place, 2);
    kci_problem_release(&problem);
}
END_TEST

START_TEST(other_types)
{
    worked_t w = worked_begin(KC_OP_RESHAPE);
    worked_add(&w, KC_DTYPE_BOOL, SHAPE(1), VALUES(1));
    worked_expect_exact(&w, SCALAR, VALUES(1));
    const unsigned char good = 1;
    const unsigned char odd = 2;
    ck_assert_int_eq(kci_compare(&w.problem, &good, false).mismatch, KCI_MATCH);
    ck_assert_int_eq(kci_compare(&w.problem, &odd, false).mismatch,
                     KCI_MISMATCH_VALUE);
    worked_end(&w);
    w = worked_begin(KC_OP_RESHAPE);
    worked_add(&w, KC_DTYPE_I64, SHAPE(1), VALUES(0x1p40));
    worked_expect_exact(&w, SCALAR, VALUES(0x1p40));
    const int64_t cut = 0; /* the low 32 bits */
    ck_assert_int_eq(
        kci_compare(&w.problem, (const unsigned char *)&cut, false).mismatch,
        KCI_MISMATCH_VALUE);
    worked_end(&w);
}
END_TEST

CONFORM_SUITE(compare, same_bits, within_a_bound, exact_bits, each_element,
              promised_order, unwritten, other_types)
