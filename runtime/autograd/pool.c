/* SPDX-License-Identifier: Apache-2.0
 *
 * Derivative rules of the pools: each place sends its cotangent back to the
 * cells of its window, places in ascending order. Windows overlap, so a plane
 * is one thread's.
 */
#include "autograd/rules.h"

#include <math.h>
#include <string.h>

#include "autograd/rule_tiles.h"
#include "autograd/sliding_window.h"

/* Places of a row that are computed side by side. */
#define PLACES 64

/* Work of one cell, in multiply-adds. */
#define COMPARISON  2
#define ADDITION    1
#define EXPONENTIAL 40

typedef struct context context_t;

/* Places `from` to `to` of row `row`: adds to `cells`, a plane like `x`. The
 * cotangent begins at place `from`. */
typedef void (*block_fn)(const context_t *context, const void *x,
                         const void *cotangent, size_t row, int64_t from,
                         int64_t to, void *cells);

struct context {
    kci_sliding_window_t window;
    block_fn block;
    size_t element_size;
    size_t in_count; /* of a plane */
    size_t out_count;
    size_t rows;
    size_t lines;
    size_t cells; /* of the window */
    double beta;
    const char *x; /* unused by the average, which saves none */
    const char *cotangent;
    char *dx;
};

/* The first cell of each window: there is one, since padding is at most half
 * the kernel. */
static void first_cells(const kci_sliding_window_t *window, size_t row,
                        int64_t from, int64_t to, size_t *cells)
{
    const int32_t last = window->axes - 1;
    size_t start = 0;
    size_t line = 0;
    while (!kci_window_line(window, row, line, &start)) {
        line++;
    }
    for (int64_t q = from; q < to; q++) {
        const int64_t at = q * window->stride[last] - window->padding[last];
        cells[q - from] = start + (size_t)(at < 0 ? 0 : at);
    }
}

#include "autograd/float32.h"
#include "autograd/pool_typed.h"
#include "autograd/float64.h"
#include "autograd/pool_typed.h"

static void return_plane(const context_t *context, size_t plane)
{
    const int64_t length = context->window.out[context->window.axes - 1];
    const size_t size = context->element_size;
    const char *x = context->x + plane * context->in_count * size;
    char *dx = context->dx + plane * context->in_count * size;
    const char *g = context->cotangent + plane * context->out_count * size;
    memset(dx, 0, context->in_count * size);
    for (size_t row = 0; row < context->rows; row++) {
        for (int64_t from = 0; from < length; from += PLACES) {
            const int64_t to = from + PLACES < length ? from + PLACES : length;
            context->block(context, x, g, row, from, to, dx);
            g += (size_t)(to - from) * size;
        }
    }
}

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t plane = start; plane < start + count; plane++) {
        return_plane(context, plane);
    }
    return KC_OK;
}

static kci_sliding_window_t window_of(const kc_call_t *call)
{
    const kc_pool_attributes_t *pool = &call->attributes->u.pool;
    const DLTensor *dx = call->cotangents_in[0];
    const DLTensor *g = call->cotangents_out[0];
    kci_sliding_window_t window = {.axes = (int32_t)pool->spatial_rank};
    for (int32_t i = 0; i < window.axes; i++) {
        window.in[i] = dx->shape[dx->ndim - window.axes + i];
        window.out[i] = g->shape[g->ndim - window.axes + i];
        window.kernel[i] = pool->kernel[i];
        window.stride[i] = pool->stride[i];
        window.dilation[i] = 1;
        window.padding[i] = pool->padding[i];
    }
    return window;
}

static kc_status_t run(const kc_call_t *call, block_fn f32, block_fn f64,
                       size_t cell_work)
{
    const DLTensor *dx = call->cotangents_in[0];
    if (dx == NULL || kc_tensor_element_count(dx) == 0) {
        return KC_OK;
    }
    const DLTensor *x = call->inputs[0] == NULL ? dx : call->inputs[0];
    context_t context = {.window = window_of(call),
                         .block = kci_is_f64(dx) ? f64 : f32,
                         .element_size = dx->dtype.bits / 8u,
                         .beta = call->attributes->u.pool.beta,
                         .x = kci_first_element(x),
                         .cotangent =
                             kci_first_element(call->cotangents_out[0]),
                         .dx = kci_first_element(dx)};
    const kci_sliding_window_t *window = &context.window;
    const int32_t axes = window->axes;
    context.in_count = kci_extents_product(window->in, axes);
    context.out_count = kci_extents_product(window->out, axes);
    context.rows = kci_extents_product(window->out, axes - 1);
    context.lines = kci_extents_product(window->kernel, axes - 1);
    context.cells = kci_extents_product(window->kernel, axes);
    return kci_rule_for(
        call, tile, &context, kci_extent(dx, 0, dx->ndim - axes),
        context.in_count + context.out_count * context.cells * cell_work);
}

static kc_status_t run_max_pool(const kc_call_t *call)
{
    return run(call, max_block_f32, max_block_f64, COMPARISON);
}
const kci_rule_t kci_rule_max_pool = {.run = run_max_pool};

static kc_status_t run_avg_pool(const kc_call_t *call)
{
    return run(call, average_block_f32, average_block_f64, ADDITION);
}
const kci_rule_t kci_rule_avg_pool = {.run = run_avg_pool};

static kc_status_t run_smooth_max_pool(const kc_call_t *call)
{
    return run(call, smooth_block_f32, smooth_block_f64, EXPONENTIAL);
}
const kci_rule_t kci_rule_smooth_max_pool = {.run = run_smooth_max_pool};
