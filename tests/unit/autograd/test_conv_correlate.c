/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Derivatives by weight and bias: operands that are not finite, long sums,
 * and many groups of few channels. */
#include <math.h>

#include "unit/autograd/conv_loops.h"
#include "unit/autograd/draw.h"
#include "unit/autograd/suites.h"

/* A padded cell has no term, whatever the other operand holds there. */
START_TEST(skips_cells_beyond_the_border)
{
    static const int32_t ops[] = {KC_OP_CONV, KC_OP_CONV_TRANSPOSE};
    static const float values[] = {NAN, INFINITY, -INFINITY};
    rule_fixture_t fixture;
    rule_fixture_begin(&fixture, 2);
    for (int i = 0; i < 12; i++) {
        uint64_t state = (uint64_t)(12 * _i + i);
        conv_trial_t trial;
        const conv_case_t shape = conv_case_random(ops[i % 2], &state);
        conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, state, &trial);
        DLTensor *bent = i / 2 % 2 == 0 ? &trial.cotangent->view
                                        : &trial.operands.inputs[0]->view;
        ((float *)kc_tensor_data(
            bent))[draw_integer(&state, 0, kc_tensor_element_count(bent) - 1)] =
            values[i % 3];
        conv_trial_check(&fixture, &trial);
        conv_trial_end(&trial);
    }
    rule_fixture_end(&fixture);
}
END_TEST

/* 1, then 2^-24 many times: in order the sum stays 1, in any other it grows.
 * The kernel of 1 makes x the only factor. */
START_TEST(adds_samples_and_places_in_the_written_order)
{
    const conv_case_t shape = {.op = KC_OP_CONV,
                               .axes = 1,
                               .batch_rank = 1,
                               .batch = {5, 1},
                               .groups = 1,
                               .inputs = 1,
                               .outputs = 9,
                               .n = {300, 1, 1},
                               .kernel = {1, 1, 1},
                               .stride = {1, 1, 1},
                               .dilation = {1, 1, 1},
                               .has_bias = true};
    rule_fixture_t fixture;
    conv_trial_t trial;
    rule_fixture_begin(&fixture, 2);
    conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, 1, &trial);
    float *x = kc_tensor_data(&trial.operands.inputs[0]->view);
    float *g = kc_tensor_data(&trial.cotangent->view);
    for (int i = 0; i < 5 * 300; i++) {
        x[i] = 1;
    }
    for (int i = 0; i < 5 * 9 * 300; i++) {
        g[i] = i < 9 * 300 && i % 300 == 0 ? 1 : 0x1p-24F;
    }
    conv_trial_check(&fixture, &trial);
    for (int i = 0; i < 9; i++) {
        ck_assert(rule_element(trial.found[1], i) == 1);
        ck_assert(rule_element(trial.found[2], i) == 1);
    }
    conv_trial_end(&trial);
    rule_fixture_end(&fixture);
}
END_TEST

/* Every channel its own group. */
START_TEST(has_the_bits_of_depthwise_sums)
{
    const conv_case_t shape = {.op = KC_OP_CONV,
                               .axes = 2,
                               .batch_rank = 2,
                               .batch = {2, 1},
                               .groups = 19,
                               .inputs = 1,
                               .outputs = 2,
                               .n = {17, 19, 1},
                               .kernel = {3, 5, 1},
                               .stride = {1, 2, 1},
                               .before = {1, 2, 0},
                               .after = {1, 0, 0},
                               .dilation = {2, 1, 1},
                               .has_bias = true};
    rule_fixture_t fixture;
    conv_trial_t trial;
    rule_fixture_begin(&fixture, 2);
    conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, 2, &trial);
    conv_trial_check(&fixture, &trial);
    conv_trial_end(&trial);
    rule_fixture_end(&fixture);
}
END_TEST

/* A sum of -0 alone begins at +0 and stays there. */
START_TEST(begins_at_positive_zero)
{
    const conv_case_t shape = {.op = KC_OP_CONV,
                               .axes = 1,
                               .batch = {1, 1},
                               .groups = 1,
                               .inputs = 1,
                               .outputs = 1,
                               .n = {1, 1, 1},
                               .kernel = {1, 1, 1},
                               .stride = {1, 1, 1},
                               .dilation = {1, 1, 1},
                               .has_bias = true};
    rule_fixture_t fixture;
    conv_trial_t trial;
    rule_fixture_begin(&fixture, 1);
    conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, 1, &trial);
    ((float *)kc_tensor_data(&trial.operands.inputs[0]->view))[0] = 1;
    ((float *)kc_tensor_data(&trial.operands.inputs[1]->view))[0] = 1;
    ((float *)kc_tensor_data(&trial.cotangent->view))[0] = -0.0F;
    conv_trial_check(&fixture, &trial);
    for (int input = 0; input < 3; input++) {
        ck_assert(signbit(rule_element(trial.found[input], 0)) == 0);
    }
    conv_trial_end(&trial);
    rule_fixture_end(&fixture);
}
END_TEST

Suite *suite_autograd_conv_correlate(void)
{
    Suite *suite = suite_create("autograd/conv_correlate");
    TCase *tcase = tcase_create("correlate");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, skips_cells_beyond_the_border, 0, 4);
    tcase_add_test(tcase, adds_samples_and_places_in_the_written_order);
    tcase_add_test(tcase, has_the_bits_of_depthwise_sums);
    tcase_add_test(tcase, begins_at_positive_zero);
    suite_add_tcase(suite, tcase);
    return suite;
}
