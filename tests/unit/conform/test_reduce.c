/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums and means; and what the bound of a sum lets pass and what it does not.
 */
#include <math.h>

#include "conform/case.h"
#include "conform/compare.h"
#include "unit/conform/suites.h"
#include "unit/conform/worked.h"
#include "unit/expect.h"

START_TEST(axes)
{
    worked_t w = worked_begin(KC_OP_REDUCE_SUM);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 3), VALUES(1, 2, 3, 4, 5, 6));
    w.attributes.u.axis.axis = 0;
    worked_expect(&w, SHAPE(3), VALUES(5, 7, 9), 0);
    worked_end(&w);
    w.attributes.u.axis.axis = 1;
    worked_expect(&w, SHAPE(2), VALUES(6, 15), 0);
    worked_end(&w);
    w.op = KC_OP_REDUCE_MEAN;
    worked_expect(&w, SHAPE(2), VALUES(2, 5), 0);
    worked_end(&w);
}
END_TEST

START_TEST(nothing_and_zeros)
{
    worked_t w = worked_begin(KC_OP_REDUCE_SUM);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 0), NULL);
    w.attributes.u.axis.axis = 1;
    worked_expect(&w, SHAPE(2), VALUES(0, 0), 0);
    worked_end(&w);
    w.op = KC_OP_REDUCE_MEAN;
    worked_expect(&w, SHAPE(2), VALUES(NAN, NAN), 0);
    worked_end(&w);
    w = worked_begin(KC_OP_REDUCE_SUM);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(-0.0));
    worked_expect(&w, SCALAR, VALUES(0.0), 0);
    ck_assert(!signbit(w.problem.written[0])); /* it begins with +0 */
    worked_end(&w);
}
END_TEST

/* The written order is what fixed-left says: not pairwise, not wider. */
START_TEST(written_order)
{
    worked_t w = worked_begin(KC_OP_REDUCE_SUM);
    worked_add(&w, KC_DTYPE_F32, SHAPE(3), VALUES(1, 0x1p-24, 0x1p-24));
    worked_expect(&w, SCALAR, VALUES(1 + 0x1p-23), 0);
    ck_assert(w.problem.written[0] == 1);
    ck_assert(kci_is_within(&w.problem.type, 1, w.problem.values[0],
                            w.problem.bounds[0]));
    worked_end(&w);
}
END_TEST

/* Sums in four orders stay within the bound; the sum without its last term
 * does not, unless that term is as small as the rounding. */
START_TEST(bound_tells_wrong_from_rounded)
{
    float x[500];
    double values[500];
    kci_draw_t draw = kci_draw_begin(1);
    kci_precision_t type = kci_precision_of(KC_DTYPE_F32);
    kci_fold_t fold = kci_fold_begin(&type);
    float ascending = 0;
    float descending = 0;
    float even = 0;
    float odd = 0;
    for (int i = 0; i < 500; i++) {
        values[i] = kci_draw_value(&draw, KCI_TEMPER_ORDINARY, false);
        x[i] = (float)values[i];
        kci_fold_add(&fold, kci_tracked_exact(values[i]));
        ascending += x[i];
        *(i % 2 == 0 ? &even : &odd) += x[i];
    }
    for (int i = 499; i >= 0; i--) {
        descending += x[i];
    }
    kci_tracked_t sum = kci_fold_sum(&fold);
    ck_assert(fabs((double)ascending - sum.value) <= sum.error);
    ck_assert(fabs((double)descending - sum.value) <= sum.error);
    ck_assert(fabs((double)(even + odd) - sum.value) <= sum.error);
    ck_assert((double)ascending == sum.written);
    ck_assert(fabs((double)(ascending - x[499]) - sum.value) > sum.error);
}
END_TEST

START_TEST(bounds)
{
    worked_bounds_hold(KC_OP_REDUCE_SUM, KC_DTYPE_F32, 1, 200);
    worked_bounds_hold(KC_OP_REDUCE_MEAN, KC_DTYPE_F32, 1, 200);
    worked_bounds_hold(KC_OP_REDUCE_MEAN, KC_DTYPE_F64, 1, 50);
}
END_TEST

CONFORM_SUITE(reduce, axes, nothing_and_zeros, written_order,
              bound_tells_wrong_from_rounded, bounds)
