/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Transforms and the spectral convolution against their formulas, written
 * out here in double. */
#include "compose/compositions.h"

#include <math.h>
#include <string.h>

#include "unit/compose/evaluate.h"
#include "unit/compose/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

#define PI 3.14159265358979323846

/* Sums of some tens of numbers around 1: double, and single for float32. */
#define TOLERANCE_F64 1e-12
#define TOLERANCE_F32 2e-5

static rule_fixture_t fixture;
static kci_composition_t composition;

static void begin(void)
{
    rule_fixture_begin(&fixture, 1);
    kci_composition_init(&composition);
}

static void end(void)
{
    kci_composition_release(&composition);
    rule_fixture_end(&fixture);
}

/* The value of a term of the composition, which then starts anew. */
static kc_tensor_t *value_of(kc_tensor_t *const *arguments, kci_term_t term)
{
    kc_tensor_t *found = evaluate_term(&fixture, &composition, arguments, term);
    kci_composition_clear(&composition);
    return found;
}

static kc_tensor_t *rfft(kc_tensor_t *x)
{
    kci_term_t term = evaluate_argument(&composition, x);
    return value_of(&x, kci_compose_rfft(&composition, term));
}

static kc_tensor_t *irfft(kc_tensor_t *packed, int64_t n)
{
    kci_term_t term = evaluate_argument(&composition, packed);
    return value_of(&packed, kci_compose_irfft(&composition, term, n));
}

static double angle(int64_t k, int64_t t, int64_t n)
{
    return 2 * PI * (double)(k * t % n) / (double)n;
}

static bool has_imaginary(int64_t k, int64_t n)
{
    return k != 0 && 2 * k != n;
}

/* Of column `c` of `columns`. */
static void bin(const kc_tensor_t *x, int64_t n, int64_t columns, int64_t c,
                int64_t k, double *out_re, double *out_im)
{
    *out_re = 0;
    *out_im = 0;
    for (int64_t t = 0; t < n; t++) {
        double element = rule_element(x, t * columns + c);
        *out_re += element * cos(angle(k, t, n));
        *out_im -= has_imaginary(k, n) ? element * sin(angle(k, t, n)) : 0;
    }
}

static void check_number(double found, double expected, double tolerance)
{
    ck_assert_msg(fabs(found - expected) <= tolerance,
                  "found %.17g, expected %.17g", found, expected);
}

static void expect_dims(const kc_tensor_t *tensor, int32_t rank,
                        const int64_t *dims)
{
    ck_assert_int_eq(tensor->view.ndim, rank);
    for (int32_t axis = 0; axis < rank; axis++) {
        ck_assert_int_eq(tensor->view.shape[axis], dims[axis]);
    }
}

/* ops.md 9, without an error in the last place. */
START_TEST(gives_the_golden_spectrum)
{
    static const double signal[] = {1, 2, 3, 4};
    static const double golden[] = {10, 0, -2, 2, -2, 0};
    static const int64_t dims[] = {1, 4};
    static const int64_t packed[] = {1, 3, 2};
    static const int32_t dtypes[] = {KC_DTYPE_F32, KC_DTYPE_F64};
    for (size_t i = 0; i < 2; i++) {
        kc_tensor_t *x = rule_tensor(&fixture, dtypes[i], 2, dims, signal);
        kc_tensor_t *found = rfft(x);
        expect_dims(found, 3, packed);
        for (int64_t k = 0; k < 6; k++) {
            ck_assert_double_eq(rule_element(found, k), golden[k]);
        }
        kci_tensor_release(found);
        kci_tensor_release(x);
    }
}
END_TEST

static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 12, 33};
#define LENGTH_COUNT (sizeof lengths / sizeof *lengths)

/* rfft by its formula; the inverse brings the signal back. */
START_TEST(transforms_there_and_back)
{
    for (size_t i = 0; i < LENGTH_COUNT; i++) {
        int64_t n = lengths[i];
        int64_t dims[] = {2, 3, n};
        int64_t packed[] = {2, 3, n / 2 + 1, 2};
        kc_tensor_t *x = rule_random(&fixture, KC_DTYPE_F64, 3, dims, i);
        kc_tensor_t *found = rfft(x);
        expect_dims(found, 4, packed);
        for (int64_t k = 0; k < 6 * packed[2]; k++) {
            double re = 0;
            double im = 0;
            kc_tensor_t row = *x;
            row.view.byte_offset +=
                (uint64_t)(k / packed[2] * n) * sizeof(double);
            bin(&row, n, 1, 0, k % packed[2], &re, &im);
            check_number(rule_element(found, 2 * k), re, TOLERANCE_F64);
            check_number(rule_element(found, 2 * k + 1), im, TOLERANCE_F64);
        }
        kc_tensor_t *back = irfft(found, n);
        expect_dims(back, 3, dims);
        for (int64_t t = 0; t < 6 * n; t++) {
            check_number(rule_element(back, t), rule_element(x, t),
                         TOLERANCE_F64);
        }
        kci_tensor_release(back);
        kci_tensor_release(found);
        kci_tensor_release(x);
    }
}
END_TEST

