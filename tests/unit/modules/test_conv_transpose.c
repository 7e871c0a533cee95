/* SPDX-License-Identifier: Apache-2.0
 *
 * conv_transpose against the written sum, bit by bit, over fixed and random
 * geometry, and the extent and values of a small one by hand.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/conv_plan.h"
#include "unit/modules/tcases.h"

static const conv_plan_t plans[] = {
    {1, 1, 1, 1, 1, {1}, {1}, {1}, {1}, {0}, {0}},
    {2, 1, 3, 5, 1, {200}, {4}, {1}, {1}, {1}, {1}},
    {1, 1, 3, 5, 1, {130}, {3}, {2}, {1}, {1}, {1}},
    {1, 1, 2, 3, 1, {50}, {2}, {5}, {1}, {0}, {0}},
    {2, 1, 4, 6, 2, {9, 33}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {1, 1, 9, 2, 2, {20, 70}, {3, 2}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
    {1,
     1,
     2,
     2,
     3,
     {3, 4, 5},
     {2, 1, 3},
     {1, 3, 2},
     {1, 1, 1},
     {0, 0, 1},
     {0, 0, 1}},
    {1, 1, 2, 6, 1, {50}, {2}, {5}, {1}, {0}, {0}},
    {2, 1, 3, 70, 2, {7, 9}, {4, 3}, {3, 2}, {1, 1}, {2, 1}, {2, 1}},
    {1, 1, 40, 4, 2, {6, 6}, {4, 4}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {1, 1, 3, 4, 2, {20, 21}, {3, 3}, {1, 1}, {1, 1}, {1, 2}, {1, 2}},
    {1, 1, 2, 4, 2, {2, 3}, {1, 2}, {9, 8}, {1, 1}, {0, 0}, {0, 0}},
    {1, 1, 0, 5, 1, {4}, {2}, {2}, {1}, {0}, {0}},
    {1, 1, 0, 3, 1, {4}, {2}, {1}, {1}, {0}, {0}},
    {1, 1, 2, 0, 1, {4}, {2}, {1}, {1}, {0}, {0}},
    {1, 1, 2, 3, 2, {0, 4}, {2, 2}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}};
#define PLAN_COUNT (int)(sizeof plans / sizeof plans[0])

START_TEST(conv_transpose_is_the_written_sum)
{
    for (int kind = 0; kind < CONV_FILL_COUNT; kind++) {
        conv_plan_check(&plans[_i], KC_OP_CONV_TRANSPOSE, KC_DTYPE_F32, kind,
                        50);
        conv_plan_check(&plans[_i], KC_OP_CONV_TRANSPOSE, KC_DTYPE_F64, kind,
                        51);
    }
}
END_TEST

START_TEST(any_geometry_is_the_written_sum)
{
    uint64_t state = 8000 + (uint64_t)_i;
    for (int round = 0; round < 12; round++) {
        conv_plan_t plan = conv_plan_random(&state, KC_OP_CONV_TRANSPOSE);
        conv_plan_check(&plan, KC_OP_CONV_TRANSPOSE, trial_floats[round % 2],
                        round % CONV_FILL_COUNT, state);
    }
}
END_TEST

/* (3 - 1) * 2 + 3 - 2 = 5 places. */
START_TEST(values_by_hand)
{
    const conv_plan_t plan = conv_plan_line(1, 1, 3, 3, 2, 1);
    conv_plan_expect(&plan, KC_OP_CONV_TRANSPOSE, trial_floats[_i],
                     VALUES(1, 2, 3), VALUES(10, 20, 30), VALUES(1),
                     VALUES(21, 51, 41, 91, 61));
}
END_TEST

/* A tap without a cell of x is not multiplied. */
START_TEST(taps_without_a_cell_are_skipped)
{
    const conv_plan_t plan = conv_plan_line(1, 1, 3, 3, 1, 1);
    const conv_plan_t four = conv_plan_line(1, 4, 1, 3, 1, 1);
    conv_plan_expect(&four, KC_OP_CONV_TRANSPOSE, trial_floats[_i], VALUES(3),
                     VALUES(NAN, 1, NAN, INFINITY, 2, 1, 0, 3, 0, 1, NAN, 1),
                     NULL, VALUES(3, 6, 9, NAN));
    conv_plan_expect(&plan, KC_OP_CONV_TRANSPOSE, trial_floats[_i],
                     VALUES(1, 2, 0), VALUES(1, 1, INFINITY), NULL,
                     VALUES(3, INFINITY, INFINITY));
}
END_TEST

/* Half a unit in the last place of 1: channel before tap, bias last. */
START_TEST(order_and_bias_show)
{
    const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int32_t dtype = trial_floats[_i];
    const double half = dtype == KC_DTYPE_F32 ? 0x1p-24 : 0x1p-53;
    const double next = 1 + 2 * half;
    for (int64_t outputs = 1; outputs < 5; outputs += 3) { /* both ways */
        const conv_plan_t plan = conv_plan_line(2, outputs, 2, 2, 1, 1);
        conv_plan_expect(&plan, KC_OP_CONV_TRANSPOSE, dtype,
                         VALUES(1, half, 0, half), ones, NULL,
                         VALUES(1, 1, 1, 1));
        conv_plan_expect(&plan, KC_OP_CONV_TRANSPOSE, dtype,
                         VALUES(half, half, 1, 0), ones, NULL,
                         VALUES(next, next, next, next));
        conv_plan_expect(&plan, KC_OP_CONV_TRANSPOSE, dtype,
                         VALUES(half, half, 0, 0), ones, VALUES(1, 1, 1, 1),
                         VALUES(next, next, next, next));
    }
}
END_TEST

TCase *tcase_conv_transpose(void)
{
    TCase *tcase = tcase_create("conv_transpose");
    tcase_add_loop_test(tcase, conv_transpose_is_the_written_sum, 0,
                        PLAN_COUNT);
    tcase_add_loop_test(tcase, any_geometry_is_the_written_sum, 0, 20);
    tcase_add_loop_test(tcase, values_by_hand, 0, 2);
    tcase_add_loop_test(tcase, taps_without_a_cell_are_skipped, 0, 2);
    tcase_add_loop_test(tcase, order_and_bias_show, 0, 2);
    return tcase;
}
