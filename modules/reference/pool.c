/* SPDX-License-Identifier: Apache-2.0
 *
 * max_pool, avg_pool and smooth_max_pool. All axes before the spatial ones
 * are batch; a block of a row of the result is one thread's.
 */
#include <math.h>
#include <string.h>

#include "handlers.h"
#include "window.h"

/* Places of a row that are computed side by side. */
#define ROW 64

/* Work of one cell, in multiply-adds. */
#define COMPARISON  1
#define EXPONENTIAL 20

typedef struct context context_t;

/* Places from .. from+width-1 of the row that `x` and `y` point at the plane
 * and the block of; `origin` is where the window begins on the other axes. */
typedef void (*row_fn)(const context_t *context, const void *x,
                       const int64_t *origin, int64_t from, size_t width,
                       void *y);

struct context {
    kc_reference_window_t window;
    row_fn row;
    size_t element_size;
    size_t planes;
    size_t in_count;
    size_t out_count;
    size_t rows;
    size_t row_blocks; /* of ROW */
    size_t lines;      /* of the window */
    size_t cells;
    double beta;
    const char *x;
    char *y;
};

#include "float32.h"
#include "pool_typed.h"
#include "float64.h"
#include "pool_typed.h"

static void pool_block(const context_t *context, size_t plane, size_t row,
                       size_t from)
{
    const size_t length = (size_t)context->window.out[context->window.axes - 1];
    const size_t place = plane * context->out_count + row * length + from;
    int64_t origin[KC_MAX_RANK];
    kc_reference_row_origin(&context->window, row, origin);
    context->row(
        context, context->x + plane * context->in_count * context->element_size,
        origin, (int64_t)from, kc_reference_smaller(length - from, ROW),
        context->y + place * context->element_size);
}

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        size_t rest = item / context->row_blocks;
        pool_block(context, rest / context->rows, rest % context->rows,
                   item % context->row_blocks * ROW);
    }
    return KC_OK;
}

static kc_reference_window_t window_of(const kc_call_t *call)
{
    const kc_pool_attributes_t *pool = &call->attributes->u.pool;
    const DLTensor *x = call->inputs[0];
    const DLTensor *y = call->outputs[0];
    kc_reference_window_t window = {.axes = (int32_t)pool->spatial_rank};
    for (int32_t i = 0; i < window.axes; i++) {
        window.in[i] = x->shape[x->ndim - window.axes + i];
        window.out[i] = y->shape[y->ndim - window.axes + i];
        window.kernel[i] = pool->kernel[i];
        window.stride[i] = pool->stride[i];
        window.dilation[i] = 1;
        window.padding[i] = pool->padding[i];
    }
    return window;
}

static kc_status_t run(const kc_call_t *call, row_fn f32, row_fn f64,
                       size_t cell_work)
{
    const DLTensor *x = call->inputs[0];
    context_t context = {.window = window_of(call),
                         .row = kc_reference_is_f64(x) ? f64 : f32,
                         .element_size = x->dtype.bits / 8u,
                         .beta = call->attributes->u.pool.beta,
                         .x = kc_reference_data(x),
                         .y = kc_reference_data(call->outputs[0])};
    const kc_reference_window_t *window = &context.window;
    const int32_t axes = window->axes;
    const size_t length = (size_t)window->out[axes - 1];
    if (kc_tensor_element_count(call->outputs[0]) == 0) {
        return KC_OK;
    }
    context.planes = kc_reference_extent(x, 0, x->ndim - axes);
    context.in_count = kc_reference_product(window->in, axes);
    context.out_count = kc_reference_product(window->out, axes);
    context.rows = kc_reference_product(window->out, axes - 1);
    context.row_blocks = kc_reference_blocks(length, ROW);
    context.lines = kc_reference_product(window->kernel, axes - 1);
    context.cells = kc_reference_product(window->kernel, axes);
    return kc_reference_for(call, tile, &context,
                            context.planes * context.rows * context.row_blocks,
                            kc_reference_smaller(length, ROW) * context.cells *
                                cell_work);
}

static kc_status_t max_pool_forward(const kc_call_t *call)
{
    return run(call, max_row_f32, max_row_f64, COMPARISON);
}
KC_REFERENCE_HANDLER(max_pool, KC_OP_MAX_POOL, max_pool_forward, NULL);

static kc_status_t avg_pool_forward(const kc_call_t *call)
{
    return run(call, average_row_f32, average_row_f64, COMPARISON);
}
KC_REFERENCE_HANDLER(avg_pool, KC_OP_AVG_POOL, avg_pool_forward, NULL);

static kc_status_t smooth_max_pool_forward(const kc_call_t *call)
{
    return run(call, smooth_row_f32, smooth_row_f64, EXPONENTIAL);
}
KC_REFERENCE_HANDLER(smooth_max_pool, KC_OP_SMOOTH_MAX_POOL,
                     smooth_max_pool_forward, NULL);
