/* SPDX-License-Identifier: Apache-2.0
 *
 * Real Fourier transforms in the packed half spectrum, as sums over all n
 * terms, and the spectral convolution.
 *
 * Bound. Whatever the algorithm, a result is a sum of terms x w with |w| = 1,
 * where w is a product of at most 1 + log2 n twiddle factors. An angle
 * 2 pi m / n has three roundings, at most 2 pi * 3 u, and cos or sin one ulp:
 * 21 u a factor. With the sum itself:
 *   |error| <= (21 u (1 + log2 n) + 2 g) Sum|x|.
 * A sum that meets an infinity or NaN may give it to any of its results. The
 * transform of n reals as one of n/2 complex numbers makes twice a bin before
 * it halves it, and may overflow there.
 */
#include "conform/case.h"

#include <math.h>
#include <stdlib.h>

/* A complex number with one bound for both parts. */
typedef struct spectral {
    double re;
    double im;
    double error;
    double size; /* at least |re|, |im| */
} spectral_t;

static int64_t bins_of(int64_t n)
{
    return n / 2 + 1;
}

/* 1 for the bins that stand for themselves only, else 2. */
static int weight_of(int64_t k, int64_t n)
{
    return k == 0 || (n % 2 == 0 && k == n / 2) ? 1 : 2;
}

static double angle(int64_t k, int64_t t, int64_t n)
{
    double turn = 2 * acos(-1);
    return turn * (double)(k * t % n) / (double)n;
}

static double sum_error(const kci_precision_t *type, int64_t n, double size)
{
    double terms = (double)n * type->roundoff;
    double factors = 21 * type->unit * (1 + log2((double)n));
    return (factors + 2 * terms / (1 - terms)) * size + (double)n * type->tiny;
}

/* X_k = sum over t of x_t exp(-2 pi i k t / n); the imaginary part of a bin
 * that stands for itself is exactly 0. x is `stride` apart. */
static spectral_t forward(const kci_precision_t *type, const double *x,
                          int64_t stride, int64_t n, int64_t k)
{
    spectral_t sum = {0, 0, 0, 0};
    for (int64_t t = 0; t < n; t++) {
        double value = x[t * stride];
        sum.re += value * cos(angle(k, t, n));
        sum.im -= value * sin(angle(k, t, n));
        sum.size += fabs(value);
    }
    sum.error = sum_error(type, n, sum.size);
    if (weight_of(k, n) == 1) {
        sum.im = 0;
    }
    return sum;
}

/* x_t = 1/n sum over k of w_k (Re cos - [w_k = 2] Im sin), with what the
 * spectrum itself is off. */
static kci_tracked_t inverse(const kci_precision_t *type,
                             const spectral_t *spectrum, int64_t n, int64_t t)
{
    double sum = 0;
    double size = 0;
    double error = 0;
    for (int64_t k = 0; k < bins_of(n); k++) {
        int weight = weight_of(k, n);
        double im = weight == 2 ? spectrum[k].im : 0;
        sum += weight * (spectrum[k].re * cos(angle(k, t, n)) -
                         im * sin(angle(k, t, n)));
        size += weight * (fabs(spectrum[k].re) + fabs(im));
        error += 2 * weight * spectrum[k].error;
    }
    kci_tracked_t result = {sum / (double)n, 0, 0};
    result.error = (error + sum_error(type, n, size + error)) / (double)n +
                   2 * type->unit * fabs(result.value) + type->tiny;
    return result;
}

static kci_tracked_t number(const kci_problem_t *problem, double value,
                            double error, double size)
{
    bool is_known =
        isfinite(value) && isfinite(error) && size <= problem->type.largest;
    return (kci_tracked_t){value, is_known ? error : INFINITY,
                           kci_precision_round(&problem->type, value)};
}

static kc_status_t rfft(kci_problem_t *problem, int64_t n, kc_error_t *error)
{
    const kci_array_t *x = &problem->inputs[0];
    int64_t shape[KC_MAX_RANK];
    for (int32_t i = 0; i < x->rank; i++) {
        shape[i] = x->shape[i];
    }
    shape[x->rank - 1] = bins_of(n);
    shape[x->rank] = 2;
    kc_status_t status = kci_problem_shape(problem, x->rank + 1, shape, error);
    for (int64_t i = 0; status == KC_OK && i < problem->count / 2; i++) {
        int64_t k = i % bins_of(n);
        const double *row = x->values + i / bins_of(n) * n;
        spectral_t bin = forward(&problem->type, row, 1, n, k);
        kci_expect(problem, 2 * i,
                   number(problem, bin.re, bin.error, 2 * bin.size));
        kci_expect(problem, 2 * i + 1,
                   weight_of(k, n) == 1 && isfinite(bin.size)
                       ? kci_tracked_exact(0)
                       : number(problem, bin.im, bin.error, 2 * bin.size));
    }
    return status;
}

