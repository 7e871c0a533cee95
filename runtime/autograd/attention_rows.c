/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's rule of attention in two passes. The first, over query rows,
 * makes dQ and keeps three numbers a row; the second, over blocks of keys,
 * makes the weights again from those and sums dK and dV. So no sum is split
 * between threads and no matrix of scores is ever kept.
 */
#include "autograd/attention_rows.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "autograd/panel.h"
#include "autograd/rule_tiles.h"
#include "base/checked_size.h"

/* Query rows that share one packing of the keys, keys that stand side by
 * side, elements of a row that are added together. */
#define ROWS    8
#define COLUMNS (KCI_PANEL_BYTES / sizeof(REAL))
#define LANE    8
/* Most lanes of a pass, each with scratch of its own. */
#define LANES     32
#define ALIGNMENT 64
/* Of one exponential and what goes with it, in multiply-adds. */
#define EXPONENTIAL 40

enum { Q, K, V, MASK };

/* Leading axes are folded into heads. A mask axis that is missing or 1 has
 * stride 0. Results that are not wanted are NULL. */
typedef struct context {
    size_t heads;
    size_t queries;
    size_t keys;
    size_t block_keys;
    size_t padded_keys; /* whole blocks */
    size_t width;
    size_t value_width;
    double scale;
    bool is_causal;
    bool is_f64;
    size_t item_size;
    bool needs_slopes; /* dQ or dK is wanted */
    const kci_panel_loops_t *loops;
    const void *q;
    const void *k;
    const void *v;
    const void *g;
    void *dq;
    void *dk;
    void *dv;
    void *statistics; /* one a query row; NULL: not needed */
    char *scratch;
    size_t scratch_size; /* of a lane */
    const uint8_t *mask; /* NULL: all allowed */
    size_t mask_query_stride;
    size_t mask_key_stride;
    int32_t lead;
    const int64_t *lead_extent;
    size_t mask_lead_stride[KC_MAX_RANK];
} context_t;

/* Some keys as one query row sees them. */
typedef struct keys {
    const uint8_t *allowed; /* NULL: all */
    size_t step;
    size_t count;
} keys_t;

static inline size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static inline bool may_attend(const keys_t *keys, size_t j)
{
    return keys->allowed == NULL || keys->allowed[j * keys->step] != 0;
}

/* How many keys row `row` may see as far as the order goes. */
static inline size_t visible_keys(const context_t *context, size_t row)
{
    return context->is_causal ? kci_smaller(context->keys, row + 1)
                              : context->keys;
}

/* Keys first .. end-1 as far as row `row` sees them. */
static keys_t keys_of(const context_t *context, size_t head, size_t row,
                      size_t first, size_t end)
{
    const size_t visible = kci_smaller(visible_keys(context, row), end);
    keys_t keys = {.step = context->mask_key_stride,
                   .count = visible > first ? visible - first : 0};
    if (context->mask == NULL) {
        return keys;
    }
    keys.allowed = context->mask + row * context->mask_query_stride +
                   first * context->mask_key_stride;
    for (int32_t axis = context->lead; axis-- > 0;) {
        const size_t extent = (size_t)context->lead_extent[axis];
        keys.allowed += head % extent * context->mask_lead_stride[axis];
        head /= extent;
    }
    return keys;
}

#include "autograd/float32.h"
#include "autograd/attention_rows_typed.h"
#include "autograd/float64.h"
#include "autograd/attention_rows_typed.h"

typedef void (*block_fn)(const context_t *context, size_t head, size_t first,
                         size_t count, void *scratch);

/* One pass: its blocks of every head, dealt to lanes in order. */
typedef struct pass {
    const context_t *context;
    block_fn block;
    size_t extent; /* of a head */
    size_t size;   /* of a block */
    size_t head_blocks;
    size_t blocks;
    size_t lanes;
} pass_t;

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const pass_t *pass = opaque;
    const context_t *context = pass->context;
    for (size_t lane = start; lane < start + count; lane++) {
        const size_t end = pass->blocks * (lane + 1) / pass->lanes;
        for (size_t at = pass->blocks * lane / pass->lanes; at < end; at++) {
            const size_t first = at % pass->head_blocks * pass->size;
            pass->block(context, at / pass->head_blocks, first,
                        kci_smaller(pass->extent - first, pass->size),
                        context->scratch + lane * context->scratch_size);
        }
    }
    return KC_OK;
}

/* Work of a lane: four products of a query with a key, an exponential. */
static kc_status_t run_pass(const kc_call_t *call, pass_t *pass, size_t others)
{
    const context_t *context = pass->context;
    const size_t pair =
        2 * (context->width + context->value_width) + EXPONENTIAL;
    pass->head_blocks = kci_blocks(pass->extent, pass->size);
    pass->blocks = context->heads * pass->head_blocks;
    pass->lanes = kci_smaller(pass->blocks, LANES);
    if (pass->lanes == 0) {
        return KC_OK;
    }
    return kci_rule_for(call, tile, pass, pass->lanes,
                        kci_blocks(pass->blocks, pass->lanes) * pass->size *
                            others * pair);
}

/* The mask is dense; its axes are those of [lead..., queries, keys] from the
 * right. */
