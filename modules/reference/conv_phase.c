/* SPDX-License-Identifier: Apache-2.0
 *
 * conv_transpose by phases. Decides what a phase is, packs its weights, and
 * puts its places into the result.
 */
#include "conv_phase.h"

#include <string.h>

/* More phases have too few places or taps each. */
#define PHASES_MAX 64

/* Place q of the result sees the taps k with k = q + padding (mod stride).
 * On each axis the phase has taps tap, tap + stride... and places place,
 * place + stride... `conv` has them numbered 0, 1... */
typedef struct phase {
    kc_reference_conv_t conv;
    const kc_call_t *call;
    int32_t axes;
    size_t element_size;
    int64_t tap[KC_MAX_RANK];
    int64_t place[KC_MAX_RANK];
} phase_t;

static int64_t stride_of(const kc_call_t *call, int32_t axis)
{
    return call->attributes->u.conv.stride[axis];
}

static int32_t axes_of(const kc_call_t *call)
{
    return call->inputs[1]->ndim - 2;
}

/* Their number, 0 if there are too many. */
static size_t count_phases(const kc_call_t *call)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis < axes_of(call); axis++) {
        if (stride_of(call, axis) > PHASES_MAX / count) {
            return 0;
        }
        count *= stride_of(call, axis);
    }
    return (size_t)count;
}

int kc_reference_phases_suit(const kc_call_t *call)
{
    return call->inputs[1]->shape[1] >= KC_REFERENCE_PANEL_CHANNELS_LEAST &&
           count_phases(call) > 0;
}

/* Elements of the largest phase of the result. */
static size_t phase_elements(const kc_call_t *call)
{
    const DLTensor *y = call->outputs[0];
    const int32_t first = y->ndim - axes_of(call);
    size_t count = kc_reference_extent(y, 0, first);
    for (int32_t axis = first; axis < y->ndim; axis++) {
        count *= kc_reference_blocks((size_t)y->shape[axis],
                                     (size_t)stride_of(call, axis - first));
    }
    return count;
}

/* The weight's and the result's bytes exist in memory, so their sum fits. */
kc_status_t kc_reference_phase_workspace(const kc_call_t *call,
                                         size_t *out_size)
{
    const DLTensor *weight = call->inputs[1];
    size_t elements = (size_t)kc_tensor_element_count(weight);
    if (count_phases(call) > 1) {
        elements += phase_elements(call);
    }
    *out_size = elements * (weight->dtype.bits / 8u);
    return KC_OK;
}

static phase_t begin_phases(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    const DLTensor *weight = call->inputs[1];
    const DLTensor *bias = kc_reference_optional(call, 2);
    const int32_t axes = axes_of(call);
    phase_t phase = {
        .call = call,
        .axes = axes,
        .element_size = x->dtype.bits / 8u,
        .conv = {.is_f64 = kc_reference_is_f64(x),
                 .batch = kc_reference_extent(x, 0, x->ndim - axes - 1),
                 .groups = 1,
                 .inputs = (size_t)weight->shape[0],
                 .outputs = (size_t)weight->shape[1],
                 .in_count = kc_reference_extent(x, x->ndim - axes, x->ndim),
                 .x = kc_reference_data(x),
                 .weight = call->workspace,
                 .bias = bias == NULL ? NULL : kc_reference_data(bias),
                 .y = kc_reference_data(call->outputs[0])}};
    if (count_phases(call) > 1) {
        phase.conv.y =
            (char *)call->workspace +
            (size_t)kc_tensor_element_count(weight) * phase.element_size;
    }
    return phase;
}

/* Cell of x for the phase's place m and tap t: start + m - t. */
static void set_axis(phase_t *phase, int32_t axis, int64_t tap)
{
    const kc_call_t *call = phase->call;
    const DLTensor *x = call->inputs[0];
    const DLTensor *y = call->outputs[0];
    const int64_t stride = stride_of(call, axis);
    const int64_t padding = call->attributes->u.conv.padding[axis];
    const int64_t kernel = call->inputs[1]->shape[2 + axis];
    const int64_t out = y->shape[y->ndim - phase->axes + axis];
    const int64_t place = ((tap - padding) % stride + stride) % stride;
    kc_reference_window_t *window = &phase->conv.window;
    phase->tap[axis] = tap;
    phase->place[axis] = place;
    window->in[axis] = x->shape[x->ndim - phase->axes + axis];
    window->out[axis] = place < out ? (out - 1 - place) / stride + 1 : 0;
    window->kernel[axis] = tap < kernel ? (kernel - 1 - tap) / stride + 1 : 0;
    window->stride[axis] = 1;
    window->dilation[axis] = -1;
    window->padding[axis] = -((place + padding - tap) / stride);
}

