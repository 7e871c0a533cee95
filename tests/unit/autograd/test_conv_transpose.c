/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The rule of conv_transpose: bits of the written order over seeded geometries,
 * central differences, empty operands. */
#include "unit/autograd/conv_checks.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

START_TEST(has_the_bits_of_the_written_order)
{
    conv_check_bits(KC_OP_CONV_TRANSPOSE, 10 * (uint64_t)_i);
}
END_TEST

START_TEST(agrees_with_central_differences)
{
    conv_check_differences(KC_OP_CONV_TRANSPOSE);
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

START_TEST(gives_exact_zeros_of_empty_sums)
{
    conv_check_empty_sums(&square, 0);
}
END_TEST

/* An infinite cotangent of the first cell of channel 0 of the result reaches
 * the cells of x that send to it, the weights of its channel, its bias. */
static bool is_reached(int input, int64_t element)
{
    switch (input) {
    case 0:
        return element % 30 == 0;
    case 1:
        return element % 24 == 2;
    default:
        return element == 0;
    }
}

START_TEST(an_infinite_cotangent_reaches_only_what_it_must)
{
    conv_check_infinite_cotangent(&square, is_reached);
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