static void set_mask(context_t *context, const DLTensor *mask)
{
    size_t stride = 1;
    context->mask = kci_first_element(mask);
    for (int32_t back = 0; back < mask->ndim; back++) {
        const size_t extent = (size_t)mask->shape[mask->ndim - 1 - back];
        const size_t used = extent == 1 ? 0 : stride;
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

static void *wanted_data(const kc_call_t *call, size_t input)
{
    const DLTensor *result = call->cotangents_in[input];
    return result == NULL ? NULL : kci_first_element(result);
}

static context_t context_of(const kc_call_t *call)
{
    const DLTensor *q = call->inputs[Q];
    const DLTensor *k = call->inputs[K];
    const DLTensor *v = call->inputs[V];
    const int32_t lead = q->ndim - 2;
    context_t context = {.heads = kci_extent(q, 0, lead),
                         .queries = (size_t)q->shape[lead],
                         .keys = (size_t)k->shape[lead],
                         .width = (size_t)q->shape[lead + 1],
                         .value_width = (size_t)v->shape[lead + 1],
                         .scale = call->attributes->u.attention.scale,
                         .is_causal = call->attributes->u.attention.causal != 0,
                         .is_f64 = kci_is_f64(q),
                         .q = kci_first_element(q),
                         .k = kci_first_element(k),
                         .v = kci_first_element(v),
                         .g = kci_first_element(call->cotangents_out[0]),
                         .dq = wanted_data(call, Q),
                         .dk = wanted_data(call, K),
                         .dv = wanted_data(call, V),
                         .lead = lead,
                         .lead_extent = q->shape};
    context.item_size = context.is_f64 ? sizeof(double) : sizeof(float);
    context.block_keys = KCI_PANEL_BYTES / context.item_size;
    context.padded_keys =
        kci_blocks(context.keys, context.block_keys) * context.block_keys;
    context.loops = kci_panel_loops();
    context.needs_slopes = context.dq != NULL || context.dk != NULL;
    if (call->input_count > MASK && call->inputs[MASK] != NULL) {
        set_mask(&context, call->inputs[MASK]);
    }
    return context;
}

static bool needs_statistics(const context_t *context)
{
    return context->dk != NULL || context->dv != NULL;
}

/* Bytes of all row statistics, and of the scratch of a lane; whole
 * alignments. False when they fit no memory. */
static bool sizes_of(const context_t *context, size_t *out_statistics,
                     size_t *out_scratch)
{
    const size_t item = context->item_size;
    const size_t width = context->width;
    const size_t value_width = context->value_width;
    size_t rows = 0;
    size_t columns = 0;
    size_t scores = 0;
    size_t statistics = 0;
    bool fits =
        kci_size_multiply(context->heads, context->queries, &rows) &&
        kci_size_multiply(rows, 3 * item, &statistics) &&
        kci_size_add(width, value_width, &columns) &&
        kci_size_multiply(columns, KCI_PANEL_BYTES, &columns) &&
        kci_size_multiply(context->padded_keys, 2 * ROWS * item, &scores) &&
        kci_size_add(columns, scores, &scores) &&
        scores < SIZE_MAX / LANES - ALIGNMENT &&
        statistics < SIZE_MAX / 2 - ALIGNMENT;
    *out_statistics = needs_statistics(context)
                          ? kci_blocks(statistics, ALIGNMENT) * ALIGNMENT
                          : 0;
    *out_scratch = kci_blocks(scores, ALIGNMENT) * ALIGNMENT;
    return fits;
}

static size_t lanes_of(const context_t *context)
{
    const size_t blocks =
        larger(kci_blocks(context->queries, ROWS),
               kci_blocks(context->keys, context->block_keys));
    return context->heads >= LANES
               ? LANES
               : kci_smaller(context->heads * kci_smaller(blocks, LANES),
                             LANES);
}

kc_status_t kci_attention_rows_workspace(const kc_call_t *call,
                                         size_t *out_size)
{
    const context_t context = context_of(call);
    size_t statistics = 0;
    size_t scratch = 0;
    if (!sizes_of(&context, &statistics, &scratch) ||
        !kci_size_add(scratch * lanes_of(&context), statistics, &statistics)) {
        return kc_call_fail(call, KC_ERR_MEMORY,
                            "the scratch of the rows fits no memory");
    }
    *out_size = statistics;
    return KC_OK;
}

kc_status_t kci_attention_rows(const kc_call_t *call)
{
    context_t context = context_of(call);
    size_t statistics = 0;
    if (context.heads == 0 ||
        (!context.needs_slopes && !needs_statistics(&context))) {
        return KC_OK;
    }
    if (!sizes_of(&context, &statistics, &context.scratch_size)) {
        return kc_call_fail(call, KC_ERR_MEMORY,
                            "the scratch of the rows fits no memory");
    }
    context.scratch = (char *)call->workspace + statistics;
    pass_t rows = {.context = &context,
                   .block = context.is_f64 ? rows_f64 : rows_f32,
                   .extent = context.queries,
                   .size = ROWS};
    pass_t keys = {.context = &context,
                   .block = context.is_f64 ? keys_f64 : keys_f32,
                   .extent = context.keys,
                   .size = context.block_keys};
    if (needs_statistics(&context)) {
        context.statistics = call->workspace;
    }
    kc_status_t status = run_pass(call, &rows, context.keys);
    if (status != KC_OK || !needs_statistics(&context)) {
        return status;
    }
    return run_pass(call, &keys, context.queries);
}