static void set_phase(phase_t *phase, size_t number)
{
    kc_reference_window_t *window = &phase->conv.window;
    window->axes = phase->axes;
    for (int32_t axis = phase->axes; axis-- > 0;) {
        const size_t stride = (size_t)stride_of(phase->call, axis);
        set_axis(phase, axis, (int64_t)(number % stride));
        number /= stride;
    }
    phase->conv.out_count = kc_reference_product(window->out, phase->axes);
    phase->conv.lines = kc_reference_product(window->kernel, phase->axes - 1);
    phase->conv.taps = kc_reference_product(window->kernel, phase->axes);
}

/* Where line `line` of the phase's taps begins in a window of the weight. */
static size_t line_start(const phase_t *phase, size_t line)
{
    const DLTensor *weight = phase->call->inputs[1];
    const int32_t last = phase->axes - 1;
    size_t step = (size_t)weight->shape[2 + last];
    size_t start = (size_t)phase->tap[last];
    for (int32_t axis = last; axis-- > 0;) {
        const size_t extent = (size_t)phase->conv.window.kernel[axis];
        const int64_t tap = phase->tap[axis] + (int64_t)(line % extent) *
                                                   stride_of(phase->call, axis);
        start += (size_t)tap * step;
        step *= (size_t)weight->shape[2 + axis];
        line /= extent;
    }
    return start;
}

/* The fixed sizes let the compiler make one move of each copy. */
static void copy_strided(char *to, size_t to_step, const char *from,
                         size_t from_step, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (size == 4) {
            memcpy(to + i * to_step * 4, from + i * from_step * 4, 4);
        } else {
            memcpy(to + i * to_step * 8, from + i * from_step * 8, 8);
        }
    }
}

/* Packs [outputs, inputs, taps of the phase] from [inputs, outputs, taps];
 * items are output channels. */
static kc_status_t pack_tile(void *opaque, size_t start, size_t count)
{
    const phase_t *phase = opaque;
    const kc_reference_conv_t *conv = &phase->conv;
    const DLTensor *weight = phase->call->inputs[1];
    const int32_t last = phase->axes - 1;
    const size_t window = kc_reference_extent(weight, 2, weight->ndim);
    const size_t length = (size_t)conv->window.kernel[last];
    const size_t size = phase->element_size;
    for (size_t o = start; o < start + count; o++) {
        char *to = (char *)phase->call->workspace +
                   o * conv->inputs * conv->taps * size;
        for (size_t ic = 0; ic < conv->inputs; ic++) {
            const char *from = (const char *)kc_reference_data(weight) +
                               (ic * conv->outputs + o) * window * size;
            for (size_t line = 0; line < conv->lines; line++) {
                copy_strided(to, 1, from + line_start(phase, line) * size,
                             (size_t)stride_of(phase->call, last), length,
                             size);
                to += length * size;
            }
        }
    }
    return KC_OK;
}

/* Puts rows of the phase's result into the result. */
static kc_status_t place_tile(void *opaque, size_t start, size_t count)
{
    const phase_t *phase = opaque;
    const DLTensor *y = phase->call->outputs[0];
    const int64_t *out = phase->conv.window.out;
    const int32_t first = y->ndim - phase->axes;
    const int32_t last = phase->axes - 1;
    const size_t length = (size_t)out[last];
    for (size_t item = start; item < start + count; item++) {
        size_t rest = item;
        size_t to = (size_t)phase->place[last];
        size_t step = (size_t)y->shape[first + last];
        for (int32_t axis = last; axis-- > 0;) {
            const size_t extent = (size_t)out[axis];
            const int64_t place =
                phase->place[axis] +
                (int64_t)(rest % extent) * stride_of(phase->call, axis);
            to += (size_t)place * step;
            step *= (size_t)y->shape[first + axis];
            rest /= extent;
        }
        to += rest * step; /* what is left counts batch and channels */
        copy_strided((char *)kc_reference_data(y) + to * phase->element_size,
                     (size_t)stride_of(phase->call, last),
                     (const char *)phase->conv.y +
                         item * length * phase->element_size,
                     1, length, phase->element_size);
    }
    return KC_OK;
}

static kc_status_t run_phase(phase_t *phase)
{
    kc_reference_conv_t *conv = &phase->conv;
    const kc_call_t *call = phase->call;
    const int32_t last = phase->axes - 1;
    kc_status_t status =
        kc_reference_for(call, pack_tile, phase, conv->outputs,
                         conv->inputs * (conv->taps + conv->lines * 8));
    if (status == KC_OK) {
        status = kc_reference_conv_by_panels(call, conv);
    }
    if (status == KC_OK && count_phases(call) > 1) {
        status =
            kc_reference_for(call, place_tile, phase,
                             conv->batch * conv->outputs *
                                 kc_reference_product(conv->window.out, last),
                             (size_t)conv->window.out[last]);
    }
    return status;
}

kc_status_t kc_reference_conv_by_phases(const kc_call_t *call)
{
    const size_t count = count_phases(call);
    phase_t phase = begin_phases(call);
    kc_status_t status = KC_OK;
    for (size_t number = 0; number < count && status == KC_OK; number++) {
        set_phase(&phase, number);
        if (phase.conv.out_count > 0) {
            status = run_phase(&phase);
        }
    }
    return status;
}
