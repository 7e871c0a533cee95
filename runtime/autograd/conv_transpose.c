/* SPDX-License-Identifier: Apache-2.0
 *
 * Derivative rule of conv_transpose: by x the convolution of the cotangent
 * with the same weights, by the weight the correlation of the cotangent with
 * x.
 */
#include "autograd/rules.h"

#include "autograd/conv_gradient.h"
#include "autograd/rule_tiles.h"
#include "base/error.h"

/* The window slides over the cotangent, one place for each cell of x. */
static kci_correlation_t correlation_of(const kc_call_t *call)
{
    const kc_conv_attributes_t *conv = &call->attributes->u.conv;
    const DLTensor *x = call->inputs[0];
    const DLTensor *weight = call->inputs[1];
    const DLTensor *g = call->cotangents_out[0];
    const int32_t axes = weight->ndim - 2;
    kci_correlation_t correlation = {.window = {.axes = axes},
                                     .is_f64 = kci_is_f64(x),
                                     .batch =
                                         kci_extent(x, 0, x->ndim - axes - 1),
                                     .groups = 1,
                                     .channels = (size_t)weight->shape[1],
                                     .results = (size_t)weight->shape[0],
                                     .cells = kci_first_element(g)};
    kci_sliding_window_t *window = &correlation.window;
    for (int32_t i = 0; i < axes; i++) {
        window->in[i] = g->shape[g->ndim - axes + i];
        window->out[i] = x->shape[x->ndim - axes + i];
        window->kernel[i] = weight->shape[2 + i];
        window->stride[i] = conv->stride[i];
        window->dilation[i] = 1;
        window->padding[i] = conv->padding[i];
    }
    kci_correlation_count(&correlation);
    return correlation;
}

static bool is_wanted(const kc_call_t *call, uint32_t input)
{
    return input < call->input_count && call->cotangents_in[input] != NULL;
}

/* Every cell of x is a place. */
static kci_phase_places_t places_of(const kci_sliding_window_t *window)
{
    kci_phase_places_t places = {{0}, {0}, {0}};
    for (int32_t i = 0; i < window->axes; i++) {
        places.step[i] = 1;
        places.extent[i] = window->out[i];
    }
    return places;
}

static kc_status_t run(const kc_call_t *call)
{
    const kci_correlation_t correlation = correlation_of(call);
    if (is_wanted(call, 0)) {
        const kci_phase_places_t places = places_of(&correlation.window);
        KC_RETURN_IF_ERROR(kci_conv_slide(
            call, &correlation, kci_first_element(call->inputs[1]), &places,
            kci_first_element(call->cotangents_in[0])));
    }
    if (is_wanted(call, 1)) {
        KC_RETURN_IF_ERROR(kci_conv_correlate(
            call, &correlation, kci_first_element(call->inputs[0]),
            kci_first_element(call->cotangents_in[1])));
    }
    return is_wanted(call, 2)
               ? kci_conv_bias(call, call->cotangents_out[0],
                               call->cotangents_in[2], correlation.window.axes)
               : KC_OK;
}

const kci_rule_t kci_rule_conv_transpose = {.run = run};
