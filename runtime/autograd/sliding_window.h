/* SPDX-License-Identifier: Apache-2.0
 *
 * A window that slides over the spatial axes of a plane, for the derivative
 * rules of convolutions and pools: which cell a tap of it meets at a place.
 * Rows are runs of places, lines runs of taps, along the last axis; both are
 * numbered in row-major order.
 */
#ifndef KC_AUTOGRAD_SLIDING_WINDOW_H
#define KC_AUTOGRAD_SLIDING_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include <kcapsule/vocabulary.h>

/* On each axis tap t at place q meets cell q * stride + t * dilation -
 * padding; there is one if that lies in [0, in). Dilation and padding may be
 * negative. Attributes are bounded so that no sum overflows. */
typedef struct kci_sliding_window {
    int32_t axes; /* at least one */
    int64_t in[KC_MAX_RANK];
    int64_t out[KC_MAX_RANK];
    int64_t kernel[KC_MAX_RANK];
    int64_t stride[KC_MAX_RANK];
    int64_t dilation[KC_MAX_RANK];
    int64_t padding[KC_MAX_RANK];
} kci_sliding_window_t;

/* `first` up to `end` exclusively; empty when they are equal. */
typedef struct kci_places {
    int64_t first;
    int64_t end;
} kci_places_t;

static inline size_t kci_extents_product(const int64_t *extents, int32_t count)
{
    size_t product = 1;
    for (int32_t axis = 0; axis < count; axis++) {
        product *= (size_t)extents[axis];
    }
    return product;
}

/* Whether line `line` meets cells from places of row `row`; then also where
 * the row of those cells begins in the plane. */
static inline bool kci_window_line(const kci_sliding_window_t *window,
                                   size_t row, size_t line, size_t *out_start)
{
    const int32_t last = window->axes - 1;
    size_t start = 0;
    size_t step = (size_t)window->in[last];
    for (int32_t axis = last; axis-- > 0;) {
        const size_t places = (size_t)window->out[axis];
        const size_t taps = (size_t)window->kernel[axis];
        const int64_t cell = (int64_t)(row % places) * window->stride[axis] +
                             (int64_t)(line % taps) * window->dilation[axis] -
                             window->padding[axis];
        if (cell < 0 || cell >= window->in[axis]) {
            return false;
        }
        start += (size_t)cell * step;
        step *= (size_t)window->in[axis];
        row /= places;
        line /= taps;
    }
    *out_start = start;
    return true;
}

/* Where tap `tap` of a line lies from place 0 of the row. */
static inline int64_t kci_window_offset(const kci_sliding_window_t *window,
                                        size_t tap)
{
    const int32_t last = window->axes - 1;
    return (int64_t)tap * window->dilation[last] - window->padding[last];
}

/* Those of the places `from` to `to` of a row from which the tap at `offset`
 * meets a cell. */
static inline kci_places_t
kci_window_places_of(const kci_sliding_window_t *window, int64_t offset,
                     int64_t from, int64_t to)
{
    const int64_t stride = window->stride[window->axes - 1];
    const int64_t last = window->in[window->axes - 1] - 1 - offset;
    kci_places_t places = {from, to};
    if (from * stride + offset < 0) {
        places.first = (stride - 1 - offset) / stride;
        places.first = places.first < to ? places.first : to;
    }
    if (last < (to - 1) * stride) {
        places.end = last < 0 ? from : last / stride + 1;
    }
    if (places.end < places.first) {
        places.end = places.first;
    }
    return places;
}

#endif
