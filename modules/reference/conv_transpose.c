/* SPDX-License-Identifier: Apache-2.0
 *
 * conv_transpose, the adjoint of a convolution: row by row as written, and
 * which calls go by phases instead. All axes before the channels are batch; a
 * block of a row of one output channel is one thread's.
 */
#include "conv_phase.h"
#include "handlers.h"

/* Places of a row whose sums are held side by side. */
#define ROW 64

/* The window is the one that slides over the result: `in` is the result's
 * plane, `out` that of x, one place for each of its cells. */
typedef struct context {
    kc_reference_window_t window;
    int is_f64;
    size_t batch;
    size_t inputs;
    size_t outputs;
    size_t in_count; /* cells of a plane of x */
    size_t out_count;
    size_t rows;
    size_t row_blocks; /* of ROW */
    size_t lines;
    size_t taps;
    const void *x;
    const void *weight; /* [inputs, outputs, taps] */
    const void *bias;   /* one an output channel, or NULL */
    void *y;
} context_t;

/* Whether line `line` of the window reaches row `row` of the result from a
 * row of x; then also where that begins. */
static int source_row(const kc_reference_window_t *window, size_t row,
                      size_t line, size_t *out_start)
{
    size_t start = 0;
    size_t step = (size_t)window->out[window->axes - 1];
    for (int32_t axis = window->axes - 1; axis-- > 0;) {
        const size_t extent = (size_t)window->in[axis];
        const size_t kernel = (size_t)window->kernel[axis];
        const int64_t at = (int64_t)(row % extent) + window->padding[axis] -
                           (int64_t)(line % kernel);
        const int64_t place = at / window->stride[axis];
        if (at < 0 || at % window->stride[axis] != 0 ||
            place >= window->out[axis]) {
            return 0;
        }
        start += (size_t)place * step;
        step *= (size_t)window->out[axis];
        row /= extent;
        line /= kernel;
    }
    *out_start = start;
    return 1;
}

/* Cells of x that tap `offset` of a line sends to places `from` to `to` of a
 * row: i * stride + offset is such a place. */
static kc_reference_span_t source_cells(const kc_reference_window_t *window,
                                        int64_t offset, int64_t from,
                                        int64_t to)
{
    const int64_t stride = window->stride[window->axes - 1];
    const int64_t n = window->out[window->axes - 1];
    kc_reference_span_t span = {0, 0};
    if (from > offset) {
        span.first = (from - offset + stride - 1) / stride;
    }
    if (to > offset) {
        span.end = (to - offset + stride - 1) / stride;
    }
    span.end = span.end < n ? span.end : n;
    span.end = span.end < span.first ? span.first : span.end;
    return span;
}

#include "float32.h"
#include "conv_transpose_typed.h"
#include "float64.h"
#include "conv_transpose_typed.h"

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        size_t block = item % context->row_blocks * ROW;
        size_t rest = item / context->row_blocks;
        size_t row = rest % context->rows;
        size_t channel = rest / context->rows; /* over the batch, too */
        if (context->is_f64) {
            spread_row_f64(context, channel, row, (int64_t)block);
        } else {
            spread_row_f32(context, channel, row, (int64_t)block);
        }
    }
    return KC_OK;
}

static context_t context_of(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    const DLTensor *weight = call->inputs[1];
    const DLTensor *bias = kc_reference_optional(call, 2);
    const int32_t axes = weight->ndim - 2;
    context_t context = {
        .window = kc_reference_conv_window(call, call->outputs[0], x),
        .is_f64 = kc_reference_is_f64(x),
        .batch = kc_reference_extent(x, 0, x->ndim - axes - 1),
        .inputs = (size_t)weight->shape[0],
        .outputs = (size_t)weight->shape[1],
        .lines = kc_reference_extent(weight, 2, weight->ndim - 1),
        .taps = kc_reference_extent(weight, 2, weight->ndim),
        .x = kc_reference_data(x),
        .weight = kc_reference_data(weight),
        .bias = bias == NULL ? NULL : kc_reference_data(bias),
        .y = kc_reference_data(call->outputs[0])};
    context.in_count = kc_reference_product(context.window.out, axes);
    context.out_count = kc_reference_product(context.window.in, axes);
    context.rows = kc_reference_product(context.window.in, axes - 1);
    context.row_blocks =
        kc_reference_blocks((size_t)context.window.in[axes - 1], ROW);
    return context;
}

static kc_status_t run_rows(const kc_call_t *call)
{
    context_t context = context_of(call);
    const size_t length = (size_t)context.window.in[context.window.axes - 1];
    return kc_reference_for(call, tile, &context,
                            context.batch * context.outputs * context.rows *
                                context.row_blocks,
                            kc_reference_smaller(length, ROW) *
                                (context.inputs * context.taps + 1));
}

static kc_status_t conv_transpose_workspace(const kc_call_t *call,
                                            size_t *out_size)
{
    *out_size = 0;
    return kc_reference_phases_suit(call)
               ? kc_reference_phase_workspace(call, out_size)
               : KC_OK;
}

static kc_status_t conv_transpose_forward(const kc_call_t *call)
{
    const DLTensor *weight = call->inputs[1];
    if (kc_tensor_element_count(call->outputs[0]) == 0) {
        return KC_OK;
    }
    if (kc_reference_phases_suit(call) &&
        kc_reference_all_finite(kc_reference_data(weight),
                                (size_t)kc_tensor_element_count(weight),
                                kc_reference_is_f64(weight))) {
        return kc_reference_conv_by_phases(call);
    }
    return run_rows(call);
}
KC_REFERENCE_HANDLER(conv_transpose, KC_OP_CONV_TRANSPOSE,
                     conv_transpose_forward, conv_transpose_workspace);
