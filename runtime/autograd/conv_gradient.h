/* SPDX-License-Identifier: Apache-2.0
 *
 * The two sums that derivatives of conv and conv_transpose are made of. With
 * the roles of x and the cotangent exchanged, the rules of the one are the
 * sums of the other:
 *
 *                     conv                          conv_transpose
 *     of x            slide, phase by phase         slide
 *     of the weight   correlate x with g            correlate g with x
 */
#ifndef KC_AUTOGRAD_CONV_GRADIENT_H
#define KC_AUTOGRAD_CONV_GRADIENT_H

#include <kcapsule/call.h>
#include "autograd/sliding_window.h"

/* A window over planes of `cells`, [batch, groups, channels, in...]. Places
 * whose tap meets no cell have no term. */
typedef struct kci_correlation {
    kci_sliding_window_t window;
    bool is_f64;
    size_t batch;
    size_t groups;
    size_t channels; /* of one group of the cells */
    size_t results;  /* of one group of the others */
    size_t in_count; /* cells of a plane */
    size_t out_count;
    size_t lines; /* of the window */
    size_t taps;
    const void *cells;
} kci_correlation_t;

/* Fills in the counts that follow from the window. */
void kci_correlation_count(kci_correlation_t *correlation);

/* Neither infinite nor NaN, any of them. */
bool kci_all_finite(const void *values, size_t count, bool is_f64);

/* Where the places of a phase lie in a larger plane: place q at first + q *
 * step on each axis. */
typedef struct kci_phase_places {
    int64_t first[KC_MAX_RANK];
    int64_t step[KC_MAX_RANK];
    int64_t extent[KC_MAX_RANK]; /* of that plane */
} kci_phase_places_t;

/* to[r, q] = fold0(channel, tap; cells[channel, tap at q] * weight[r,
 * channel, tap]), channels outermost, taps in row-major order. `weight` is
 * [groups, results, channels, taps], `to` [batch, groups, results, extent...]
 * of which only the phase's places are written. */
KC_MUST_USE kc_status_t kci_conv_slide(const kc_call_t *call,
                                       const kci_correlation_t *correlation,
                                       const void *weight,
                                       const kci_phase_places_t *places,
                                       void *to);

/* to[r, channel, tap] = fold0(batch, q; cells[channel, tap at q] * others[r,
 * q]), samples outermost, places in row-major order. `others` is [batch,
 * groups, results, out...], `to` [groups, results, channels, taps]. */
KC_MUST_USE kc_status_t kci_conv_correlate(const kc_call_t *call,
                                           const kci_correlation_t *correlation,
                                           const void *others, void *to);

/* to[channel] = fold0(batch, q; g[channel, q]); the last `axes` axes of g are
 * spatial. */
KC_MUST_USE kc_status_t kci_conv_bias(const kc_call_t *call, const DLTensor *g,
                                      const DLTensor *to, int32_t axes);

#endif
