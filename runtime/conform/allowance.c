/* SPDX-License-Identifier: Apache-2.0
 *
 * A rule computes each element as a sum of at most n products, each of a
 * cotangent with factors that are known to a few roundings. Forward error
 * analysis gives (n + k) u times the sum of the products' magnitudes; where
 * the formula cancels (y (g - sum g y), say), its parts are bounded by the
 * largest cotangent times 1 + the largest derivative + the gain of the
 * operation: what its parts have over its derivatives. k = 16 roundings a
 * term cover the longest formula, that of batch_norm. Normwise over the
 * operand, because a cancelled element keeps the error of its parts.
 */
#include "conform/allowance.h"

#include <math.h>

#include "conform/smooth.h"

#define TERM_ROUNDINGS 16.0

/* What the operation adds to the general case. */
typedef struct extra {
    double gain;
    double terms;
} extra_t;

/*
 * The parts of the norms carry gamma / s. Values of a group are at least d
 * apart, so that its variance is at least that of two of them, d^2 / 4, and
 * 1 / s at most 2 / d; |gamma| is at most 2.
 */
static extra_t of_norm(const kci_gradient_case_t *one)
{
    return (extra_t){.gain = 2 * 2 / kci_smooth_spacing(one->trial)};
}

/* w (1 + beta (x - y)): cells are at most 4 apart. */
static extra_t of_smooth_max_pool(const kci_gradient_case_t *one)
{
    return (extra_t){.gain = 4 * fabs(one->trial->attributes.u.pool.beta)};
}

static double largest(const kci_array_t *array)
{
    double value = 0;
    for (int64_t i = 0; i < array->count; i++) {
        value = fmax(value, fabs(array->values[i]));
    }
    return value;
}

static int64_t last_extent(const kci_array_t *array)
{
    return array->shape[array->rank - 1];
}

/* Of rows along the last axis: the largest sum of magnitudes, and the largest
 * Euclidean length. */
static double largest_row(const kci_array_t *array, bool is_squared)
{
    int64_t width = last_extent(array);
    double found = 0;
    for (int64_t row = 0; width > 0 && row < array->count / width; row++) {
        double sum = 0;
        for (int64_t i = 0; i < width; i++) {
            double value = fabs(array->values[row * width + i]);
            sum += is_squared ? value * value : value;
        }
        found = fmax(found, is_squared ? sqrt(sum) : sum);
    }
    return found;
}

/*
 * A score is a sum of d products, each with its rounding, scaled: off by at
 * most (d + 2) u S, S = scale |q| |k|. A weight is off by as much of itself
 * twice over, through the sum that it is divided by. dS = a (dA - sum dA a)
 * has parts of at most 2 V a for a cotangent of 1, V the largest sum of the
 * magnitudes of a row of v; the a of a row sum to 1. Then dq adds them with
 * the scale and rows of k, and dk with those of q, over all queries.
 */
static extra_t of_attention(const kci_gradient_case_t *one)
{
    const kci_array_t *q = &one->point->inputs[0];
    const kci_array_t *k = &one->point->inputs[1];
    const kci_array_t *v = &one->point->inputs[2];
    double depth = (double)last_extent(q);
    double queries = (double)q->shape[q->rank - 2];
    double scale = one->trial->attributes.u.attention.scale;
    if (isnan(scale)) {
        scale = depth > 0 ? 1 / sqrt(depth) : 1;
    }
    double score = fabs(scale) * largest_row(q, true) * largest_row(k, true);
    double parts = fabs(scale) * 2 * largest_row(v, false) *
                   fmax(largest(k), queries * largest(q));
    return (extra_t){.gain = parts + 2 * score * (parts + queries),
                     .terms = depth + 2};
}

/*
 * The transforms are products with cosines and sines that are known to a few
 * roundings; a cotangent is transformed, mixed with the weights or with the
 * transformed signal, and transformed back, and every part of every bin is
 * at most this before it cancels: 2 / n for a bin back, n cotangents.
 */
static extra_t of_spectral(const kci_gradient_case_t *one)
{
    const kc_fft_attributes_t *fft = &one->trial->attributes.u.fft;
    if (fft->transform != KC_FFT_SPECTRAL_CONV1D) {
        return (extra_t){.gain = 0};
    }
    const kci_array_t *weight = &one->point->inputs[1];
    double factor = fmax(largest(weight), largest(&one->point->inputs[2]));
    double of_signal =
        4 * (double)fft->modes * (double)last_extent(weight) * factor;
    double of_weights = 4 * (double)fft->n * largest(&one->point->inputs[0]);
    return (extra_t){.gain = fmax(of_signal, of_weights),
                     .terms = (double)fft->n};
}

static extra_t extra_of(const kci_gradient_case_t *one)
{
    switch (one->trial->op) {
    case KC_OP_LAYER_NORM:
    case KC_OP_BATCH_NORM:
        return of_norm(one);
    case KC_OP_SMOOTH_MAX_POOL:
        return of_smooth_max_pool(one);
    case KC_OP_SCALED_DOT_PRODUCT_ATTENTION:
        return of_attention(one);
    case KC_OP_FFT_FNO:
        return of_spectral(one);
    default:
        return (extra_t){.gain = 0};
    }
}

double kci_gradient_allowance(const kci_gradient_case_t *one,
                              const kci_slope_t *slopes, int64_t count,
                              double function_ulps)
{
    double magnitude = 0;
    double derivative = 0;
    for (int64_t i = 0; i < count; i++) {
        magnitude = fmax(magnitude, slopes[i].magnitude);
        derivative = fmax(derivative, slopes[i].largest);
    }
    kci_precision_t type = kci_precision_of(one->trial->dtype);
    extra_t extra = extra_of(one);
    double terms = (double)one->output.count + TERM_ROUNDINGS + extra.terms;
    double parts = one->largest_cotangent * (1 + derivative + extra.gain);
    return (terms + function_ulps) * type.roundoff * (magnitude + parts);
}
