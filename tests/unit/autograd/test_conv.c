/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The rule of conv: bits of the written order over seeded geometries, central
 * differences, empty operands. */
#include "unit/autograd/conv_checks.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

START_TEST(has_the_bits_of_the_written_order)
{
    conv_check_bits(KC_OP_CONV, 10 * (uint64_t)_i);
}
END_TEST

START_TEST(agrees_with_central_differences)
{
    conv_check_differences(KC_OP_CONV);
}
END_TEST

static const conv_case_t square = {.op = KC_OP_CONV,
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
                                   .after = {1, 1, 0},
                                   .dilation = {1, 2, 1},
                                   .has_bias = true};

START_TEST(gives_exact_zeros_of_empty_sums)
{
    conv_check_empty_sums(&square, 4);
}
END_TEST

/* A stride wider than the window leaves cells that no tap reaches, and one
 * wider than the plane has a phase for each cell only. */
START_TEST(gives_zero_to_cells_that_no_tap_reaches)
{
    rule_fixture_t fixture;
    conv_trial_t trial;
    conv_case_t shape = square;
    rule_fixture_begin(&fixture, 1);
    shape.stride[0] = 4;
    shape.stride[1] = INT64_C(1) << 30;
    conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, 6, &trial);
    conv_trial_check(&fixture, &trial);
    ck_assert(rule_element(trial.found[0], 5) == 0);
    conv_trial_end(&trial);
    rule_fixture_end(&fixture);
}
END_TEST

/* An infinite cotangent of the first place of channel 0 reaches the cells of
 * its window, the weights of its channel and its bias. The first row of the
 * window lies in the padding. */
static bool is_reached(int input, int64_t element)
{
    const int64_t row = element / 6 % 5;
    const int64_t column = element % 6;
    switch (input) {
    case 0:
        return row < 2 && (column == 0 || column == 2);
    case 1:
        return element < 18 && column >= 2;
    default:
        return element == 0;
    }
}

START_TEST(an_infinite_cotangent_reaches_only_what_it_must)
{
    conv_check_infinite_cotangent(&square, is_reached);
}
END_TEST

Suite *suite_autograd_conv(void)
{
    Suite *suite = suite_create("autograd/conv");
    TCase *tcase = tcase_create("rule");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, has_the_bits_of_the_written_order, 0, 10);
    tcase_add_test(tcase, agrees_with_central_differences);
    tcase_add_test(tcase, gives_exact_zeros_of_empty_sums);
    tcase_add_test(tcase, gives_zero_to_cells_that_no_tap_reaches);
    tcase_add_test(tcase, an_infinite_cotangent_reaches_only_what_it_must);
    suite_add_tcase(suite, tcase);
    return suite;
}
