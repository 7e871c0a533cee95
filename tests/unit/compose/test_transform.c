/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The matrices of the transform, seen through what they do to units. */
#include "compose/transform.h"

#include <math.h>

#include "unit/compose/evaluate.h"
#include "unit/compose/suites.h"

#define PI_LONG 3.14159265358979323846264338327950288L

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

static kc_tensor_t *unit(int64_t n, int64_t place)
{
    const int64_t dims[] = {n, 1};
    kc_tensor_t *tensor = rule_tensor(&fixture, KC_DTYPE_F64, 2, dims, NULL);
    ((double *)kc_tensor_data(&tensor->view))[place] = 1;
    return tensor;
}

/* Entries are right to the last place or the one before, however large k t
 * is: sine and cosine of a rounded 2 pi k t / n would err by 1e-13 here. */
START_TEST(angles_are_reduced_in_integers)
{
    const int64_t n = 601;
    const int64_t t = 600;
    kc_tensor_t *signal = unit(n, t);
    kci_term_t x = evaluate_argument(&composition, signal);
    kci_spectrum_t spectrum =
        kci_transform_analyse(&composition, x, n / 2 + 1, KCI_SPECTRAL_PLAIN);
    kc_tensor_t *real =
        evaluate_term(&fixture, &composition, &signal, spectrum.real);
    kc_tensor_t *imaginary =
        evaluate_term(&fixture, &composition, &signal, spectrum.imaginary);
    ck_assert_int_eq(spectrum.inner, n / 2);
    for (int64_t k = 0; k <= n / 2; k++) {
        long double angle = 2 * PI_LONG * (long double)(k * t % n) / n;
        double error = fabs(rule_element(real, k) - (double)cosl(angle));
        ck_assert_double_le(error, 2.3e-16);
        if (k > 0) {
            error = fabs(rule_element(imaginary, k - 1) + (double)sinl(angle));
            ck_assert_double_le(error, 2.3e-16);
        }
    }
    kci_tensor_release(imaginary);
    kci_tensor_release(real);
    kci_tensor_release(signal);
}
END_TEST

/* Quarter turns are 0, 1 and -1; what is equal by symmetry is so exactly. */
START_TEST(octants_are_exact)
{
    const int64_t n = 8;
    kc_tensor_t *signal = unit(n, 1);
    kci_term_t x = evaluate_argument(&composition, signal);
    kci_spectrum_t spectrum =
        kci_transform_analyse(&composition, x, n / 2 + 1, KCI_SPECTRAL_PLAIN);
    kc_tensor_t *real =
        evaluate_term(&fixture, &composition, &signal, spectrum.real);
    kc_tensor_t *imaginary =
        evaluate_term(&fixture, &composition, &signal, spectrum.imaginary);
    double root = rule_element(real, 1);
    double sine = rule_element(imaginary, 0);
    const double reals[] = {1, root, 0, -root, -1};
    const double imaginaries[] = {sine, -1, sine};
    for (int64_t k = 0; k <= n / 2; k++) {
        ck_assert(rule_element(real, k) == reals[k]);
    }
    for (int64_t k = 0; k < 3; k++) {
        ck_assert(rule_element(imaginary, k) == imaginaries[k]);
    }
    kci_tensor_release(imaginary);
    kci_tensor_release(real);
    kci_tensor_release(signal);
}
END_TEST

/* How many of the modes have an imaginary part. */
START_TEST(counts_inner_frequencies)
{
    static const struct {
        int64_t n;
        int64_t modes;
        int64_t inner;
    } cases[] = {{1, 1, 0}, {2, 1, 0}, {2, 2, 0}, {3, 2, 1}, {4, 2, 1},
                 {4, 3, 1}, {5, 3, 2}, {8, 5, 3}, {8, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kci_tensor_type_t type = {
            .dtype = KC_DTYPE_F32,
            .shape = {.rank = 2, .dims = {cases[i].n, 3}}};
        kci_term_t x = kci_compose_argument(&composition, &type);
        kci_spectrum_t spectrum = kci_transform_analyse(
            &composition, x, cases[i].modes, KCI_SPECTRAL_PLAIN);
        ck_assert_int_eq(spectrum.modes, cases[i].modes);
        ck_assert_int_eq(spectrum.inner, cases[i].inner);
        ck_assert_int_eq(spectrum.imaginary == KCI_NO_TERM,
                         cases[i].inner == 0);
        kci_composition_clear(&composition);
    }
}
END_TEST

/* Inner rows taken out and put back: zeros at the ends, and only there. */
START_TEST(ends_become_zeros)
{
    static const double numbers[] = {1, 2, 3, 4, 5};
    static const struct {
        int64_t modes;
        int64_t inner;
        double expected[5];
    } cases[] = {{5, 3, {0, 2, 3, 4, 0}},
                 {5, 4, {0, 2, 3, 4, 5}},
                 {3, 1, {0, 2, 0}},
                 {2, 1, {0, 2}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kc_tensor_t *whole =
            rule_tensor(&fixture, KC_DTYPE_F64, 1, &cases[i].modes, numbers);
        kci_term_t x = evaluate_argument(&composition, whole);
        kci_spectrum_t spectrum = {x, KCI_NO_TERM, cases[i].modes,
                                   cases[i].inner};
        kci_term_t inner = kci_spectrum_take_inner(&composition, &spectrum, x);
        kci_term_t back =
            kci_spectrum_put_inner(&composition, &spectrum, inner);
        kc_tensor_t *found =
            evaluate_term(&fixture, &composition, &whole, back);
        ck_assert_int_eq(found->view.shape[0], cases[i].modes);
        for (int64_t k = 0; k < cases[i].modes; k++) {
            ck_assert_double_eq(rule_element(found, k), cases[i].expected[k]);
        }
        kci_tensor_release(found);
        kci_tensor_release(whole);
        kci_composition_clear(&composition);
    }
}
END_TEST

/* A matrix that no memory can hold is an error, not an overflow. */
START_TEST(refuses_a_matrix_of_too_many_elements)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_tensor_type_t type = {
        .dtype = KC_DTYPE_F32,
        .shape = {.rank = 2, .dims = {INT64_C(1) << 33, 1}}};
    kci_term_t x = kci_compose_argument(&composition, &type);
    kci_spectrum_t spectrum = kci_transform_analyse(
        &composition, x, type.shape.dims[0] / 2 + 1, KCI_SPECTRAL_PLAIN);
    ck_assert_uint_eq(spectrum.real, KCI_NO_TERM);
    ck_assert_int_ne(kci_composition_status(&composition, &error), KC_OK);
    ck_assert_uint_eq(kci_transform_pack(&composition, x, KCI_SPECTRAL_PLAIN),
                      KCI_NO_TERM);
}
END_TEST

Suite *suite_compose_transform(void)
{
    Suite *suite = suite_create("compose/transform");
    TCase *tcase = tcase_create("transform");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, angles_are_reduced_in_integers);
    tcase_add_test(tcase, octants_are_exact);
    tcase_add_test(tcase, counts_inner_frequencies);
    tcase_add_test(tcase, ends_become_zeros);
    tcase_add_test(tcase, refuses_a_matrix_of_too_many_elements);
    suite_add_tcase(suite, tcase);
    return suite;
}
