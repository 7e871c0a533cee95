/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The rule of conv_transpose: bits of the written order over seeded geometries, central
 * differences, empty operands. */
#include <math.h>

#include "unit/autograd/conv_loops.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

/* Sums of differences have some hundred terms of size 1 at most, known to
 * 1e-13 of the step 1e-4; the rule itself is exact to 1e-14. */
#define TOLERANCE 1e-8

START_TEST(has_the_bits_of_the_written_order)
{
    rule_fixture_t fixture;
    rule_fixture_begin(&fixture, 2);
    for (int i = 0; i < 10; i++) {
        uint64_t state = (uint64_t)(10 * _i + i); /* the seed */
        conv_trial_t trial;
        const conv_case_t shape =
            conv_case_random(KC_OP_CONV_TRANSPOSE, &state);
        conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, state, &trial);
        conv_trial_check(&fixture, &trial);
        conv_trial_end(&trial);
    }
    rule_fixture_end(&fixture);
}
END_TEST

START_TEST(agrees_with_central_differences)
{
    rule_fixture_t fixture;
    rule_fixture_begin(&fixture, 1);
    for (uint64_t seed = 100; seed < 112; seed++) {
        uint64_t state = seed;
        conv_trial_t trial;
        conv_case_t shape = conv_case_random(KC_OP_CONV_TRANSPOSE, &state);
        shape.has_bias = seed % 2 == 0;
        conv_trial_begin(&fixture, &shape, KC_DTYPE_F64, seed, &trial);
        rule_check_differences(&fixture, RULE_RUNTIME, &trial.operands, seed,
                               TOLERANCE);
        conv_trial_end(&trial);
    }
    rule_fixture_end(&fixture);
}
END_TEST

static const conv_case_t square = {.op = KC_OP_CONV_TRANSPOSE,
                                   .axes = 2,
                                   .batch_rank = 1,
                                   .batch = {2, 1},
                                   .groups = 1,
                                   .inputs = 3,
                                   .outputs = 4,
                                   .n = {5, 6, 1},
                                   .kernel = {3, 2, 1},
                                   .stride = {2, 1, 1},
                                   .before = {1, 0, 0},
                                   .after = {1, 0, 0},
                                   .dilation = {1, 1, 1},
                                   .has_bias = true};

/* No sample, no channel of x, no channel of the result, no cell of x. */
START_TEST(gives_exact_zeros_of_empty_sums)
{
    rule_fixture_t fixture;
    conv_trial_t trial;
    rule_fixture_begin(&fixture, 2);
    for (int kind = 0; kind < 4; kind++) {
        conv_case_t shape = square;
        shape.batch[0] = kind == 0 ? 0 : 2;
        shape.inputs = kind == 1 ? 0 : 3;
        shape.outputs = kind == 2 ? 0 : 4;
        shape.n[1] = kind == 3 ? 0 : 6;
        conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, 5, &trial);
        conv_trial_check(&fixture, &trial);
        conv_trial_end(&trial);
    }
    rule_fixture_end(&fixture);
}
END_TEST

/* An infinite cotangent of the first cell of channel 0 of the result reaches
 * the cells of x that send to it, the weights of its channel, its bias. */
START_TEST(an_infinite_cotangent_reaches_only_what_it_must)
{
    rule_fixture_t fixture;
    conv_trial_t trial;
    conv_case_t shape = square;
    rule_fixture_begin(&fixture, 1);
    shape.batch_rank = 0;
    shape.batch[0] = 1;
    conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, 7, &trial);
    ((float *)kc_tensor_data(&trial.cotangent->view))[0] = INFINITY;
    conv_trial_check(&fixture, &trial);
    for (int64_t i = 0; i < 3 * 5 * 6; i++) {
        ck_assert_int_eq(isfinite(rule_element(trial.found[0], i)) == 0,
                         i % 30 == 0);
    }
    for (int64_t i = 0; i < 3 * 4 * 6; i++) {
        ck_assert_int_eq(isfinite(rule_element(trial.found[1], i)) == 0,
                         i % 24 == 2);
    }
    for (int64_t i = 0; i < 4; i++) {
        ck_assert_int_eq(isfinite(rule_element(trial.found[2], i)) == 0,
                         i == 0);
    }
    conv_trial_end(&trial);
    rule_fixture_end(&fixture);
}
END_TEST

Suite *suite_autograd_conv_transpose(void)
{
    Suite *suite = suite_create("autograd/conv_transpose");
    TCase *tcase = tcase_create("rule");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, has_the_bits_of_the_written_order, 0, 10);
    tcase_add_test(tcase, agrees_with_central_differences);
    tcase_add_test(tcase, gives_exact_zeros_of_empty_sums);
    tcase_add_test(tcase, an_infinite_cotangent_reaches_only_what_it_must);
    suite_add_tcase(suite, tcase);
    return suite;
}
