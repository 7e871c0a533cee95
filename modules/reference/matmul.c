/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul and linear: both are products of an activation with a matrix, for
 * linear stored transposed. Decides how the outputs are cut into tiles.
 */
#include "handlers.h"
#include "vectors.h"

/* Outputs of one tile of work. A panel of B is packed once a tile. */
#define TILE_ROWS    128
#define TILE_COLUMNS 64

/* One batch entry is C[m,p] = A[m,n] * B[n,p]; entries follow each other. */
typedef struct context {
    int is_f64;
    size_t m;
    size_t n;
    size_t p;
    size_t b_row;
    size_t b_column;
    size_t row_tiles;
    size_t column_tiles;
    const void *a;
    const void *b;
    const void *bias; /* one an output column, or NULL */
    void *c;
} context_t;

#include "float32.h"
#include "matmul_typed.h"
#include "float64.h"
#include "matmul_typed.h"

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        size_t column = item % context->column_tiles * TILE_COLUMNS;
        size_t rest = item / context->column_tiles;
        size_t row = rest % context->row_tiles * TILE_ROWS;
        size_t entry = rest / context->row_tiles;
        if (context->is_f64) {
            compute_tile_f64(context, entry, row, column);
        } else {
            compute_tile_f32(context, entry, row, column);
        }
    }
    return KC_OK;
}

static kc_status_t run(const kc_call_t *call, context_t *context, size_t batch)
{
    const size_t tile_outputs = kc_reference_smaller(context->m, TILE_ROWS) *
                                kc_reference_smaller(context->p, TILE_COLUMNS);
    context->is_f64 = kc_reference_is_f64(call->inputs[0]);
    context->a = kc_reference_data(call->inputs[0]);
    context->b = kc_reference_data(call->inputs[1]);
    context->c = kc_reference_data(call->outputs[0]);
    if (context->n == 0) {
        context->b_column = 0; /* nothing to point into */
    }
    context->row_tiles = kc_reference_blocks(context->m, TILE_ROWS);
    context->column_tiles = kc_reference_blocks(context->p, TILE_COLUMNS);
    return kc_reference_for(call, tile, context,
                            batch * context->row_tiles * context->column_tiles,
                            tile_outputs * context->n);
}

static kc_status_t matmul_forward(const kc_call_t *call)
{
    const DLTensor *a = call->inputs[0];
    const DLTensor *b = call->inputs[1];
    const int32_t lead = a->ndim - 2;
    context_t context = {.m = (size_t)a->shape[lead],
                         .n = (size_t)a->shape[lead + 1],
                         .p = (size_t)b->shape[lead + 1],
                         .b_row = (size_t)b->shape[lead + 1],
                         .b_column = 1};
    return run(call, &context, kc_reference_extent(a, 0, lead));
}
KC_REFERENCE_HANDLER(matmul, KC_OP_MATMUL, matmul_forward, NULL);

/* y = x * transposed(weight) + bias; all leading axes of x are rows. */
static kc_status_t linear_forward(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    const DLTensor *weight = call->inputs[1];
    const DLTensor *bias = kc_reference_optional(call, 2);
    context_t context = {.m = kc_reference_extent(x, 0, x->ndim - 1),
                         .n = (size_t)weight->shape[1],
                         .p = (size_t)weight->shape[0],
                         .b_row = 1,
                         .b_column = (size_t)weight->shape[1],
                         .bias = bias == NULL ? NULL : kc_reference_data(bias)};
    return run(call, &context, 1);
}
KC_REFERENCE_HANDLER(linear, KC_OP_LINEAR, linear_forward, NULL);