static kc_status_t irfft(kci_problem_t *problem, int64_t n, kc_error_t *error)
{
    const kci_array_t *x = &problem->inputs[0];
    int64_t bins = bins_of(n);
    int64_t shape[KC_MAX_RANK];
    for (int32_t i = 0; i < x->rank; i++) {
        shape[i] = x->shape[i];
    }
    shape[x->rank - 2] = n;
    spectral_t *spectrum = kci_conform_allocate(bins, sizeof *spectrum);
    kc_status_t status = kci_problem_shape(problem, x->rank - 1, shape, error);
    if (status == KC_OK && spectrum == NULL) {
        status = kci_conform_no_memory(error);
    }
    for (int64_t i = 0; status == KC_OK && i < problem->count; i++) {
        const double *row = x->values + i / n * bins * 2;
        double size = 0;
        for (int64_t k = 0; k < bins; k++) {
            spectrum[k] = (spectral_t){row[2 * k], row[2 * k + 1], 0, 0};
            size += 2 * (fabs(row[2 * k]) + fabs(row[2 * k + 1]));
        }
        kci_tracked_t t = inverse(&problem->type, spectrum, n, i % n);
        kci_expect(problem, i, number(problem, t.value, t.error, size));
    }
    free(spectrum);
    return status;
}

/* Z_k = sum over input channels of X_k W, the weight at [k, c, o]: a product
 * of two sums of two products, four terms a channel. */
static spectral_t mix(const kci_problem_t *problem, int64_t n, int64_t k,
                      int64_t o)
{
    const kci_array_t *x = &problem->inputs[0];
    int64_t in = x->shape[1];
    int64_t out = problem->inputs[1].shape[2];
    spectral_t sum = {0, 0, 0, 0};
    for (int64_t c = 0; c < in; c++) {
        spectral_t bin = forward(&problem->type, x->values + c, in, n, k);
        int64_t at = (k * in + c) * out + o;
        double re = problem->inputs[1].values[at];
        double im = problem->inputs[2].values[at];
        sum.re += bin.re * re - bin.im * im;
        sum.im += bin.re * im + bin.im * re;
        sum.error += bin.error * (fabs(re) + fabs(im));
        sum.size += bin.size * (fabs(re) + fabs(im));
    }
    double terms = 2 * (double)in * problem->type.roundoff;
    sum.error += 2 * terms / (1 - terms) * (sum.size + sum.error) +
                 problem->type.unit * sum.size +
                 4 * (double)in * problem->type.tiny;
    return sum;
}

static kc_status_t convolve(kci_problem_t *problem, kc_error_t *error)
{
    const kc_fft_attributes_t *fft = &problem->attributes.u.fft;
    int64_t n = fft->n;
    int64_t out = problem->inputs[1].shape[2];
    int64_t shape[2] = {n, out};
    spectral_t *spectrum = kci_conform_allocate(bins_of(n), sizeof *spectrum);
    kc_status_t status = kci_problem_shape(problem, 2, shape, error);
    if (status == KC_OK && spectrum == NULL) {
        status = kci_conform_no_memory(error);
    }
    for (int64_t o = 0; status == KC_OK && o < out; o++) {
        double size = 0;
        for (int64_t k = 0; k < fft->modes; k++) {
            spectrum[k] = mix(problem, n, k, o);
            size += 2 * spectrum[k].size;
        }
        for (int64_t t = 0; t < n; t++) {
            kci_tracked_t y = inverse(&problem->type, spectrum, n, t);
            kci_expect(problem, t * out + o,
                       fft->modes == 0
                           ? kci_tracked_exact(0)
                           : number(problem, y.value, y.error, size));
        }
    }
    free(spectrum);
    return status;
}

kc_status_t kci_oracle_spectral(kci_problem_t *problem, kc_error_t *error)
{
    int64_t n = problem->attributes.u.fft.n;
    switch (problem->attributes.u.fft.transform) {
    case KC_FFT_RFFT:
        return rfft(problem, n, error);
    case KC_FFT_IRFFT:
        return irfft(problem, n, error);
    default:
        return convolve(problem, error);
    }
}

void kci_draw_spectral(kci_case_t *trial)
{
    kci_draw_t *draw = &trial->draw;
    kc_fft_attributes_t *fft = &trial->attributes.u.fft;
    int64_t shape[3];
    fft->transform = (int32_t)kci_draw_integer(draw, 0, 2);
    fft->n = kci_draw_extent(draw, 65);
    int64_t batch = kci_draw_integer(draw, 0, 4);
    if (fft->transform != KC_FFT_SPECTRAL_CONV1D) {
        shape[0] = batch;
        shape[1] = fft->transform == KC_FFT_RFFT ? fft->n : bins_of(fft->n);
        shape[2] = 2;
        kci_case_add(trial, trial->dtype, fft->transform == KC_FFT_RFFT ? 2 : 3,
                     shape, KCI_FILL_VALUES);
        return;
    }
    shape[0] = fft->n;
    shape[1] = kci_draw_integer(draw, 1, 4);
    kci_case_add(trial, trial->dtype, 2, shape, KCI_FILL_VALUES);
    fft->modes = kci_draw_integer(draw, 0, bins_of(fft->n));
    shape[0] = fft->modes;
    shape[2] = kci_draw_integer(draw, 1, 4);
    kci_case_add(trial, trial->dtype, 3, shape, KCI_FILL_VALUES);
    kci_case_add(trial, trial->dtype, 3, shape, KCI_FILL_VALUES);
}
