/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The rules of the pools: bits of the written order over seeded geometries,
 * central differences, ties, NaN and infinities, padding. */
#include <math.h>

#include "unit/autograd/pool_loops.h"
#include "unit/autograd/suites.h"

/* See test_conv.c; exp and log of the forward are known to 1e-16. */
#define TOLERANCE 1e-8

static const int32_t ops[] = {KC_OP_MAX_POOL, KC_OP_AVG_POOL,
                              KC_OP_SMOOTH_MAX_POOL};

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 2);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

static kc_tensor_t *plane(int32_t rank, const int64_t *dims,
                          const double *elements)
{
    return rule_tensor(&fixture, KC_DTYPE_F32, rank, dims, elements);
}

static void set_cotangent(pool_trial_t *trial, const double *elements)
{
    kci_tensor_release(trial->cotangent);
    trial->cotangent =
        plane(trial->output->view.ndim, trial->output->view.shape, elements);
}

/* Takes `x`; the cotangent of the output and the expected one of `x`. */
static void expect(const kc_attributes_t *attributes, kc_tensor_t *x,
                   const double *cotangent, const double *expected)
{
    pool_trial_t trial;
    pool_trial_begin(&fixture, attributes, x, 0, &trial);
    set_cotangent(&trial, cotangent);
    pool_trial_check(&fixture, &trial);
    kc_tensor_t *wanted = plane(x->view.ndim, x->view.shape, expected);
    rule_check_bits(trial.found, wanted);
    kci_tensor_release(wanted);
    pool_trial_end(&trial);
}

START_TEST(has_the_bits_of_the_written_order)
{
    for (int i = 0; i < 8; i++) {
        pool_trial_t trial;
        const uint64_t seed = (uint64_t)(8 * _i + i);
        pool_trial_random(&fixture, ops[seed % 3], KC_DTYPE_F32, seed, &trial);
        pool_trial_check(&fixture, &trial);
        pool_trial_end(&trial);
    }
}
END_TEST

START_TEST(agrees_with_central_differences)
{
    for (uint64_t seed = 0; seed < 24; seed++) {
        pool_trial_t trial;
        pool_trial_random(&fixture, ops[seed % 3], KC_DTYPE_F64, 300 + seed,
                          &trial);
        rule_check_differences(&fixture, RULE_RUNTIME, &trial.operands, seed,
                               TOLERANCE);
        pool_trial_end(&trial);
    }
}
END_TEST

/* Few values, so that most windows have ties, NaN or -inf. */
START_TEST(finds_winners_among_ties_and_special_values)
{
    static const float values[] = {1,  1,   0,         -0.0F,
                                   -1, NAN, -INFINITY, INFINITY};
    for (int i = 0; i < 12; i++) {
        pool_trial_t trial;
        const uint64_t seed = (uint64_t)(12 * _i + i);
        pool_trial_random(&fixture, KC_OP_MAX_POOL, KC_DTYPE_F32, seed, &trial);
        DLTensor *x = &trial.operands.inputs[0]->view;
        float *elements = kc_tensor_data(x);
        for (int64_t k = 0; k < kc_tensor_element_count(x); k++) {
            const double unit = (double)elements[k] * 0.5 + 0.5;
            elements[k] = values[(int)(unit * 1000) % (i % 2 == 0 ? 8 : 5)];
        }
        pool_trial_check(&fixture, &trial);
        pool_trial_end(&trial);
    }
}
END_TEST

/* The least plane of the catalogue's table: the winners are 0, then 1. */
START_TEST(ties_go_to_the_first_cell)
{
    const kc_attributes_t line = pool_attributes(KC_OP_MAX_POOL, 1, 2, 1, 0);
    const kc_attributes_t square = pool_attributes(KC_OP_MAX_POOL, 2, 2, 1, 0);
    const double fives[] = {5, 5, 5, 5, 5, 5, 5, 5, 5};
    const double ones[] = {1, 1, 1, 1};
    expect(&line, plane(1, DIMS(3), (const double[]){2, 2, 1}), ones,
           (const double[]){1, 1, 0});
    expect(&square, plane(2, DIMS(2, 2), fives), ones,
           (const double[]){1, 0, 0, 0});
    expect(&square, plane(2, DIMS(3, 3), fives), ones,
           (const double[]){1, 1, 0, 1, 1, 0, 0, 0, 0});
}
END_TEST

/* The padding is no cell, even where all cells are -inf. */
START_TEST(a_nan_wins_and_minus_infinity_is_a_cell)
{
    const kc_attributes_t three = pool_attributes(KC_OP_MAX_POOL, 1, 3, 3, 1);
    const kc_attributes_t four = pool_attributes(KC_OP_MAX_POOL, 1, 4, 4, 0);
    const double two[] = {2, 3};
    expect(&three, plane(1, DIMS(5), (const double[]){-9, -9, -1, -2, -1}), two,
           (const double[]){2, 0, 3, 0, 0});
    expect(&three,
           plane(1, DIMS(5),
                 (const double[]){-INFINITY, -INFINITY, -INFINITY, -INFINITY,
                                  -INFINITY}),
           two, (const double[]){2, 0, 3, 0, 0});
    expect(&four, plane(1, DIMS(4), (const double[]){INFINITY, NAN, 9, NAN}),
           two, (const double[]){0, 2, 0, 0});
    expect(&four, plane(1, DIMS(4), (const double[]){-0.0, 0, 0, -0.0}), two,
           (const double[]){2, 0, 0, 0});
}
END_TEST

