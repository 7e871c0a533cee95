/* SPDX-License-Identifier: Apache-2.0
 *
 * Transforms of short signals, there and back.
 */
#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

static worked_t fft(int32_t transform, int64_t n, int64_t modes)
{
    worked_t w = worked_begin(KC_OP_FFT_FNO);
    w.attributes.u.fft.transform = transform;
    w.attributes.u.fft.n = n;
    w.attributes.u.fft.modes = modes;
    return w;
}

START_TEST(forward)
{
    worked_t w = fft(KC_FFT_RFFT, 4, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 4), VALUES(1, 2, 3, 4));
    worked_expect(&w, SHAPE(1, 3, 2), VALUES(10, 0, -2, 2, -2, 0), 1e-14);
    ck_assert(w.problem.values[1] == 0 && w.problem.values[5] == 0);
    worked_end(&w);
    w = fft(KC_FFT_RFFT, 1, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 1), VALUES(7));
    worked_expect(&w, SHAPE(1, 1, 2), VALUES(7, 0), 0);
    worked_end(&w);
}
END_TEST

/* Twice the bins, which some algorithms halve at the end, leave the type. */
START_TEST(bins_of_more_than_half_the_largest)
{
    worked_t w = fft(KC_FFT_RFFT, 2, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 2), VALUES(0x1p126, 0x1p126));
    worked_expect(&w, SHAPE(1, 2, 2), VALUES(0x1p127, 0, 0, 0), 0);
    ck_assert(isinf(w.problem.bounds[0]) && isinf(w.problem.bounds[2]));
    worked_end(&w);
    w = fft(KC_FFT_RFFT, 2, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 2), VALUES(0x1p125, 0x1p125));
    worked_expect(&w, SHAPE(1, 2, 2), VALUES(0x1p126, 0, 0, 0), 0x1p104);
    ck_assert(isfinite(w.problem.bounds[0]) && isfinite(w.problem.bounds[2]));
    worked_end(&w);
}
END_TEST

START_TEST(inverse)
{
    worked_t w = fft(KC_FFT_IRFFT, 4, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 3, 2),
               VALUES(10, 99, -2, 2, -2, 99)); /* ends: imaginary ignored */
    worked_expect(&w, SHAPE(1, 4), VALUES(1, 2, 3, 4), 1e-14);
    worked_end(&w);
    /* n = 3 has the same number of bins as 2: parity comes from n. */
    w = fft(KC_FFT_IRFFT, 3, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 2, 2), VALUES(3, 0, 0, 0));
    worked_expect(&w, SHAPE(1, 3), VALUES(1, 1, 1), 1e-15);
    worked_end(&w);
}
END_TEST

START_TEST(convolution)
{
    /* All modes with weight 1: the signal comes back. */
    worked_t w = fft(KC_FFT_SPECTRAL_CONV1D, 4, 3);
    worked_add(&w, KC_DTYPE_F32, SHAPE(4, 1), VALUES(1, 2, 3, 4));
    worked_add(&w, KC_DTYPE_F32, SHAPE(3, 1, 1), VALUES(1, 1, 1));
    worked_add(&w, KC_DTYPE_F32, SHAPE(3, 1, 1), VALUES(0, 0, 0));
    worked_expect(&w, SHAPE(4, 1), VALUES(1, 2, 3, 4), 1e-14);
    worked_end(&w);
    /* One mode: the mean, to two channels. */
    w = fft(KC_FFT_SPECTRAL_CONV1D, 2, 1);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 1), VALUES(1, 3));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 1, 2), VALUES(1, -1));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1, 1, 2), VALUES(5, 5));
    worked_expect(&w, SHAPE(2, 2), VALUES(2, -2, 2, -2), 1e-15);
    worked_end(&w);
}
END_TEST

START_TEST(bounds)
{
    worked_bounds_hold(KC_OP_FFT_FNO, KC_DTYPE_F32, 1, 200);
}
END_TEST

CONFORM_SUITE(spectral, forward, bins_of_more_than_half_the_largest, inverse,
              convolution, bounds)
