/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements that move.
 */
#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

START_TEST(reshape)
{
    worked_t w = worked_begin(KC_OP_RESHAPE);
    w.attributes.u.shape.rank = 2;
    w.attributes.u.shape.shape[0] = 3;
    w.attributes.u.shape.shape[1] = 2;
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 3), VALUES(1, 2, 3, 4, 5, 6));
    worked_expect_exact(&w, SHAPE(3, 2), VALUES(1, 2, 3, 4, 5, 6));
    worked_end(&w);
}
END_TEST

START_TEST(permute)
{
    worked_t w = worked_begin(KC_OP_PERMUTE);
    w.attributes.u.permute.rank = 3;
    w.attributes.u.permute.perm[0] = 2;
    w.attributes.u.permute.perm[1] = 0;
    w.attributes.u.permute.perm[2] = 1;
    worked_add(&w, KC_DTYPE_I64, SHAPE(1, 2, 3), VALUES(1, 2, 3, 4, 5, 6));
    worked_expect_exact(&w, SHAPE(3, 1, 2), VALUES(1, 4, 2, 5, 3, 6));
    worked_end(&w);
}
END_TEST

START_TEST(broadcast)
{
    worked_t w = worked_begin(KC_OP_BROADCAST);
    w.attributes.u.shape.rank = 3;
    w.attributes.u.shape.shape[0] = 2;
    w.attributes.u.shape.shape[1] = 2;
    w.attributes.u.shape.shape[2] = 2;
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 1), VALUES(1, 2));
    worked_expect_exact(&w, SHAPE(2, 2, 2), VALUES(1, 1, 2, 2, 1, 1, 2, 2));
    worked_end(&w);
    w = worked_begin(KC_OP_BROADCAST);
    w.attributes.u.shape.rank = 1;
    w.attributes.u.shape.shape[0] = 0;
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(1));
    worked_expect_exact(&w, SHAPE(0), NULL);
    worked_end(&w);
}
END_TEST

START_TEST(concat)
{
    worked_t w = worked_begin(KC_OP_CONCAT);
    w.attributes.u.axis.axis = 1;
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 1), VALUES(1, 2));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 0), NULL);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(3, 4, 5, 6));
    worked_expect_exact(&w, SHAPE(2, 3), VALUES(1, 3, 4, 2, 5, 6));
    worked_end(&w);
}
END_TEST

START_TEST(slice)
{
    worked_t w = worked_begin(KC_OP_SLICE);
    w.attributes.u.slice.axis = 1;
    w.attributes.u.slice.start = 1;
    w.attributes.u.slice.length = 2;
    worked_add(&w, KC_DTYPE_BOOL, SHAPE(2, 3), VALUES(1, 0, 1, 0, 1, 1));
    worked_expect_exact(&w, SHAPE(2, 2), VALUES(0, 1, 1, 1));
    worked_end(&w);
}
END_TEST

CONFORM_SUITE(layout, reshape, permute, broadcast, concat, slice)