START_TEST(the_share_of_the_padding_is_dropped)
{
    const kc_attributes_t average = pool_attributes(KC_OP_AVG_POOL, 1, 3, 1, 1);
    const kc_attributes_t smooth =
        pool_attributes(KC_OP_SMOOTH_MAX_POOL, 1, 3, 1, 1);
    const double weight =
        (double)((float)exp(-1.0) / (1.0F + (float)exp(-1.0) + 1.0F));
    expect(&average, plane(1, DIMS(1), (const double[]){3}),
           (const double[]){6}, (const double[]){2});
    /* Of three cells each sees two or three places. */
    expect(&average, plane(1, DIMS(3), (const double[]){1, 2, 3}),
           (const double[]){3, 6, 9}, (const double[]){3, 6, 5});
    expect(&smooth, plane(1, DIMS(1), (const double[]){-1}),
           (const double[]){1}, &weight);
}
END_TEST

/* A large distance times beta neither overflows nor divides by 0. */
START_TEST(smooth_weights_stay_finite)
{
    kc_attributes_t smooth = pool_attributes(KC_OP_SMOOTH_MAX_POOL, 1, 2, 2, 0);
    smooth.u.pool.beta = 1e6;
    expect(&smooth, plane(1, DIMS(4), (const double[]){1000, -1000, 7, 7}),
           (const double[]){3, 4}, (const double[]){3, 0, 2, 2});
    smooth.u.pool.beta = -1e6;
    expect(&smooth, plane(1, DIMS(4), (const double[]){1000, -1000, 7, 7}),
           (const double[]){3, 4}, (const double[]){0, 3, 2, 2});
}
END_TEST

/* What a place does not see has no part in it. */
START_TEST(a_cotangent_reaches_its_window_only)
{
    static const double cotangents[] = {INFINITY, NAN};
    const double x[] = {1, 2, 3, 4, 5, 6};
    for (int i = 0; i < 3; i++) {
        const kc_attributes_t attributes = pool_attributes(ops[i], 1, 2, 2, 0);
        pool_trial_t trial;
        pool_trial_begin(&fixture, &attributes, plane(1, DIMS(6), x), 0,
                         &trial);
        set_cotangent(&trial, (const double[]){1, cotangents[_i], 1});
        pool_trial_check(&fixture, &trial);
        for (int64_t k = 0; k < 6; k++) {
            const bool is_reached = k == 3 || (k == 2 && i > 0);
            ck_assert_int_eq(isfinite(rule_element(trial.found, k)) == 0,
                             is_reached);
        }
        pool_trial_end(&trial);
    }
}
END_TEST

START_TEST(does_nothing_for_no_planes)
{
    for (int i = 0; i < 3; i++) {
        const kc_attributes_t attributes = pool_attributes(ops[i], 1, 2, 2, 0);
        pool_trial_t trial;
        pool_trial_begin(&fixture, &attributes, plane(3, DIMS(2, 0, 6), NULL),
                         0, &trial);
        pool_trial_check(&fixture, &trial);
        pool_trial_end(&trial);
    }
}
END_TEST

/* Overlapping windows, and planes enough for many tiles. */
START_TEST(has_the_same_bits_on_any_number_of_threads)
{
    static const uint32_t counts[] = {1, 2, 7};
    rule_fixture_t own;
    rule_fixture_begin(&own, counts[_i]);
    for (int i = 0; i < 3; i++) {
        const kc_attributes_t attributes = pool_attributes(ops[i], 2, 3, 1, 1);
        pool_trial_t trial;
        kc_tensor_t *x =
            rule_random(&own, KC_DTYPE_F32, 4, DIMS(2, 9, 20, 70), 11);
        pool_trial_begin(&own, &attributes, x, 12, &trial);
        pool_trial_check(&own, &trial);
        pool_trial_end(&trial);
    }
    rule_fixture_end(&own);
}
END_TEST

Suite *suite_autograd_pool(void)
{
    Suite *suite = suite_create("autograd/pool");
    TCase *tcase = tcase_create("rules");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_loop_test(tcase, has_the_bits_of_the_written_order, 0, 15);
    tcase_add_test(tcase, agrees_with_central_differences);
    tcase_add_loop_test(tcase, finds_winners_among_ties_and_special_values, 0,
                        5);
    tcase_add_test(tcase, ties_go_to_the_first_cell);
    tcase_add_test(tcase, a_nan_wins_and_minus_infinity_is_a_cell);
    tcase_add_test(tcase, the_share_of_the_padding_is_dropped);
    tcase_add_test(tcase, smooth_weights_stay_finite);
    tcase_add_loop_test(tcase, a_cotangent_reaches_its_window_only, 0, 2);
    tcase_add_test(tcase, does_nothing_for_no_planes);
    tcase_add_loop_test(tcase, has_the_same_bits_on_any_number_of_threads, 0,
                        3);
    suite_add_tcase(suite, tcase);
    return suite;
}
