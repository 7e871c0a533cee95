/* SPDX-License-Identifier: Apache-2.0
 *
 * scaled_dot_product_attention: folds leading axes into heads, finds the mask
 * byte of each query and key, and cuts the query rows into lanes that own
 * their scratch. The number of lanes bounds the workspace and follows from
 * shapes only.
 */
#include <math.h>
#include <string.h>

#include "handlers.h"
#include "vectors.h"

/* Query rows that share one packing of the keys. */
#define BLOCK_ROWS 8
/* Most lanes; each holds BLOCK_ROWS rows of scores. */
#define LANES 32

/* A mask axis that is missing or of extent 1 has stride 0. `heads` has the
 * folded leading axes. */
typedef struct context {
    size_t heads;
    size_t queries;
    size_t keys;
    size_t width;
    size_t value_width;
    size_t blocks; /* of BLOCK_ROWS query rows, all heads */
    size_t lanes;
    double scale;
    int is_causal;
    int is_f64;
    const void *q;
    const void *k;
    const void *v;
    void *y;
    char *scratch;
    const uint8_t *mask; /* NULL: all allowed */
    size_t mask_query_stride;
    size_t mask_key_stride;
    int32_t lead;
    const int64_t *lead_extent;
    size_t mask_lead_stride[KC_MAX_RANK];
} context_t;

/* Keys 0 .. n-1 that query `row` may see as far as causality goes. */
static size_t visible_keys(const context_t *context, size_t row)
{
    return context->is_causal ? kc_reference_smaller(context->keys, row + 1)
                              : context->keys;
}

static const uint8_t *mask_row(const context_t *context, size_t head,
                               size_t row)
{
    const uint8_t *byte = context->mask;
    if (byte == NULL) {
        return NULL;
    }
    for (int32_t axis = context->lead; axis-- > 0;) {
        size_t extent = (size_t)context->lead_extent[axis];
        byte += head % extent * context->mask_lead_stride[axis];
        head /= extent;
    }
    return byte + row * context->mask_query_stride;
}

#include "float32.h"
#include "softmax_typed.h"
#include "attention_typed.h"
#include "float64.h"
#include "softmax_typed.h"
#include "attention_typed.h"

static void attend_block(const context_t *context, size_t block, void *scores)
{
    size_t head_blocks = kc_reference_blocks(context->queries, BLOCK_ROWS);
    size_t head = block / head_blocks;
    size_t row = block % head_blocks * BLOCK_ROWS;
    size_t count = kc_reference_smaller(context->queries - row, BLOCK_ROWS);
    if (context->is_f64) {
        attend_f64(context, head, row, count, scores);
    } else {
        attend_f32(context, head, row, count, scores);
    }
}

static size_t lane_size(const context_t *context)
{
    return BLOCK_ROWS * context->keys *
           (context->is_f64 ? sizeof(double) : sizeof(float));
}

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t lane = start; lane < start + count; lane++) {
        size_t block = context->blocks * lane / context->lanes;
        size_t end = context->blocks * (lane + 1) / context->lanes;
        for (; block < end; block++) {
            attend_block(context, block,
                         context->scratch + lane * lane_size(context));
        }
    }
    return KC_OK;
}

/* The mask is dense; its axes are those of [lead..., queries, keys] from the
 * right. */
static void set_mask(context_t *context, const DLTensor *mask)
{
    size_t stride = 1;
    context->mask = kc_reference_data(mask);
    for (int32_t back = 0; back < mask->ndim; back++) {
        size_t extent = (size_t)mask->shape[mask->ndim - 1 - back];
        size_t used = extent == 1 ? 0 : stride;
        if (back == 0) {
            context->mask_key_stride = used;
        } else if (back == 1) {
            context->mask_query_stride = used;
        } else {
            context->mask_lead_stride[context->lead + 1 - back] = used;
        }
        stride *= extent;
    }
}

static context_t context_of(const kc_call_t *call)
{
    const DLTensor *q = call->inputs[0];
    const DLTensor *k = call->inputs[1];
    const DLTensor *v = call->inputs[2];
    const int32_t lead = q->ndim - 2;
    context_t context = {.heads = kc_reference_extent(q, 0, lead),
                         .queries = (size_t)q->shape[lead],
                         .keys = (size_t)k->shape[lead],
                         .width = (size_t)q->shape[lead + 1],
                         .value_width = (size_t)v->shape[lead + 1],
                         .scale = call->attributes->u.attention.scale,
                         .is_causal = call->attributes->u.attention.causal != 0,
                         .is_f64 = kc_reference_is_f64(q),
                         .lead = lead,
                         .lead_extent = q->shape};
    context.blocks =
        context.heads * kc_reference_blocks(context.queries, BLOCK_ROWS);
    context.lanes = kc_reference_smaller(context.blocks, LANES);
    return context;
}

static kc_status_t attention_workspace(const kc_call_t *call, size_t *out_size)
{
    const context_t context = context_of(call);
    if (context.keys > SIZE_MAX / (LANES * BLOCK_ROWS * sizeof(double))) {
        return kc_call_fail(call, KC_ERR_MEMORY,
                            "attention: the scores of the keys fit no memory");
    }
    *out_size = context.lanes * lane_size(&context);
    return KC_OK;
}

static kc_status_t attention_forward(const kc_call_t *call)
{
    context_t context = context_of(call);
    const DLTensor *mask = kc_reference_optional(call, 3);
    context.q = kc_reference_data(call->inputs[0]);
    context.k = kc_reference_data(call->inputs[1]);
    context.v = kc_reference_data(call->inputs[2]);
    context.y = kc_reference_data(call->outputs[0]);
    context.scratch = call->workspace;
    if (mask != NULL) {
        set_mask(&context, mask);
    }
    if (kc_tensor_element_count(call->outputs[0]) == 0) {
        return KC_OK;
    }
    return kc_reference_for(call, tile, &context, context.lanes,
                            context.blocks / context.lanes * BLOCK_ROWS *
                                context.keys *
                                (context.width + context.value_width + 20));
}
KC_REFERENCE_HANDLER(attention, KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                     attention_forward, attention_workspace);
