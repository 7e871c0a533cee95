/* SPDX-License-Identifier: Apache-2.0
 *
 * conv against the written sum, bit by bit: fixed sizes around the edges of
 * blocks and panels, random geometry, and operands that tell orders and
 * skipped taps apart.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/conv_plan.h"
#include "unit/modules/tcases.h"

static const conv_plan_t plans[] = {
    {1, 1, 1, 1, 1, {1}, {1}, {1}, {1}, {0}, {0}},
    {1, 1, 2, 3, 1, {200}, {3}, {1}, {1}, {1}, {1}},
    {1, 1, 3, 2, 1, {200}, {4}, {3}, {2}, {5}, {0}},
    {2, 1, 3, 5, 1, {129}, {5}, {1}, {1}, {2}, {2}},
    {1, 1, 8, 70, 2, {20, 23}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {2, 1, 16, 9, 2, {9, 17}, {3, 3}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {1, 2, 3, 8, 2, {14, 40}, {3, 2}, {2, 2}, {1, 1}, {1, 1}, {0, 1}},
    {3, 9, 1, 1, 2, {7, 70}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
    {1, 3, 2, 4, 2, {12, 13}, {2, 3}, {1, 1}, {3, 2}, {2, 3}, {1, 0}},
    {2, 1, 33, 65, 2, {7, 7}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {1,
     1,
     2,
     6,
     3,
     {4, 5, 6},
     {2, 3, 2},
     {1, 2, 1},
     {1, 1, 2},
     {1, 0, 2},
     {0, 1, 1}},
    {1, 1, 1, 4, 2, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {4, 9}, {3, 9}},
    {1, 1, 0, 4, 1, {5}, {2}, {1}, {1}, {0}, {0}},
    {1, 1, 0, 1, 1, {5}, {2}, {1}, {1}, {0}, {0}},
    {1, 1, 2, 0, 1, {5}, {2}, {1}, {1}, {0}, {0}},
    {0, 1, 2, 4, 1, {5}, {2}, {1}, {1}, {0}, {0}},
    {1, 1, 2, 5, 2, {0, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 0}, {1, 0}},
    {1, 1, 2, 1, 1, {0}, {2}, {1}, {1}, {2}, {1}}};
#define PLAN_COUNT (int)(sizeof plans / sizeof plans[0])

START_TEST(conv_is_the_written_sum)
{
    for (int kind = 0; kind < CONV_FILL_COUNT; kind++) {
        for (uint64_t seed = 0; seed < 2; seed++) {
            conv_plan_check(&plans[_i], KC_OP_CONV, KC_DTYPE_F32, kind,
                            40 + seed);
            conv_plan_check(&plans[_i], KC_OP_CONV, KC_DTYPE_F64, kind,
                            40 + seed);
        }
    }
}
END_TEST

START_TEST(any_geometry_is_the_written_sum)
{
    uint64_t state = 7000 + (uint64_t)_i;
    for (int round = 0; round < 12; round++) {
        conv_plan_t plan = conv_plan_random(&state, KC_OP_CONV);
        conv_plan_check(&plan, KC_OP_CONV, trial_floats[round % 2],
                        round % CONV_FILL_COUNT, state);
    }
}
END_TEST

START_TEST(values_by_hand)
{
    const conv_plan_t plan = conv_plan_line(1, 1, 3, 3, 2, 1);
    conv_plan_expect(&plan, KC_OP_CONV, trial_floats[_i], VALUES(1, 2, 3),
                     VALUES(10, 20, 30), VALUES(1), VALUES(81, 81));
}
END_TEST

/* Half a unit in the last place of 1, twice: channel before tap, bias last. */
START_TEST(order_and_bias_show)
{
    int32_t dtype = trial_floats[_i];
    double half = dtype == KC_DTYPE_F32 ? 0x1p-24 : 0x1p-53;
    const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (int64_t outputs = 1; outputs < 5; outputs += 3) { /* both ways */
        const conv_plan_t plan = conv_plan_line(2, outputs, 2, 2, 1, 0);
        const double dropped[] = {1, 1, 1, 1};
        const double counted[] = {1 + 2 * half, 1 + 2 * half, 1 + 2 * half,
                                  1 + 2 * half};
        conv_plan_expect(&plan, KC_OP_CONV, dtype, VALUES(1, half, half, half),
                         ones, NULL, dropped);
        conv_plan_expect(&plan, KC_OP_CONV, dtype, VALUES(half, half, 0, 1),
                         ones, NULL, counted);
        conv_plan_expect(&plan, KC_OP_CONV, dtype, VALUES(half, 1, half, 0),
                         ones, NULL, dropped);
        conv_plan_expect(&plan, KC_OP_CONV, dtype, VALUES(half, 0, half, 0),
                         ones, VALUES(1, 1, 1, 1), counted);
    }
}
END_TEST

