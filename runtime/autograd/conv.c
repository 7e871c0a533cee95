/* SPDX-License-Identifier: Apache-2.0
 *
 * Derivative rule of conv. The cells of x that one tap reaches lie a stride
 * apart, so the derivative by x is computed phase by phase: cells that are
 * equal modulo the stride see the same taps, and their neighbours are
 * neighbouring places of the cotangent.
 */
#include "autograd/rules.h"

#include "autograd/conv_gradient.h"
#include "autograd/rule_tiles.h"
#include "base/error.h"

/* On each axis the phase has the cells first, first + stride... of x, and the
 * taps tap, tap + tap_step... of the weight. */
typedef struct phase {
    kci_correlation_t correlation; /* of the cotangent's planes */
    kci_phase_places_t places;
    int64_t tap[KC_MAX_RANK];
    int64_t tap_step[KC_MAX_RANK];
    const kc_call_t *call;
} phase_t;

static int32_t axes_of(const kc_call_t *call)
{
    return call->inputs[1]->ndim - 2;
}

static const int64_t *spatial(const DLTensor *tensor, int32_t axes)
{
    return tensor->shape + tensor->ndim - axes;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Phases of one axis: no more than there are cells. */
static int64_t phases_of(const phase_t *phase, int32_t axis)
{
    const int64_t stride = phase->call->attributes->u.conv.stride[axis];
    const int64_t extent = phase->places.extent[axis];
    return stride < extent ? stride : extent;
}

/* Tap k reaches cell i from place (i + padding - k * dilation) / stride, which
 * must be whole: k = tap (mod stride / d) with d what stride and dilation
 * share, or no k at all. Then place m and tap t of the phase meet place m - t
 * * dilation / d + (first + padding - tap * dilation) / stride. */
static void set_axis(phase_t *phase, int32_t axis, int64_t first)
{
    const kc_conv_attributes_t *conv = &phase->call->attributes->u.conv;
    const int64_t stride = conv->stride[axis];
    const int64_t dilation = conv->dilation[axis];
    const int64_t kernel = phase->call->inputs[1]->shape[2 + axis];
    const int64_t shared = common_divisor(stride, dilation);
    const int64_t reach = first + conv->padding[axis];
    kci_sliding_window_t *window = &phase->correlation.window;
    int64_t tap = 0;
    phase->tap_step[axis] = stride / shared;
    while (tap < kernel && tap < phase->tap_step[axis] &&
           (reach - tap * dilation) % stride != 0) {
        tap++;
    }
    if (tap >= phase->tap_step[axis]) {
        tap = kernel;
    }
    phase->tap[axis] = tap;
    phase->places.first[axis] = first;
    window->out[axis] = (phase->places.extent[axis] - 1 - first) / stride + 1;
    window->kernel[axis] =
        tap < kernel ? (kernel - 1 - tap) / phase->tap_step[axis] + 1 : 0;
    window->stride[axis] = 1;
    window->dilation[axis] = -(dilation / shared);
    window->padding[axis] = -((reach - tap * dilation) / stride);
}

static void set_phase(phase_t *phase, size_t number)
{
    for (int32_t axis = phase->correlation.window.axes; axis-- > 0;) {
        const size_t phases = (size_t)phases_of(phase, axis);
        set_axis(phase, axis, (int64_t)(number % phases));
        number /= phases;
    }
    kci_correlation_count(&phase->correlation);
}

/* The correlation is of x with the cotangent, as in the forward. */
static kci_correlation_t correlation_of(const kc_call_t *call)
{
    const kc_conv_attributes_t *conv = &call->attributes->u.conv;
    const DLTensor *weight = call->inputs[1];
    const DLTensor *g = call->cotangents_out[0];
    const int32_t axes = axes_of(call);
    const size_t groups = (size_t)conv->groups;
    kci_correlation_t correlation = {
        .window = {.axes = axes},
        .is_f64 = kci_is_f64(g),
        .batch = kci_extent(g, 0, g->ndim - axes - 1),
        .groups = groups,
        .channels = (size_t)weight->shape[1],
        .results = (size_t)weight->shape[0] / groups,
        .cells = kci_first_element(call->inputs[0])};
    kci_sliding_window_t *window = &correlation.window;
    for (int32_t i = 0; i < axes; i++) {
        window->in[i] = spatial(call->inputs[0], axes)[i];
        window->out[i] = spatial(g, axes)[i];
        window->kernel[i] = weight->shape[2 + i];
        window->stride[i] = conv->stride[i];
        window->dilation[i] = conv->dilation[i];
        window->padding[i] = conv->padding[i];
    }
    kci_correlation_count(&correlation);
    return correlation;
}

/* Where line `line` of the phase's taps begins in a window of the weight. */
static size_t line_start(const phase_t *phase, size_t line)
{
    const int64_t *kernel = phase->call->inputs[1]->shape + 2;
    const int32_t last = phase->correlation.window.axes - 1;
    size_t start = (size_t)phase->tap[last];
    size_t step = (size_t)kernel[last];
    for (int32_t axis = last; axis-- > 0;) {
        const size_t taps = (size_t)phase->correlation.window.kernel[axis];
        start += step * (size_t)(phase->tap[axis] + (int64_t)(line % taps) *
                                                        phase->tap_step[axis]);
        step *= (size_t)kernel[axis];
        line /= taps;
    }
    return start;
}

#include "autograd/float32.h"
#include "autograd/conv_typed.h"
#include "autograd/float64.h"
#include "autograd/conv_typed.h"

/* Items are channels of x. */
static kc_status_t pack_tile(void *opaque, size_t start, size_t count)
{
    const phase_t *phase = opaque;
    for (size_t channel = start; channel < start + count; channel++) {
        if (phase->correlation.is_f64) {
            pack_channel_f64(phase, channel);
        } else {
            pack_channel_f32(phase, channel);
        }
    }
    return KC_OK;
}

static kc_status_t return_phase(phase_t *phase, void *dx)
{
    const kci_correlation_t *c = &phase->correlation;
    KC_RETURN_IF_ERROR(kci_rule_for(phase->call, pack_tile, phase,
                                    c->groups * c->results,
                                    c->channels * (c->taps + 8 * c->lines)));
    return kci_conv_slide(phase->call, c, phase->call->workspace,
                          &phase->places, dx);
}

static kc_status_t return_to_x(const kc_call_t *call,
                               const kci_correlation_t *forward)
{
    const DLTensor *dx = call->cotangents_in[0];
    phase_t phase = {.correlation = *forward, .call = call};
    size_t count = 1;
    phase.correlation.cells = kci_first_element(call->cotangents_out[0]);
    phase.correlation.channels = forward->results;
    phase.correlation.results = forward->channels;
    for (int32_t i = 0; i < forward->window.axes; i++) {
        phase.correlation.window.in[i] = forward->window.out[i];
        phase.places.extent[i] = forward->window.in[i];
        phase.places.step[i] = forward->window.stride[i];
        count *= (size_t)phases_of(&phase, i);
    }
    for (size_t number = 0; number < count; number++) {
        set_phase(&phase, number);
        KC_RETURN_IF_ERROR(return_phase(&phase, kci_first_element(dx)));
    }
    return KC_OK;
}

static bool is_wanted(const kc_call_t *call, uint32_t input)
{
    return input < call->input_count && call->cotangents_in[input] != NULL;
}

/* The weights of a phase, at most all. */
static kc_status_t workspace(const kc_call_t *call, size_t *out_size)
{
    const DLTensor *weight = call->inputs[1];
    *out_size = is_wanted(call, 0) ? (size_t)kc_tensor_element_count(weight) *
                                         (weight->dtype.bits / 8u)
                                   : 0;
    return KC_OK;
}

static kc_status_t run(const kc_call_t *call)
{
    const kci_correlation_t correlation = correlation_of(call);
    const DLTensor *g = call->cotangents_out[0];
    if (is_wanted(call, 0)) {
        KC_RETURN_IF_ERROR(return_to_x(call, &correlation));
    }
    if (is_wanted(call, 1)) {
        KC_RETURN_IF_ERROR(
            kci_conv_correlate(call, &correlation, kci_first_element(g),
                               kci_first_element(call->cotangents_in[1])));
    }
    return is_wanted(call, 2)
               ? kci_conv_bias(call, g, call->cotangents_in[2], axes_of(call))
               : KC_OK;
}

const kci_rule_t kci_rule_conv = {.run = run, .workspace = workspace};
