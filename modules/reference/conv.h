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

/* Channels and places of one item of the panel way. */
#define KC_REFERENCE_CONV_CHANNELS 64
#define KC_REFERENCE_CONV_PLACES   128

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
    size_t row_blocks;     /* row by row: of KC_REFERENCE_CONV_ROW */
    size_t channel_blocks; /* by panels */
    size_t place_blocks;   /* by panels */
} kc_reference_conv_t;

/* Items of the panel way; `opaque` is the kc_reference_conv_t. A cell outside
 * counts as zero times its weight there: only for finite weights. */
kc_status_t kc_reference_conv_panels(void *opaque, size_t start, size_t count);

#endif
