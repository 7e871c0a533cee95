/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules by which errors spread, against evaluations in float32.
 */
#include "conform/tracked.h"

#include <float.h>
#include <math.h>
#include <kcapsule/vocabulary.h>

#include "conform/draw.h"
#include "unit/conform/suites.h"

static bool holds(kci_tracked_t t)
{
    return fabs(t.written - t.value) <= t.error;
}

START_TEST(precisions)
{
    kci_precision_t f32 = kci_precision_of(KC_DTYPE_F32);
    kci_precision_t f64 = kci_precision_of(KC_DTYPE_F64);
    ck_assert(kci_precision_round(&f32, 0.1) == (double)0.1F);
    ck_assert(kci_precision_round(&f64, 0.1) == 0.1);
    ck_assert(kci_precision_ulp(&f32, 1) == (double)FLT_EPSILON);
    ck_assert(kci_precision_ulp(&f32, -1.5) == (double)FLT_EPSILON);
    ck_assert(kci_precision_ulp(&f64, 1) == DBL_EPSILON);
    ck_assert(kci_precision_ulp(&f32, 0) == 0x1p-149);
    ck_assert(kci_precision_ulp(&f32, 0x1p-149) == 0x1p-149);
    ck_assert(kci_precision_ulp(&f64, 0x1p-1074) == 0x1p-1074);
}
END_TEST

/* Chains of operations on drawn numbers: the evaluation in float32 is the
 * C expression and never leaves the bound. */
START_TEST(chains_stay_within)
{
    kci_precision_t t = kci_precision_of(KC_DTYPE_F32);
    kci_draw_t draw = kci_draw_begin(7);
    for (int i = 0; i < 20000; i++) {
        double a = kci_draw_value(&draw, KCI_TEMPER_WIDE, false);
        double b = kci_draw_value(&draw, KCI_TEMPER_ORDINARY, false);
        double c = kci_draw_value(&draw, KCI_TEMPER_SUBNORMAL, false);
        kci_tracked_t ab = kci_tracked_multiply(&t, kci_tracked_exact(a),
                                                kci_tracked_exact(b));
        kci_tracked_t sum = kci_tracked_add(&t, ab, kci_tracked_exact(c));
        kci_tracked_t quotient =
            kci_tracked_divide(&t, sum, kci_tracked_exact(b));
        kci_tracked_t square = kci_tracked_multiply(&t, quotient, quotient);
        kci_tracked_t root = kci_tracked_sqrt(&t, square);
        float product = (float)a * (float)b;
        float written = (product + (float)c) / (float)b;
        ck_assert(quotient.written == (double)written);
        ck_assert(holds(ab) && holds(sum) && holds(quotient));
        ck_assert(holds(square) && (holds(root) || isinf(root.error)));
    }
}
END_TEST

START_TEST(functions_stay_within)
{
    kci_precision_t t = kci_precision_of(KC_DTYPE_F32);
    kci_draw_t draw = kci_draw_begin(8);
    for (int i = 0; i < 20000; i++) {
        double a = kci_draw_real(&draw, -80, 80);
        kci_tracked_t x = kci_tracked_multiply(
            &t, kci_tracked_exact((double)(float)a), kci_tracked_exact(0.7F));
        kci_tracked_t y = kci_tracked_exp(&t, x);
        kci_tracked_t z = kci_tracked_log(&t, y);
        ck_assert(holds(x) && holds(y) && holds(z));
        ck_assert(y.error < y.value * 1e-5);
    }
}
END_TEST

/* Infinities and NaN are exact results, overflow on the way is not. */
START_TEST(open_and_exact)
{
    kci_precision_t t = kci_precision_of(KC_DTYPE_F32);
    kci_tracked_t big = kci_tracked_exact((double)FLT_MAX);
    kci_tracked_t infinity = kci_tracked_exact(INFINITY);
    kci_tracked_t zero = kci_tracked_exact(0);
    kci_tracked_t vague = {0, 1e-9, 0};
    kci_tracked_t r = kci_tracked_add(&t, infinity, big);
    ck_assert(r.value == INFINITY && r.error == 0);
    r = kci_tracked_multiply(&t, infinity, zero);
    ck_assert(isnan(r.value) && r.error == 0);
    r = kci_tracked_multiply(&t, big, big);
    ck_assert(kci_tracked_is_open(&r));
    r = kci_tracked_multiply(&t, infinity, vague);
    ck_assert(kci_tracked_is_open(&r));
    r = kci_tracked_divide(&t, big, vague);
    ck_assert(kci_tracked_is_open(&r));
    r = kci_tracked_divide(&t, big, zero);
    ck_assert(r.value == INFINITY && r.error == 0);
    r = kci_tracked_log(&t, vague);
    ck_assert(kci_tracked_is_open(&r));
    r = kci_tracked_exp(&t, kci_tracked_exact(-INFINITY));
    ck_assert(r.value == 0 && r.error == 0);
    r = kci_tracked_multiply(&t, zero, big);
    ck_assert(r.value == 0 && r.error == 0);
}
END_TEST

START_TEST(folds)
{
    kci_precision_t t = kci_precision_of(KC_DTYPE_F32);
    kci_fold_t fold = kci_fold_begin(&t);
    kci_tracked_t sum = kci_fold_sum(&fold);
    ck_assert(sum.value == 0 && sum.error == 0 && !signbit(sum.written));
    kci_fold_add(&fold, kci_tracked_exact(-0.0));
    sum = kci_fold_sum(&fold);
    ck_assert(sum.error == 0 && !signbit(sum.written));
    fold = kci_fold_begin_at(&t, -0.0);
    sum = kci_fold_sum(&fold);
    ck_assert(signbit(sum.written));
    fold = kci_fold_begin(&t);
    for (int i = 0; i < 4; i++) {
        kci_fold_add(&fold, kci_tracked_exact(i % 2 == 0 ? 1 : -1));
    }
    sum = kci_fold_sum(&fold); /* 2 g Sum|t|, g about 4 u */
    ck_assert(fabs(sum.error - 2 * 4 * 0x1p-24 * 4) < 1e-12);
    /* A partial sum may overflow, the whole does not. */
    fold = kci_fold_begin(&t);
    kci_fold_add(&fold, kci_tracked_exact(3e38));
    kci_fold_add(&fold, kci_tracked_exact(-3e38));
    sum = kci_fold_sum(&fold);
    ck_assert(kci_tracked_is_open(&sum));
    fold = kci_fold_begin(&t);
    kci_fold_add(&fold, kci_tracked_exact(INFINITY));
    kci_fold_add(&fold, kci_tracked_exact(1));
    sum = kci_fold_sum(&fold);
    ck_assert(sum.value == INFINITY && sum.error == 0);
}
END_TEST

CONFORM_SUITE(tracked, precisions, chains_stay_within, functions_stay_within,
              open_and_exact, folds)
