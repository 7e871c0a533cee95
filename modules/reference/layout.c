/* SPDX-License-Identifier: Apache-2.0
 *
 * reshape, permute, broadcast and slice: one copy out of a strided view into
 * dense memory, bit by bit, for any element type; concat: the pieces of each
 * row of the result. Decides the view of each.
 */
#include <string.h>

#include "handlers.h"
#include "tile.h"

/* Output axis i has `extent[i]` elements that lie `stride[i]` bytes apart in
 * the input; the last axis is the innermost. */
typedef struct view {
    size_t rank;
    size_t extent[KC_MAX_RANK + 1];
    size_t stride[KC_MAX_RANK + 1];
    size_t element_size;
    const char *in;
    char *out;
} view_t;

/* Two axes that are one in memory become one; axes of extent 1 go. */
static void append_axis(view_t *view, size_t extent, size_t stride)
{
    size_t last = view->rank - 1;
    if (extent == 1) {
        return;
    }
    if (view->rank > 0 && view->stride[last] == extent * stride) {
        view->extent[last] *= extent;
        view->stride[last] = stride;
        return;
    }
    view->extent[view->rank] = extent;
    view->stride[view->rank] = stride;
    view->rank++;
}

/* The fixed sizes let the compiler make one move of each copy. */
static void copy_run(char *to, const char *from, size_t count, size_t stride,
                     size_t size)
{
    if (stride == size) {
        memcpy(to, from, count * size);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (size == 4) {
            memcpy(to + i * 4, from + i * stride, 4);
        } else if (size == 8) {
            memcpy(to + i * 8, from + i * stride, 8);
        } else {
            memcpy(to + i * size, from + i * stride, size);
        }
    }
}

/* Where row `row` (all axes but the last) begins in the input. */
static const char *row_start(const view_t *view, size_t row)
{
    const char *from = view->in;
    for (size_t axis = view->rank - 1; axis-- > 0;) {
        from += row % view->extent[axis] * view->stride[axis];
        row /= view->extent[axis];
    }
    return from;
}

/* Copies output elements start .. start+count-1, whole rows or parts. */
static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const view_t *view = opaque;
    const size_t length = view->extent[view->rank - 1];
    const size_t stride = view->stride[view->rank - 1];
    const size_t size = view->element_size;
    char *to = view->out + start * size;
    while (count > 0) {
        size_t column = start % length;
        size_t part = kc_reference_smaller(length - column, count);
        copy_run(to, row_start(view, start / length) + column * stride, part,
                 stride, size);
        to += part * size;
        start += part;
        count -= part;
    }
    return KC_OK;
}

static kc_status_t copy_out(const kc_call_t *call, view_t *view)
{
    if (view->rank == 0) { /* one element */
        view->extent[0] = 1;
        view->stride[0] = view->element_size;
        view->rank = 1;
    }
    return kc_reference_for(
        call, tile, view, (size_t)kc_tensor_element_count(call->outputs[0]), 1);
}

static view_t begin_view(const kc_call_t *call)
{
    view_t view = {.rank = 0,
                   .element_size = call->inputs[0]->dtype.bits / 8u,
                   .in = kc_tensor_data(call->inputs[0]),
                   .out = kc_tensor_data(call->outputs[0])};
    return view;
}

static size_t stride_of(const view_t *view, const DLTensor *x, int64_t axis)
{
    return (size_t)x->strides[axis] * view->element_size;
}

static kc_status_t reshape_forward(const kc_call_t *call)
{
    view_t view = begin_view(call);
    append_axis(&view, (size_t)kc_tensor_element_count(call->inputs[0]),
                view.element_size);
    return copy_out(call, &view);
}
KC_REFERENCE_HANDLER(reshape, KC_OP_RESHAPE, reshape_forward, NULL);

