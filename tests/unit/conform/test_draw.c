/* SPDX-License-Identifier: Apache-2.0
 *
 * Draws: the generator, and that every edge is really met.
 */
#include "conform/draw.h"

#include <math.h>

#include "unit/conform/suites.h"

START_TEST(generator)
{
    kci_draw_t draw = kci_draw_begin(0);
    ck_assert(kci_draw_bits(&draw) == UINT64_C(0xe220a8397b1dcdaf));
    ck_assert(kci_draw_bits(&draw) == UINT64_C(0x6e789e6aa1b965f4));
}
END_TEST

START_TEST(ranges)
{
    kci_draw_t draw = kci_draw_begin(3);
    bool low = false;
    bool high = false;
    for (int i = 0; i < 1000; i++) {
        int64_t n = kci_draw_integer(&draw, -2, 2);
        double x = kci_draw_real(&draw, 1, 3);
        ck_assert(n >= -2 && n <= 2 && x >= 1 && x < 3);
        low = low || n == -2;
        high = high || n == 2;
        ck_assert(kci_draw_extent(&draw, 33) <= 33);
        ck_assert(!kci_draw_chance(&draw, 0) && kci_draw_chance(&draw, 100));
    }
    ck_assert(low && high);
    ck_assert_int_eq(kci_draw_extent(&draw, 0), 1);
}
END_TEST

START_TEST(extents_keep_their_budget)
{
    kci_draw_t draw = kci_draw_begin(4);
    int large_last = 0;
    for (int i = 0; i < 1000; i++) {
        int64_t shape[4];
        kci_draw_extents(&draw, 4, 600, shape);
        ck_assert_int_le(shape[0] * shape[1] * shape[2] * shape[3], 600);
        large_last += shape[3] > 100;
    }
    ck_assert_int_gt(large_last, 10);
}
END_TEST

START_TEST(every_edge_is_met)
{
    kci_draw_t draw = kci_draw_begin(5);
    int nan = 0;
    int infinite = 0;
    int subnormal = 0;
    int negative_zero = 0;
    int empty = 0;
    for (int i = 0; i < 20000; i++) {
        double x = kci_draw_value(&draw, kci_draw_temper(&draw), false);
        int64_t shape[2] = {3, 4};
        kci_draw_emptiness(&draw, 6, 2, shape);
        nan += isnan(x);
        infinite += isinf(x);
        subnormal += x != 0 && fabs(x) < 0x1p-126;
        negative_zero += x == 0 && signbit(x);
        empty += shape[0] * shape[1] == 0;
        ck_assert(isnan(x) || x == (double)(float)x);
    }
    ck_assert(nan > 3 && infinite > 3 && subnormal > 100);
    ck_assert(negative_zero > 100 && empty > 500);
}
END_TEST

CONFORM_SUITE(draw, generator, ranges, extents_keep_their_budget,
              every_edge_is_met)
