/* SPDX-License-Identifier: Apache-2.0
 *
 * The sums over samples and places: the derivatives of a convolution by its
 * weight and bias. Elements of the result are independent; each is one
 * thread's.
 */
#include "autograd/conv_gradient.h"

#include <string.h>

#include "autograd/rule_tiles.h"

#define BIAS_CHANNELS 8

typedef struct context {
    const kci_correlation_t *correlation;
    const void *others;
    void *to;
    size_t rows;
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

kc_status_t kci_conv_correlate(const kc_call_t *call,
                               const kci_correlation_t *correlation,
                               const void *others, void *to)
{
    const kci_sliding_window_t *window = &correlation->window;
    context_t context = {
        .correlation = correlation,
        .others = others,
        .to = to,
        .rows = kci_extents_product(window->out, window->axes - 1)};
    return kci_rule_for(call, element_tile, &context,
                        correlation->groups * correlation->results *
                            correlation->channels * correlation->taps,
                        correlation->batch * correlation->out_count * 4);
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
