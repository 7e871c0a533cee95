/* SPDX-License-Identifier: Apache-2.0
 *
 * conv: the geometry, and which of the two ways computes it. All axes before
 * the channels are batch.
 */
#include "conv.h"

#include "handlers.h"

#include "float32.h"
#include "conv_typed.h"
#include "float64.h"
#include "conv_typed.h"

/* One block of a row of one output channel. */
static kc_status_t row_tile(void *opaque, size_t start, size_t count)
{
    const kc_reference_conv_t *conv = opaque;
    const int32_t last = conv->window.axes - 1;
    const size_t rows = kc_reference_product(conv->window.out, last);
    for (size_t item = start; item < start + count; item++) {
        size_t block = item % conv->row_blocks * KC_REFERENCE_CONV_ROW;
        size_t rest = item / conv->row_blocks;
        if (conv->is_f64) {
            convolve_row_f64(conv, rest / rows, rest % rows, (int64_t)block);
        } else {
            convolve_row_f32(conv, rest / rows, rest % rows, (int64_t)block);
        }
    }
    return KC_OK;
}

static kc_status_t run_rows(const kc_call_t *call, kc_reference_conv_t *conv)
{
    const int32_t last = conv->window.axes - 1;
    const size_t length = (size_t)conv->window.out[last];
    const size_t rows = kc_reference_product(conv->window.out, last);
    conv->row_blocks = kc_reference_blocks(length, KC_REFERENCE_CONV_ROW);
    return kc_reference_for(
        call, row_tile, conv,
        conv->batch * conv->groups * conv->outputs * rows * conv->row_blocks,
        kc_reference_smaller(length, KC_REFERENCE_CONV_ROW) *
            (conv->inputs * conv->taps + 1));
}

static kc_reference_conv_t conv_of(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    const DLTensor *weight = call->inputs[1];
    const DLTensor *bias = kc_reference_optional(call, 2);
    const int32_t axes = weight->ndim - 2;
    const size_t groups = (size_t)call->attributes->u.conv.groups;
    kc_reference_conv_t conv = {
        .window = kc_reference_conv_window(call, x, call->outputs[0]),
        .is_f64 = kc_reference_is_f64(x),
        .batch = kc_reference_extent(x, 0, x->ndim - axes - 1),
        .groups = groups,
        .inputs = (size_t)weight->shape[1],
        .outputs = (size_t)weight->shape[0] / groups,
        .lines = kc_reference_extent(weight, 2, weight->ndim - 1),
        .taps = kc_reference_extent(weight, 2, weight->ndim),
        .x = kc_reference_data(x),
        .weight = kc_reference_data(weight),
        .bias = bias == NULL ? NULL : kc_reference_data(bias),
        .y = kc_reference_data(call->outputs[0])};
    conv.in_count = kc_reference_product(conv.window.in, axes);
    conv.out_count = kc_reference_product(conv.window.out, axes);
    return conv;
}

static kc_status_t conv_forward(const kc_call_t *call)
{
    kc_reference_conv_t conv = conv_of(call);
    if (kc_tensor_element_count(call->outputs[0]) == 0) {
        return KC_OK;
    }
    if (conv.outputs >= KC_REFERENCE_PANEL_CHANNELS_LEAST &&
        kc_reference_all_finite(
            conv.weight, conv.groups * conv.outputs * conv.inputs * conv.taps,
            conv.is_f64)) {
        return kc_reference_conv_by_panels(call, &conv);
    }
    return run_rows(call, &conv);
}
KC_REFERENCE_HANDLER(conv, KC_OP_CONV, conv_forward, NULL);
