/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention by hand: scale, masks, causality, blocked rows and keys.
 */
#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

/* Two queries, two keys of depth 1, values 1 and 3. With scale log(3) and
 * q = 1 the scores are 0 and log 3: weights 1/4 and 3/4. */
static worked_t two_by_two(void)
{
    worked_t w = worked_begin(KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    w.attributes.u.attention.scale = log(3);
    return w;
}

static void add_operands(worked_t *w, const double *values)
{
    worked_add(w, KC_DTYPE_F64, SHAPE(2, 1), VALUES(1, 1));
    worked_add(w, KC_DTYPE_F64, SHAPE(2, 1), VALUES(0, 1));
    worked_add(w, KC_DTYPE_F64, SHAPE(2, 1), values);
}

START_TEST(without_mask)
{
    worked_t w = two_by_two();
    add_operands(&w, VALUES(1, 3));
    worked_expect(&w, SHAPE(2, 1), VALUES(2.5, 2.5), 1e-14);
    worked_end(&w);
    w.attributes.u.attention.causal = 1;
    worked_expect(&w, SHAPE(2, 1), VALUES(1, 2.5), 1e-14);
    worked_end(&w);
}
END_TEST

/* A blocked key may hold anything; a blocked row is exact zeros. */
START_TEST(with_mask)
{
    worked_t w = two_by_two();
    add_operands(&w, VALUES(1, NAN));
    worked_add(&w, KC_DTYPE_BOOL, SHAPE(2, 2), VALUES(1, 0, 0, 0));
    worked_expect(&w, SHAPE(2, 1), VALUES(1, 0), 0);
    ck_assert(w.problem.bounds[1] == 0);
    worked_end(&w);
}
END_TEST

/* [keys] for all queries, and an extent of 1. */
START_TEST(mask_is_aligned_to_the_right)
{
    worked_t w = two_by_two();
    add_operands(&w, VALUES(1, 3));
    worked_add(&w, KC_DTYPE_BOOL, SHAPE(2), VALUES(0, 1));
    worked_expect(&w, SHAPE(2, 1), VALUES(3, 3), 0);
    worked_end(&w);
    w = two_by_two();
    add_operands(&w, VALUES(1, 3));
    worked_add(&w, KC_DTYPE_BOOL, SHAPE(2, 1), VALUES(1, 0));
    worked_expect(&w, SHAPE(2, 1), VALUES(2.5, 0), 1e-14);
    worked_end(&w);
}
END_TEST

START_TEST(default_scale)
{
    worked_t w = worked_begin(KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    w.attributes.u.attention.scale = NAN;
    /* Depth 4: 1/2. Scores 0 and 2 log 3 / 2. */
    worked_add(&w, KC_DTYPE_F64, SHAPE(1, 4), VALUES(1, 0, 0, 0));
    worked_add(&w, KC_DTYPE_F64, SHAPE(2, 4),
               VALUES(0, 0, 0, 0, 2 * log(3), 0, 0, 0));
    worked_add(&w, KC_DTYPE_F64, SHAPE(2, 2), VALUES(1, 10, 3, 30));
    worked_expect(&w, SHAPE(1, 2), VALUES(2.5, 25), 1e-13);
    worked_end(&w);
}
END_TEST

START_TEST(bounds)
{
    worked_bounds_hold(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, KC_DTYPE_F32, 1,
                       200);
    worked_bounds_hold(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, KC_DTYPE_F64, 1, 50);
}
END_TEST

CONFORM_SUITE(attention, without_mask, with_mask, mask_is_aligned_to_the_right,
              default_scale, bounds)
