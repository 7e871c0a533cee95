/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Derivatives by x: weights that are not finite, widths of channels and
 * places around those of a block, threads. */
#include <math.h>

#include "unit/autograd/conv_loops.h"
#include "unit/autograd/draw.h"
#include "unit/autograd/suites.h"

/* A padded place has no term: an infinite weight or NaN reaches the cells
 * that it was applied to and no other. */
START_TEST(skips_places_beyond_the_border)
{
    static const int32_t ops[] = {KC_OP_CONV, KC_OP_CONV_TRANSPOSE};
    rule_fixture_t fixture;
    rule_fixture_begin(&fixture, 2);
    for (int i = 0; i < 10; i++) {
        uint64_t state = (uint64_t)(10 * _i + i);
        conv_trial_t trial;
        const conv_case_t shape = conv_case_random(ops[i % 2], &state);
        conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, state, &trial);
        DLTensor *weight = &trial.operands.inputs[1]->view;
        float *w = kc_tensor_data(weight);
        w[draw_integer(&state, 0, kc_tensor_element_count(weight) - 1)] =
            i % 3 == 0 ? NAN : -INFINITY;
        conv_trial_check(&fixture, &trial);
        conv_trial_end(&trial);
    }
    rule_fixture_end(&fixture);
}
END_TEST

/* Blocks of channels and places are full, short by one, begun by one. */
START_TEST(has_the_same_bits_at_any_width)
{
    static const int64_t channels[] = {1, 3, 7, 8, 9, 16, 31, 65};
    static const int64_t extents[] = {1, 7, 8, 9, 15, 16, 17, 33, 50};
    rule_fixture_t fixture;
    rule_fixture_begin(&fixture, 2);
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        conv_trial_t trial;
        const conv_case_t shape = {.op = _i % 2 == 0 ? KC_OP_CONV
                                                     : KC_OP_CONV_TRANSPOSE,
                                   .axes = 2,
                                   .batch = {1, 1},
                                   .groups = 1,
                                   .inputs = channels[_i / 2],
                                   .outputs = channels[(_i / 2 + i) % 8],
                                   .n = {3, extents[i], 1},
                                   .kernel = {2, 3, 1},
                                   .stride = {1, 1 + (int64_t)i % 2, 1},
                                   .before = {0, 1, 0},
                                   .after = {0, 1, 0},
                                   .dilation = {1, 1, 1},
                                   .has_bias = true};
        conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, i, &trial);
        conv_trial_check(&fixture, &trial);
        conv_trial_end(&trial);
    }
    rule_fixture_end(&fixture);
}
END_TEST

/* More channels than any block has, and a window of more lines than are
 * worked out ahead. */
START_TEST(has_the_same_bits_at_any_size)
{
    conv_case_t shape = {.op = _i % 2 == 0 ? KC_OP_CONV : KC_OP_CONV_TRANSPOSE,
                         .axes = 2,
                         .batch = {1, 1},
                         .groups = 1,
                         .inputs = 131,
                         .outputs = 130,
                         .n = {3, 3, 1},
                         .kernel = {2, 1, 1},
                         .stride = {1, 1, 1},
                         .before = {1, 0, 0},
                         .after = {1, 0, 0},
                         .dilation = {1, 1, 1}};
    rule_fixture_t fixture;
    conv_trial_t trial;
    if (_i >= 2) {
        shape.inputs = 2;
        shape.outputs = 3;
        shape.n[0] = 38;
        shape.kernel[0] = 37;
    }
    rule_fixture_begin(&fixture, 2);
    conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, 8, &trial);
    conv_trial_check(&fixture, &trial);
    conv_trial_end(&trial);
    rule_fixture_end(&fixture);
}
END_TEST

/* Enough work for many tiles; the loops of the test run on one thread. */
START_TEST(has_the_same_bits_on_any_number_of_threads)
{
    static const uint32_t counts[] = {1, 2, 7};
    const conv_case_t shape = {.op = _i / 3 == 0 ? KC_OP_CONV
                                                 : KC_OP_CONV_TRANSPOSE,
                               .axes = 2,
                               .batch_rank = 1,
                               .batch = {3, 1},
                               .groups = 1,
                               .inputs = 20,
                               .outputs = 18,
                               .n = {13, 12, 1},
                               .kernel = {3, 3, 1},
                               .stride = {2, 1, 1},
                               .before = {1, 1, 0},
                               .after = {1, 1, 0},
                               .dilation = {1, 1, 1},
                               .has_bias = true};
    rule_fixture_t fixture;
    conv_trial_t trial;
    rule_fixture_begin(&fixture, counts[_i % 3]);
    conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, 3, &trial);
    conv_trial_check(&fixture, &trial);
    conv_trial_end(&trial);
    rule_fixture_end(&fixture);
}
END_TEST

Suite *suite_autograd_conv_slide(void)
{
    Suite *suite = suite_create("autograd/conv_slide");
    TCase *tcase = tcase_create("slide");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, skips_places_beyond_the_border, 0, 4);
    tcase_add_loop_test(tcase, has_the_same_bits_at_any_width, 0, 16);
    tcase_add_loop_test(tcase, has_the_same_bits_at_any_size, 0, 4);
    tcase_add_loop_test(tcase, has_the_same_bits_on_any_number_of_threads, 0,
                        6);
    suite_add_tcase(suite, tcase);
    return suite;
}
