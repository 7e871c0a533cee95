/* SPDX-License-Identifier: Apache-2.0
 *
 * The sums over samples and places: the derivatives of a convolution by its
 * weight and bias. In a panel, a place without a cell has a zero: that times a
 * finite number changes no sum that began at +0, so that the term is skipped
 * as written. With other numbers the sums are computed one at a time.
 */
#include "autograd/conv_gradient.h"

#include <string.h>

#include "autograd/panel.h"
#include "autograd/rule_tiles.h"

/* Results of one block, which share the gathered cells; fewer where there are
 * few columns to share among threads. */
#define BLOCK_ROWS       128
#define SMALL_BLOCK_ROWS 16
#define FEW_COLUMNS      8

#define BIAS_CHANNELS 8

typedef struct context {
    const kci_correlation_t *correlation;
    const void *others;
    void *to;
    size_t rows;
    size_t block_rows; /* by panels; set there, as are the next */
    size_t row_blocks;
    size_t columns; /* of a panel */
    size_t column_blocks;
    const kci_panel_loops_t *loops;
} context_t;

typedef struct bias_context {
    bool is_f64;
    size_t batch;
    size_t channels;
    size_t count; /* of a plane */
    const void *g;
    void *to;
} bias_context_t;

#include "autograd/float32.h"
#define PANEL_COLUMNS (KCI_PANEL_BYTES / sizeof(REAL))
#include "autograd/conv_correlate_typed.h"
#include "autograd/float64.h"
#include "autograd/conv_correlate_typed.h"

void kci_correlation_count(kci_correlation_t *correlation)
{
    const kci_sliding_window_t *window = &correlation->window;
    const int32_t axes = window->axes;
    correlation->in_count = kci_extents_product(window->in, axes);
    correlation->out_count = kci_extents_product(window->out, axes);
    correlation->lines = kci_extents_product(window->kernel, axes - 1);
    correlation->taps = kci_extents_product(window->kernel, axes);
}

bool kci_all_finite(const void *values, size_t count, bool is_f64)
{
    return is_f64 ? all_finite_f64(values, count)
                  : all_finite_f32(values, count);
}

/* Items are elements of the result. */
static kc_status_t element_tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    const kci_correlation_t *c = context->correlation;
    for (size_t item = start; item < start + count; item++) {
        const size_t tap = item % c->taps;
        const size_t channel = item / c->taps % c->channels;
        const size_t result = item / c->taps / c->channels;
        if (c->is_f64) {
            ((double *)context->to)[item] =
                correlate_sum_f64(context, result, channel, tap);
        } else {
            ((float *)context->to)[item] =
                correlate_sum_f32(context, result, channel, tap);
        }
    }
    return KC_OK;
}

/* Items are columns of panels times blocks of results. */
static kc_status_t block_tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        const size_t column = item % context->column_blocks * context->columns;
        const size_t rest = item / context->column_blocks;
        const size_t result = rest % context->row_blocks * context->block_rows;
        const size_t group = rest / context->row_blocks;
        if (context->correlation->is_f64) {
            correlate_block_f64(context, group, result, column);
        } else {
            correlate_block_f32(context, group, result, column);
        }
    }
    return KC_OK;
}

static kc_status_t correlate_by_panels(const kc_call_t *call,
                                       context_t *context)
{
    const kci_correlation_t *c = context->correlation;
    context->loops = kci_panel_loops();
    context->columns =
        KCI_PANEL_BYTES / (c->is_f64 ? sizeof(double) : sizeof(float));
    context->column_blocks =
        kci_blocks(c->channels * c->taps, context->columns);
    context->block_rows =
        context->column_blocks < FEW_COLUMNS ? SMALL_BLOCK_ROWS : BLOCK_ROWS;
    context->row_blocks = kci_blocks(c->results, context->block_rows);
    return kci_rule_for(call, block_tile, context,
                        c->groups * context->row_blocks *
                            context->column_blocks,
                        (kci_smaller(c->results, context->block_rows) + 16) *
                            c->batch * c->out_count * context->columns);
}

kc_status_t kci_conv_correlate(const kc_call_t *call,
                               const kci_correlation_t *correlation,
                               const void *others, void *to)
{
    const kci_correlation_t *c = correlation;
    const kci_sliding_window_t *window = &c->window;
    context_t context = {
        .correlation = c,
        .others = others,
        .to = to,
        .rows = kci_extents_product(window->out, window->axes - 1)};
    if (kci_all_finite(others, c->batch * c->groups * c->results * c->out_count,
                       c->is_f64)) {
        return correlate_by_panels(call, &context);
    }
    return kci_rule_for(call, element_tile, &context,
                        c->groups * c->results * c->channels * c->taps,
                        c->batch * c->out_count * 4);
}

/* Items are blocks of channels. */
static kc_status_t bias_tile(void *opaque, size_t start, size_t count)
{
    const bias_context_t *context = opaque;
    for (size_t block = start; block < start + count; block++) {
        if (context->is_f64) {
            sum_planes_f64(context, block * BIAS_CHANNELS);
        } else {
            sum_planes_f32(context, block * BIAS_CHANNELS);
        }
    }
    return KC_OK;
}

kc_status_t kci_conv_bias(const kc_call_t *call, const DLTensor *g,
                          const DLTensor *to, int32_t axes)
{
    const int32_t channel_axis = g->ndim - axes - 1;
    bias_context_t context = {.is_f64 = kci_is_f64(g),
                              .batch = kci_extent(g, 0, channel_axis),
                              .channels = (size_t)g->shape[channel_axis],
                              .count = kci_extent(g, channel_axis + 1, g->ndim),
                              .g = kci_first_element(g),
                              .to = kci_first_element(to)};
    return kci_rule_for(call, bias_tile, &context,
                        kci_blocks(context.channels, BIAS_CHANNELS),
                        context.batch * context.count * BIAS_CHANNELS);
}
