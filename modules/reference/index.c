/* SPDX-License-Identifier: Apache-2.0
 *
 * gather and scatter_add: slices of one axis by number. The host has checked
 * every index. A tensor is seen as [outer, axis, inner].
 */
#include <string.h>

#include "handlers.h"
#include "tile.h"

/* Neighbouring elements of a slice that one thread scatters. */
#define SCATTER_COLUMNS 256

typedef struct context {
    size_t outer;
    size_t extent; /* of the axis that is indexed */
    size_t inner;
    size_t count; /* of indices */
    size_t element_size;
    size_t blocks; /* of SCATTER_COLUMNS, in a slice */
    int is_f64;
    int is_i64;
    const void *indices;
    const char *x;
    const char *source;
    char *y;
} context_t;

static inline size_t index_at(const context_t *context, size_t j)
{
    return context->is_i64 ? (size_t)((const int64_t *)context->indices)[j]
                           : (size_t)((const int32_t *)context->indices)[j];
}

#include "float32.h"
#include "index_typed.h"
#include "float64.h"
#include "index_typed.h"

static context_t context_of(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    const DLTensor *indices = call->inputs[1];
    const int32_t axis = (int32_t)call->attributes->u.axis.axis;
    context_t context = {.outer = kc_reference_extent(x, 0, axis),
                         .extent = (size_t)x->shape[axis],
                         .inner = kc_reference_extent(x, axis + 1, x->ndim),
                         .count = (size_t)indices->shape[0],
                         .element_size = x->dtype.bits / 8u,
                         .is_f64 = kc_reference_is_f64(x),
                         .is_i64 = indices->dtype.bits == 64,
                         .indices = kc_reference_data(indices),
                         .x = kc_reference_data(x),
                         .y = kc_reference_data(call->outputs[0])};
    return context;
}

/* The fixed sizes let the compiler make one move of each copy. */
static inline void copy_slice(char *to, const char *from, size_t size)
{
    if (size == 4) {
        memcpy(to, from, 4);
    } else if (size == 8) {
        memcpy(to, from, 8);
    } else {
        memcpy(to, from, size);
    }
}

/* Slices start .. start+count-1 of the result, over all outer places. */
static kc_status_t gather_tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    const size_t size = context->inner * context->element_size;
    for (size_t item = start; item < start + count; item++) {
        size_t first = item / context->count * context->extent;
        size_t slice = first + index_at(context, item % context->count);
        copy_slice(context->y + item * size, context->x + slice * size, size);
    }
    return KC_OK;
}

static kc_status_t gather_forward(const kc_call_t *call)
{
    context_t context = context_of(call);
    if (kc_tensor_element_count(call->outputs[0]) == 0) {
        return KC_OK;
    }
    return kc_reference_for(call, gather_tile, &context,
                            context.outer * context.count, context.inner);
}
KC_REFERENCE_HANDLER(gather, KC_OP_GATHER, gather_forward, NULL);

static kc_status_t scatter_tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        size_t outer = item / context->blocks;
        size_t column = item % context->blocks * SCATTER_COLUMNS;
        if (context->is_f64) {
            scatter_columns_f64(context, outer, column);
        } else {
            scatter_columns_f32(context, outer, column);
        }
    }
    return KC_OK;
}

/* An item owns its columns of all slices, so no sum crosses threads. */
static kc_status_t scatter_add_forward(const kc_call_t *call)
{
    context_t context = context_of(call);
    context.source = kc_reference_data(call->inputs[2]);
    context.blocks = kc_reference_blocks(context.inner, SCATTER_COLUMNS);
    if (kc_tensor_element_count(call->outputs[0]) == 0) {
        return KC_OK;
    }
    return kc_reference_for(
        call, scatter_tile, &context, context.outer * context.blocks,
        (context.extent + context.count) *
            kc_reference_smaller(context.inner, SCATTER_COLUMNS));
}
KC_REFERENCE_HANDLER(scatter_add, KC_OP_SCATTER_ADD, scatter_add_forward, NULL);
