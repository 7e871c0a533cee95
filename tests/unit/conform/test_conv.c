/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions by hand: padding, dilation, groups, and the transpose.
 */
#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

static worked_t line(int32_t op, int64_t stride, int64_t before, int64_t after)
{
    worked_t w = worked_begin(op);
    w.attributes.u.conv.spatial_rank = 1;
    w.attributes.u.conv.stride[0] = stride;
    w.attributes.u.conv.padding[0] = before;
    w.attributes.u.conv.padding_after[0] = after;
    w.attributes.u.conv.dilation[0] = 1;
    w.attributes.u.conv.groups = 1;
    return w;
}

START_TEST(one_axis)
{
    worked_t w = line(KC_OP_CONV, 1, 1, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 3), VALUES(1, 2, 3));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 1, 2), VALUES(10, 1));
    worked_expect(&w, SHAPE(1, 3), VALUES(1, 12, 23), 0);
    worked_end(&w);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(100));
    w.attributes.u.conv.stride[0] = 2;
    worked_expect(&w, SHAPE(1, 2), VALUES(101, 123), 0);
    worked_end(&w);
    w.attributes.u.conv.padding[0] = 0;
    w.attributes.u.conv.dilation[0] = 2;
    worked_expect(&w, SHAPE(1, 1), VALUES(113), 0);
    worked_end(&w);
}
END_TEST

/* A tap in the padding is skipped: 0 times infinity would be NaN. */
START_TEST(padding_is_skipped)
{
    worked_t w = line(KC_OP_CONV, 1, 1, 1);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 1), VALUES(2));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 1, 3), VALUES(INFINITY, 5, INFINITY));
    worked_expect(&w, SHAPE(1, 1), VALUES(10), 0);
    worked_end(&w);
}
END_TEST

START_TEST(groups_and_batch)
{
    worked_t w = line(KC_OP_CONV, 1, 0, 0);
    w.attributes.u.conv.groups = 2;
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2, 1), VALUES(1, 2, 3, 4));
    worked_add(&w, KC_DTYPE_F32, SHAPE(4, 1, 1), VALUES(1, 10, 100, 1000));
    worked_expect(&w, SHAPE(2, 4, 1),
                  VALUES(1, 10, 200, 2000, 3, 30, 400, 4000), 0);
    worked_end(&w);
}
END_TEST

START_TEST(two_axes)
{
    worked_t w = line(KC_OP_CONV, 1, 0, 0);
    w.attributes.u.conv.spatial_rank = 2;
    w.attributes.u.conv.stride[1] = 1;
    w.attributes.u.conv.dilation[1] = 1;
    w.attributes.u.conv.padding_after[1] = 1;
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 2, 2), VALUES(1, 2, 3, 4));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 1, 2, 2), VALUES(1, 10, 100, 1000));
    worked_expect(&w, SHAPE(1, 1, 2), VALUES(4321, 402), 0);
    worked_end(&w);
}
END_TEST

START_TEST(no_channels)
{
    worked_t w = line(KC_OP_CONV, 1, 0, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(0, 2), NULL);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 0, 1), NULL);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(7));
    worked_expect(&w, SHAPE(1, 2), VALUES(7, 7), 0);
    worked_end(&w);
}
END_TEST

START_TEST(transposed)
{
    /* 3 cells, kernel 3, stride 2, padding 1: extent 5. */
    worked_t w = line(KC_OP_CONV_TRANSPOSE, 2, 1, 1);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 3), VALUES(1, 2, 3));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 1, 3), VALUES(1, 10, 100));
    worked_expect(&w, SHAPE(1, 5), VALUES(10, 102, 20, 203, 30), 0);
    worked_end(&w);
    w = line(KC_OP_CONV_TRANSPOSE, 1, 0, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 1), VALUES(1, 2));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 3, 1), VALUES(1, 2, 3, 4, 5, 6));
    worked_add(&w, KC_DTYPE_F32, SHAPE(3), VALUES(0, 0, 100));
    worked_expect(&w, SHAPE(3, 1), VALUES(9, 12, 115), 0);
    worked_end(&w);
}
END_TEST

START_TEST(bounds)
{
    worked_bounds_hold(KC_OP_CONV, KC_DTYPE_F32, 1, 200);
    worked_bounds_hold(KC_OP_CONV_TRANSPOSE, KC_DTYPE_F32, 1, 200);
    worked_bounds_hold(KC_OP_CONV, KC_DTYPE_F64, 1, 50);
}
END_TEST

CONFORM_SUITE(conv, one_axis, padding_is_skipped, groups_and_batch, two_axes,
              no_channels, transposed, bounds)
