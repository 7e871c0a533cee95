/* SPDX-License-Identifier: Apache-2.0
 *
 * A window that slides over the spatial axes of a plane: where it starts for
 * a place of the result, and which of its cells lie inside. Rows are runs of
 * the last axis, lines are runs of the window's last axis; both are numbered
 * in row-major order.
 */
#ifndef KC_REFERENCE_WINDOW_H
#define KC_REFERENCE_WINDOW_H

#include "tile.h"

/* Cell k of the window lies at place * stride + k * dilation - padding. The
 * host bounds all of these, so that no sum overflows. */
typedef struct kc_reference_window {
    int32_t axes; /* spatial ones, at least one */
    int64_t in[KC_MAX_RANK];
    int64_t out[KC_MAX_RANK];
    int64_t kernel[KC_MAX_RANK];
    int64_t stride[KC_MAX_RANK];
    int64_t dilation[KC_MAX_RANK];
    int64_t padding[KC_MAX_RANK]; /* before each axis */
} kc_reference_window_t;

/* Of a convolution: the window slides over the spatial axes of `plane` and has
 * a place for each cell of `places`, x and y one way or the other. */
static inline kc_reference_window_t
kc_reference_conv_window(const kc_call_t *call, const DLTensor *plane,
                         const DLTensor *places)
{
    const kc_conv_attributes_t *attributes = &call->attributes->u.conv;
    const DLTensor *weight = call->inputs[1];
    kc_reference_window_t window = {.axes = weight->ndim - 2};
    for (int32_t i = 0; i < window.axes; i++) {
        window.in[i] = plane->shape[plane->ndim - window.axes + i];
        window.out[i] = places->shape[places->ndim - window.axes + i];
        window.kernel[i] = weight->shape[2 + i];
        window.stride[i] = attributes->stride[i];
        window.dilation[i] = attributes->dilation[i];
        window.padding[i] = attributes->padding[i];
    }
    return window;
}

/* The part of a row's places, or of a line's cells, from `first` up to `end`
 * exclusively; empty if they are equal. */
typedef struct kc_reference_span {
    int64_t first;
    int64_t end;
} kc_reference_span_t;

static inline size_t kc_reference_product(const int64_t *extents, int32_t count)
{
    size_t product = 1;
    for (int32_t axis = 0; axis < count; axis++) {
        product *= (size_t)extents[axis];
    }
    return product;
}

/* Where the window of the first place of row `row` begins, on all axes but
 * the last. */
static inline void kc_reference_row_origin(const kc_reference_window_t *window,
                                           size_t row, int64_t *origin)
{
    for (int32_t axis = window->axes - 1; axis-- > 0;) {
        const size_t extent = (size_t)window->out[axis];
        const int64_t place = (int64_t)(row % extent);
        origin[axis] = place * window->stride[axis] - window->padding[axis];
        row /= extent;
    }
}

/* Whether line `line` of the window at `origin` lies inside the plane; then
 * also where its row of the plane begins. */
static inline int kc_reference_line(const kc_reference_window_t *window,
                                    const int64_t *origin, size_t line,
                                    size_t *out_start)
{
    size_t start = 0;
    size_t step = (size_t)window->in[window->axes - 1];
    for (int32_t axis = window->axes - 1; axis-- > 0;) {
        const size_t extent = (size_t)window->kernel[axis];
        const int64_t cell = (int64_t)(line % extent);
        const int64_t at = origin[axis] + cell * window->dilation[axis];
        if (at < 0 || at >= window->in[axis]) {
            return 0;
        }
        start += (size_t)at * step;
        step *= (size_t)window->in[axis];
        line /= extent;
    }
    *out_start = start;
    return 1;
}

/* Places `from` to `to` of a row, cut to those whose value at `offset` from
 * the scaled place lies inside the last axis. */
static inline kc_reference_span_t
kc_reference_places(const kc_reference_window_t *window, int64_t offset,
                    int64_t from, int64_t to)
{
    const int64_t stride = window->stride[window->axes - 1];
    const int64_t last = window->in[window->axes - 1] - 1 - offset;
    kc_reference_span_t span = {from, to};
    if (offset < 0 && from * stride < -offset) {
        span.first = (-offset + stride - 1) / stride;
    }
    if (last < (to - 1) * stride) {
        span.end = last < 0 ? from : last / stride + 1;
    }
    if (span.end < span.first) {
        span.end = span.first;
    }
    return span;
}

#endif
