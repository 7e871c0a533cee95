/* SPDX-License-Identifier: Apache-2.0
 *
 * The sum over channels and taps: the derivative of a convolution by its
 * input. An item is a row of places of one channel.
 */
#include "autograd/conv_gradient.h"

#include "autograd/rule_tiles.h"

typedef struct context {
    const kci_correlation_t *correlation;
    const void *weight;
    const kci_phase_places_t *places;
    void *to;
    size_t to_count; /* of a plane */
    size_t rows;
} context_t;

/* Where the first place of a row lies in the plane written to. */
static size_t row_start(const context_t *context, size_t row)
{
    const kci_sliding_window_t *window = &context->correlation->window;
    const kci_phase_places_t *places = context->places;
    const int32_t last = window->axes - 1;
    size_t start = (size_t)places->first[last];
    size_t step = (size_t)places->extent[last];
    for (int32_t axis = last; axis-- > 0;) {
        const size_t extent = (size_t)window->out[axis];
        start += step * (size_t)(places->first[axis] +
                                 (int64_t)(row % extent) * places->step[axis]);
        step *= (size_t)places->extent[axis];
        row /= extent;
    }
    return start;
}

#include "autograd/float32.h"
#include "autograd/conv_slide_typed.h"
#include "autograd/float64.h"
#include "autograd/conv_slide_typed.h"

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        if (context->correlation->is_f64) {
            slide_row_f64(context, item / context->rows, item % context->rows);
        } else {
            slide_row_f32(context, item / context->rows, item % context->rows);
        }
    }
    return KC_OK;
}

kc_status_t kci_conv_slide(const kc_call_t *call,
                           const kci_correlation_t *correlation,
                           const void *weight, const kci_phase_places_t *places,
                           void *to)
{
    const kci_sliding_window_t *window = &correlation->window;
    const int32_t last = window->axes - 1;
    context_t context = {.correlation = correlation,
                         .weight = weight,
                         .places = places,
                         .to = to,
                         .to_count =
                             kci_extents_product(places->extent, window->axes),
                         .rows = kci_extents_product(window->out, last)};
    return kci_rule_for(call, tile, &context,
                        correlation->batch * correlation->groups *
                            correlation->results * context.rows,
                        (size_t)window->out[last] * correlation->channels *
                            correlation->taps * 4);
}