/* (1 + e)^2 - (1 + 2e) is e^2 to a fused multiply-add, 0 to two roundings. */
START_TEST(contraction_shows)
{
    int32_t dtype = trial_floats[_i];
    double e = dtype == KC_DTYPE_F32 ? 0x1p-12 : 0x1p-27;
    for (int64_t outputs = 1; outputs < 5; outputs += 3) {
        const conv_plan_t plan = conv_plan_line(1, outputs, 2, 2, 1, 0);
        conv_plan_expect(&plan, KC_OP_CONV, dtype, VALUES(-(1 + 2 * e), 1 + e),
                         VALUES(1, 1 + e, 1, 1 + e, 1, 1 + e, 1, 1 + e), NULL,
                         VALUES(0, 0, 0, 0));
    }
}
END_TEST

/* A padded cell is not multiplied: an infinite weight over it leaves no NaN,
 * in any channel beside it either. */
START_TEST(padding_is_skipped)
{
    int32_t dtype = trial_floats[_i];
    const conv_plan_t one = conv_plan_line(1, 1, 3, 3, 1, 1);
    const conv_plan_t four = conv_plan_line(1, 4, 1, 3, 1, 1);
    conv_plan_expect(&one, KC_OP_CONV, dtype, VALUES(1, 2, 0),
                     VALUES(INFINITY, 1, 1), NULL,
                     VALUES(3, INFINITY, INFINITY));
    conv_plan_expect(&four, KC_OP_CONV, dtype, VALUES(3),
                     VALUES(NAN, 1, NAN, INFINITY, 2, 1, 0, 3, 0, 1, NAN, 1),
                     NULL, VALUES(3, 6, 9, NAN));
}
END_TEST

/* A sum of -0 terms is +0; a bias of -0 keeps it. */
START_TEST(sums_start_at_plus_zero)
{
    int32_t dtype = trial_floats[_i];
    for (int64_t outputs = 1; outputs < 5; outputs += 3) {
        const conv_plan_t plan = conv_plan_line(1, outputs, 1, 1, 1, 0);
        conv_plan_expect(&plan, KC_OP_CONV, dtype, VALUES(-0.0),
                         VALUES(1, 1, 1, 1), VALUES(-0.0, -0.0, -0.0, -0.0),
                         VALUES(0, 0, 0, 0));
    }
}
END_TEST

/* Each sample alone gives the bits it has in the batch. */
START_TEST(samples_do_not_know_the_batch)
{
    const conv_plan_t plan = {4,      1,      3,      9,      2,     {6, 11},
                              {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    conv_plan_t one = plan;
    trial_t trial;
    uint64_t state = 3;
    conv_plan_begin(&trial, &plan, KC_OP_CONV, trial_floats[_i], 1, 0);
    trial_fill_uniform(trial.inputs[0], &state, -2, 2);
    trial_fill_uniform(trial.inputs[1], &state, -2, 2);
    ck_assert_int_eq(trial_run(&trial, 2), KC_OK);
    one.lead = 1;
    for (size_t b = 0; b < 4; b++) {
        trial_t sample;
        double expected[9 * 6 * 11];
        conv_plan_begin(&sample, &one, KC_OP_CONV, trial_floats[_i], 0, 0);
        for (size_t i = 0; i < 3 * 6 * 11; i++) {
            operand_set(sample.inputs[0], i,
                        operand_get(trial.inputs[0], b * 3 * 6 * 11 + i));
        }
        for (size_t i = 0; i < trial.inputs[1]->count; i++) {
            operand_set(sample.inputs[1], i, operand_get(trial.inputs[1], i));
        }
        for (size_t i = 0; i < 9 * 6 * 11; i++) {
            expected[i] = operand_get(trial.output, b * 9 * 6 * 11 + i);
        }
        trial_expect(&sample, expected);
        trial_clear(&sample);
    }
    trial_clear(&trial);
}
END_TEST

TCase *tcase_conv(void)
{
    TCase *tcase = tcase_create("conv");
    tcase_add_loop_test(tcase, conv_is_the_written_sum, 0, PLAN_COUNT);
    tcase_add_loop_test(tcase, any_geometry_is_the_written_sum, 0, 20);
    tcase_add_loop_test(tcase, values_by_hand, 0, 2);
    tcase_add_loop_test(tcase, order_and_bias_show, 0, 2);
    tcase_add_loop_test(tcase, contraction_shows, 0, 2);
    tcase_add_loop_test(tcase, padding_is_skipped, 0, 2);
    tcase_add_loop_test(tcase, sums_start_at_plus_zero, 0, 2);
    tcase_add_loop_test(tcase, samples_do_not_know_the_batch, 0, 2);
    return tcase;
}
