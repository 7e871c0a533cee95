/* SPDX-License-Identifier: Apache-2.0
 *
 * layer_norm and batch_norm: which elements share their statistics, and which
 * of these groups are computed side by side. A group is never split.
 */
#include <math.h>

#include "handlers.h"
#include "tile.h"

/* Groups computed side by side. */
#define GROUPS 16

/* Work of one element: two sums, a division. */
#define ELEMENT_WORK 6

/* Group g begins at g * apart and is `segments` runs of n elements, each
 * `stride` after the other, in row-major order of the reduced axes. Gamma and
 * beta have one entry a channel, or one an element of a group. */
typedef struct context {
    size_t groups;
    size_t apart;
    size_t segments;
    size_t segment_stride;
    size_t n;
    size_t stride;
    size_t channels; /* group g is of channel g % channels; 0: by element */
    double eps;
    int is_f64;
    const void *x;
    const void *gamma; /* layer_norm: NULL with beta, for ones and zeros */
    const void *beta;
    const void *mean; /* NULL: computed, as is the variance */
    const void *variance;
    void *y;
} context_t;

#include "float32.h"
#include "norm_typed.h"
#include "float64.h"
#include "norm_typed.h"

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        size_t group = item * GROUPS;
        size_t width = kc_reference_smaller(context->groups - group, GROUPS);
        if (context->is_f64) {
            normalise_f64(context, group, width);
        } else {
            normalise_f32(context, group, width);
        }
    }
    return KC_OK;
}

static const void *optional_data(const kc_call_t *call, uint32_t idx)
{
    const DLTensor *tensor = kc_reference_optional(call, idx);
    return tensor == NULL ? NULL : kc_reference_data(tensor);
}

static kc_status_t run(const kc_call_t *call, context_t *context)
{
    context->is_f64 = kc_reference_is_f64(call->inputs[0]);
    context->x = kc_reference_data(call->inputs[0]);
    context->gamma = optional_data(call, 1);
    context->beta = optional_data(call, 2);
    context->y = kc_reference_data(call->outputs[0]);
    if (kc_tensor_element_count(call->outputs[0]) == 0) {
        return KC_OK;
    }
    return kc_reference_for(
        call, tile, context, kc_reference_blocks(context->groups, GROUPS),
        context->segments * context->n * GROUPS * ELEMENT_WORK);
}

/* A group is the axes from `axis` on. */
static kc_status_t layer_norm_forward(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    const kc_layer_norm_attributes_t *norm = &call->attributes->u.layer_norm;
    const int32_t axis = (int32_t)norm->axis;
    const size_t n = kc_reference_extent(x, axis, x->ndim);
    context_t context = {.groups = kc_reference_extent(x, 0, axis),
                         .apart = n,
                         .segments = 1,
                         .n = n,
                         .stride = 1,
                         .eps = norm->eps};
    return run(call, &context);
}
KC_REFERENCE_HANDLER(layer_norm, KC_OP_LAYER_NORM, layer_norm_forward, NULL);

/* With x seen as [outer, channels, inner]: sample and eval have a group for
 * each outer place and channel, batch one for each channel. Where a channel
 * has no inner axes, one run goes over the outer places. */
static context_t batch_context(const DLTensor *x,
                               const kc_batch_norm_attributes_t *norm)
{
    const int32_t axis = (int32_t)norm->channel_axis;
    const size_t outer = kc_reference_extent(x, 0, axis);
    const size_t channels = (size_t)x->shape[axis];
    const size_t inner = kc_reference_extent(x, axis + 1, x->ndim);
    context_t context = {.groups = outer * channels,
                         .apart = inner,
                         .segments = 1,
                         .n = inner,
                         .stride = 1,
                         .channels = channels,
                         .eps = norm->eps};
    if (norm->mode == KC_BATCH_NORM_BATCH) {
        context.groups = channels;
        if (inner == 1) {
            context.n = outer;
            context.stride = channels;
        } else {
            context.segments = outer;
            context.segment_stride = channels * inner;
        }
    }
    return context;
}

static kc_status_t batch_norm_forward(const kc_call_t *call)
{
    const kc_batch_norm_attributes_t *norm = &call->attributes->u.batch_norm;
    context_t context = batch_context(call->inputs[0], norm);
    if (norm->mode == KC_BATCH_NORM_EVAL) {
        context.mean = kc_reference_data(call->inputs[3]);
        context.variance = kc_reference_data(call->inputs[4]);
    }
    return run(call, &context);
}
KC_REFERENCE_HANDLER(batch_norm, KC_OP_BATCH_NORM, batch_norm_forward, NULL);