/* Ends have no imaginary part: exact zeros forward, unread in the inverse. */
START_TEST(ends_are_real)
{
    static const int64_t dims[] = {1, 4};
    static const int64_t packed_dims[] = {1, 3, 2};
    static const double clean[] = {10, 0, -2, 2, -2, 0};
    static const double spoilt[] = {10, NAN, -2, 2, -2, INFINITY};
    static const double infinite[] = {INFINITY, 1, 1, 1};
    kc_tensor_t *x = rule_tensor(&fixture, KC_DTYPE_F64, 2, dims, infinite);
    kc_tensor_t *found = rfft(x);
    ck_assert(rule_element(found, 1) == 0 && rule_element(found, 5) == 0);
    kci_tensor_release(found);
    kci_tensor_release(x);
    kc_tensor_t *pure =
        rule_tensor(&fixture, KC_DTYPE_F64, 3, packed_dims, clean);
    kc_tensor_t *other =
        rule_tensor(&fixture, KC_DTYPE_F64, 3, packed_dims, spoilt);
    kc_tensor_t *expected = irfft(pure, 4);
    found = irfft(other, 4);
    rule_check_bits(found, expected);
    kci_tensor_release(found);
    kci_tensor_release(expected);
    kci_tensor_release(other);
    kci_tensor_release(pure);
}
END_TEST

START_TEST(transforms_no_signals)
{
    static const int64_t dims[] = {0, 5};
    static const int64_t packed[] = {0, 3, 2};
    kc_tensor_t *x = rule_tensor(&fixture, KC_DTYPE_F32, 2, dims, NULL);
    kc_tensor_t *found = rfft(x);
    expect_dims(found, 3, packed);
    kc_tensor_t *back = irfft(found, 5);
    expect_dims(back, 2, dims);
    kci_tensor_release(back);
    kci_tensor_release(found);
    kci_tensor_release(x);
}
END_TEST

typedef struct convolution {
    int64_t n;
    int64_t modes;
    int64_t cin;
    int64_t cout;
    kc_tensor_t *inputs[3];
} convolution_t;

static double expected_at(const convolution_t *at, int64_t t, int64_t o)
{
    double sum = 0;
    for (int64_t k = 0; k < at->modes; k++) {
        double re = 0;
        double im = 0;
        for (int64_t c = 0; c < at->cin; c++) {
            double x_re = 0;
            double x_im = 0;
            int64_t w = (k * at->cin + c) * at->cout + o;
            bin(at->inputs[0], at->n, at->cin, c, k, &x_re, &x_im);
            re += x_re * rule_element(at->inputs[1], w) -
                  x_im * rule_element(at->inputs[2], w);
            im += x_re * rule_element(at->inputs[2], w) +
                  x_im * rule_element(at->inputs[1], w);
        }
        sum += has_imaginary(k, at->n) ? 2 * (re * cos(angle(k, t, at->n)) -
                                              im * sin(angle(k, t, at->n)))
                                       : re * cos(angle(k, t, at->n));
    }
    return sum / (double)at->n;
}

static void check_convolution(convolution_t at, int32_t dtype, double tolerance)
{
    const int64_t x[] = {at.n, at.cin};
    const int64_t y[] = {at.n, at.cout};
    const int64_t w[] = {at.modes, at.cin, at.cout};
    kci_term_t terms[3];
    for (size_t i = 0; i < 3; i++) {
        at.inputs[i] = rule_random(&fixture, dtype, i == 0 ? 2 : 3,
                                   i == 0 ? x : w, (uint64_t)at.n + i);
        terms[i] = evaluate_argument(&composition, at.inputs[i]);
    }
    kc_tensor_t *found =
        value_of(at.inputs, kci_compose_spectral_conv(&composition, terms[0],
                                                      terms[1], terms[2]));
    expect_dims(found, 2, y);
    for (int64_t place = 0; place < at.n * at.cout; place++) {
        check_number(rule_element(found, place),
                     expected_at(&at, place / at.cout, place % at.cout),
                     tolerance);
    }
    kci_tensor_release(found);
    for (size_t i = 0; i < 3; i++) {
        kci_tensor_release(at.inputs[i]);
    }
}

