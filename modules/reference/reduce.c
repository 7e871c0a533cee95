/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce_sum and reduce_mean over one axis: which outputs are summed side by
 * side. A sum is never split, so neither threads nor width change its bits.
 */
#include "handlers.h"
#include "tile.h"

/* Outputs summed side by side. */
#define KC_REFERENCE_SUMS 16

#include "float32.h"
#include "reduce_typed.h"
#include "float64.h"
#include "reduce_typed.h"

typedef void (*block_fn)(const void *in, void *out, size_t apart, size_t stride,
                         size_t n, size_t width, int is_mean);

/* `groups` of `outputs` outputs each, in blocks of KC_REFERENCE_SUMS. Within
 * a group the first terms of two outputs lie `apart`. */
typedef struct context {
    block_fn block;
    size_t element_size;
    const char *in;
    char *out;
    size_t outputs;
    size_t blocks;
    size_t group_stride;
    size_t apart;
    size_t stride;
    size_t n;
    int is_mean;
} context_t;

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        size_t group = item / context->blocks;
        size_t output = item % context->blocks * KC_REFERENCE_SUMS;
        size_t from = group * context->group_stride + output * context->apart;
        size_t to = group * context->outputs + output;
        context->block(
            context->in + from * context->element_size,
            context->out + to * context->element_size, context->apart,
            context->stride, context->n,
            kc_reference_smaller(context->outputs - output, KC_REFERENCE_SUMS),
            context->is_mean);
    }
    return KC_OK;
}

/* Sums along the last axis run over rows, all others over the columns behind
 * the axis. */
static kc_status_t run(const kc_call_t *call, int is_mean)
{
    const DLTensor *x = call->inputs[0];
    const int32_t axis = (int32_t)call->attributes->u.axis.axis;
    const size_t outer = kc_reference_extent(x, 0, axis);
    const size_t inner = kc_reference_extent(x, axis + 1, x->ndim);
    const int by_rows = inner == 1;
    const size_t n = (size_t)x->shape[axis];
    context_t context = {
        .block = kc_reference_is_f64(x) ? reduce_block_f64 : reduce_block_f32,
        .element_size = x->dtype.bits / 8u,
        .in = kc_reference_data(x),
        .out = kc_reference_data(call->outputs[0]),
        .outputs = by_rows ? outer : inner,
        .group_stride = n * inner,
        .apart = by_rows || n == 0 ? n : 1, /* 0: nothing to point into */
        .stride = inner,
        .n = n,
        .is_mean = is_mean};
    context.blocks = kc_reference_blocks(context.outputs, KC_REFERENCE_SUMS);
    return kc_reference_for(call, tile, &context,
                            (by_rows ? 1 : outer) * context.blocks,
                            n * KC_REFERENCE_SUMS);
}

static kc_status_t reduce_sum_forward(const kc_call_t *call)
{
    return run(call, 0);
}
KC_REFERENCE_HANDLER(reduce_sum, KC_OP_REDUCE_SUM, reduce_sum_forward, NULL);

static kc_status_t reduce_mean_forward(const kc_call_t *call)
{
    return run(call, 1);
}
KC_REFERENCE_HANDLER(reduce_mean, KC_OP_REDUCE_MEAN, reduce_mean_forward, NULL);