static kc_status_t permute_forward(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    const kc_permute_attributes_t *permute = &call->attributes->u.permute;
    view_t view = begin_view(call);
    for (int32_t i = 0; i < x->ndim; i++) {
        int64_t axis = permute->perm[i];
        append_axis(&view, (size_t)x->shape[axis], stride_of(&view, x, axis));
    }
    return copy_out(call, &view);
}
KC_REFERENCE_HANDLER(permute, KC_OP_PERMUTE, permute_forward, NULL);

/* An axis that is missing or of extent 1 is read again and again. */
static kc_status_t broadcast_forward(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    const DLTensor *y = call->outputs[0];
    const int32_t added = y->ndim - x->ndim;
    view_t view = begin_view(call);
    for (int32_t i = 0; i < y->ndim; i++) {
        int grows = i < added || x->shape[i - added] != y->shape[i];
        append_axis(&view, (size_t)y->shape[i],
                    grows ? 0 : stride_of(&view, x, i - added));
    }
    return copy_out(call, &view);
}
KC_REFERENCE_HANDLER(broadcast, KC_OP_BROADCAST, broadcast_forward, NULL);

/* A slice is a view that begins further on. */
static kc_status_t slice_forward(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    const DLTensor *y = call->outputs[0];
    const kc_slice_attributes_t *slice = &call->attributes->u.slice;
    view_t view = begin_view(call);
    if (kc_tensor_element_count(y) == 0) {
        return KC_OK;
    }
    view.in += (size_t)slice->start * stride_of(&view, x, slice->axis);
    for (int32_t i = 0; i < y->ndim; i++) {
        append_axis(&view, (size_t)y->shape[i], stride_of(&view, x, i));
    }
    return copy_out(call, &view);
}
KC_REFERENCE_HANDLER(slice, KC_OP_SLICE, slice_forward, NULL);

/* A row of the result is one piece of each input, `inner` elements for each
 * index of the axis. */
typedef struct join {
    const kc_call_t *call;
    int32_t axis;
    size_t inner;
    size_t row_length;
    size_t element_size;
} join_t;

/* `count` elements of row `row` from `column` on. */
static void join_row(const join_t *join, size_t row, size_t column,
                     size_t count, char *to)
{
    size_t begin = 0;
    for (uint32_t i = 0; count > 0; i++) {
        const DLTensor *piece = join->call->inputs[i];
        size_t length = (size_t)piece->shape[join->axis] * join->inner;
        if (column < begin + length) {
            const char *from = kc_tensor_data(piece);
            size_t place = row * length + column - begin;
            size_t part = kc_reference_smaller(begin + length - column, count);
            memcpy(to, from + place * join->element_size,
                   part * join->element_size);
            to += part * join->element_size;
            column += part;
            count -= part;
        }
        begin += length;
    }
}

/* Elements start .. start+count-1 of the result. */
static kc_status_t join_tile(void *opaque, size_t start, size_t count)
{
    const join_t *join = opaque;
    char *to = kc_tensor_data(join->call->outputs[0]);
    to += start * join->element_size;
    while (count > 0) {
        size_t column = start % join->row_length;
        size_t part = kc_reference_smaller(join->row_length - column, count);
        join_row(join, start / join->row_length, column, part, to);
        to += part * join->element_size;
        start += part;
        count -= part;
    }
    return KC_OK;
}

static kc_status_t concat_forward(const kc_call_t *call)
{
    const DLTensor *y = call->outputs[0];
    const int32_t axis = (int32_t)call->attributes->u.axis.axis;
    join_t join = {.call = call,
                   .axis = axis,
                   .inner = kc_reference_extent(y, axis + 1, y->ndim),
                   .row_length = kc_reference_extent(y, axis, y->ndim),
                   .element_size = y->dtype.bits / 8u};
    return kc_reference_for(call, join_tile, &join,
                            (size_t)kc_tensor_element_count(y), 1);
}
KC_REFERENCE_HANDLER(concat, KC_OP_CONCAT, concat_forward, NULL);