/* Every number of modes, none too; more or fewer channels out than in. */
START_TEST(convolves)
{
    for (size_t i = 0; i < LENGTH_COUNT; i++) {
        int64_t n = lengths[i];
        for (int64_t modes = 0; modes <= n / 2 + 1; modes++) {
            convolution_t wide = {n, modes, 2, 3, {NULL}};
            convolution_t narrow = {n, modes, 3, 1, {NULL}};
            check_convolution(wide, KC_DTYPE_F64, TOLERANCE_F64);
            check_convolution(narrow, KC_DTYPE_F32, TOLERANCE_F32);
        }
    }
}
END_TEST

static void expect_refusal(kci_term_t result, const char *text)
{
    kc_error_t error = KC_ERROR_INIT;
    ck_assert_uint_eq(result, KCI_NO_TERM);
    ck_assert_int_eq(kci_composition_status(&composition, &error),
                     KC_ERR_GRAPH);
    ck_assert_msg(strstr(error.message, text) != NULL, "%s", error.message);
    ck_assert_uint_eq(composition.step_count, 0);
    kci_composition_clear(&composition);
}

static kci_term_t argument(int32_t rank, const int64_t *dims)
{
    kci_tensor_type_t type = {.dtype = KC_DTYPE_F32, .shape = {.rank = rank}};
    for (int32_t axis = 0; axis < rank; axis++) {
        type.shape.dims[axis] = dims[axis];
    }
    return kci_compose_argument(&composition, &type);
}

#define ARGUMENT(...)                                                          \
    argument(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),               \
             (const int64_t[]){__VA_ARGS__})

/* What fft_fno refuses is refused in its words. */
START_TEST(refuses_what_the_operation_refuses)
{
    static const int64_t ones[KC_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1,
                                              1, 1, 1, 1, 1, 1, 1, 1};
    expect_refusal(kci_compose_rfft(&composition, argument(0, NULL)), "rank");
    expect_refusal(kci_compose_rfft(&composition, ARGUMENT(3, 0)),
                   "attribute n");
    expect_refusal(kci_compose_rfft(&composition, argument(KC_MAX_RANK, ones)),
                   "rank");
    expect_refusal(kci_compose_irfft(&composition, ARGUMENT(3, 2), 6), "n");
    expect_refusal(kci_compose_irfft(&composition, ARGUMENT(3, 3), 4),
                   "extent 2");
    expect_refusal(kci_compose_irfft(&composition, ARGUMENT(3, 2), 0),
                   "attribute n");
    expect_refusal(kci_compose_irfft(&composition, ARGUMENT(3, 2), -4),
                   "attribute n");
    kci_term_t x = ARGUMENT(4, 2);
    kci_term_t w = ARGUMENT(4, 2, 3);
    expect_refusal(kci_compose_spectral_conv(&composition, x, w, w), "modes");
    x = ARGUMENT(4, 2);
    w = ARGUMENT(2, 3, 3);
    expect_refusal(kci_compose_spectral_conv(&composition, x, w, w), "w_re");
}
END_TEST

static kci_term_t compose_all(kci_term_t x, kci_term_t signal, kci_term_t w)
{
    kci_term_t packed = kci_compose_rfft(&composition, x);
    (void)kci_compose_irfft(&composition, packed, 6);
    return kci_compose_spectral_conv(&composition, signal, w, w);
}

START_TEST(no_failed_allocation_hurts)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status = KC_ERR_MEMORY;
    int granted = 0;
    for (; status != KC_OK && granted < 500; granted++) {
        kci_composition_release(&composition); /* room is asked for anew */
        kci_term_t x = ARGUMENT(2, 6);
        kci_term_t signal = ARGUMENT(6, 2);
        kci_term_t w = ARGUMENT(4, 2, 3);
        failing_heap_break_after(granted);
        kci_term_t result = compose_all(x, signal, w);
        failing_heap_mend();
        status = kci_composition_status(&composition, &error);
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
        ck_assert_int_eq(result == KCI_NO_TERM, status != KC_OK);
    }
    EXPECT_OK(error, status);
    ck_assert_int_gt(granted, 5);
}
END_TEST

Suite *suite_compose_spectral(void)
{
    Suite *suite = suite_create("compose/spectral");
    TCase *tcase = tcase_create("spectral");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, gives_the_golden_spectrum);
    tcase_add_test(tcase, transforms_there_and_back);
    tcase_add_test(tcase, ends_are_real);
    tcase_add_test(tcase, transforms_no_signals);
    tcase_add_test(tcase, convolves);
    tcase_add_test(tcase, refuses_what_the_operation_refuses);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    suite_add_tcase(suite, tcase);
    return suite;
}
