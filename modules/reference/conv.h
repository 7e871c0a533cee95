/* SPDX-License-Identifier: Apache-2.0
 *
 * A convolution as its loops see it. There are two ways to compute it with
 * the same bits: row by row as written, and as products over panels of
 * gathered cells, which is faster where many channels share them.
 */
#ifndef KC_REFERENCE_CONV_H
#define KC_REFERENCE_CONV_H

#include "window.h"

/* Places of a row whose sums are held side by side. */
#define KC_REFERENCE_CONV_ROW 64

/* Channels and places of one item of the panel way. Fewer output channels
 * than the least do not pay for the gathering. */
#define KC_REFERENCE_PANEL_CHANNELS       64
#define KC_REFERENCE_PANEL_CHANNELS_LEAST 4
#define KC_REFERENCE_PANEL_PLACES         128

typedef struct kc_reference_conv {
    kc_reference_window_t window;
    int is_f64;
    size_t batch;
    size_t groups;
    size_t inputs;  /* channels of one group */
    size_t outputs; /* channels of one group */
    size_t in_count;
    size_t out_count; /* places of one channel */
    size_t lines;     /* of the window */
    size_t taps;      /* cells of the window */
    const void *x;
    const void *weight; /* [groups * outputs, inputs, taps] */
    const void *bias;   /* one a channel, or NULL */
    void *y;
    size_t row_blocks;     /* row by row, of KC_REFERENCE_CONV_ROW */
    size_t channel_blocks; /* by panels; set there, as is the next */
    size_t place_blocks;
} kc_reference_conv_t;

/* The panel way takes a cell outside times its weight for the skipped term:
 * with a finite weight that is a zero, which changes no sum that began at +0;
 * an infinite one or NaN would. So ask about the weights first. */
int kc_reference_all_finite(const void *values, size_t count, int is_f64);
KC_MUST_USE kc_status_t kc_reference_conv_by_panels(const kc_call_t *call,
                                                    kc_reference_conv_t *conv);

#endif
