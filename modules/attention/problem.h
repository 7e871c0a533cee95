/* SPDX-License-Identifier: Apache-2.0
 *
 * One call of attention as the streaming kernels see it: folded heads, dense
 * rows, and the mask byte of each query and key. What is allowed is decided
 * here and nowhere else.
 */
#ifndef KC_ATTENTION_PROBLEM_H
#define KC_ATTENTION_PROBLEM_H

#include <kcapsule/call.h>

/* Query rows and keys of a tile. They are part of the order of summation
 * that the contract names; tests run all others too. */
#define KC_ATTENTION_BLOCK_QUERIES 48
#define KC_ATTENTION_BLOCK_KEYS    128

/*
 * All operands are row-major: q [heads, queries, width], k [heads, keys,
 * width], v [heads, keys, value_width]. `y` is the output, written forward;
 * `g` its cotangent and `dq`, `dk`, `dv` those of the inputs, backward; one
 * that is not wanted is NULL. Every other pointer is valid, also where there
 * are no elements. A mask axis that is missing or of extent 1 has stride 0.
 */
typedef struct kc_attention_problem {
    size_t heads; /* the leading axes, folded */
    size_t queries;
    size_t keys;
    size_t width;
    size_t value_width;
    size_t block_queries;
    size_t block_keys;
    float scale;
    int is_causal;
    const float *q;
    const float *k;
    const float *v;
    float *y;
    const float *g;
    float *dq;
    float *dk;
    float *dv;
    const uint8_t *mask; /* NULL: all allowed */
    size_t mask_query_stride;
    size_t mask_key_stride;
    int32_t lead;
    const int64_t *lead_extent;
    size_t mask_lead_stride[KC_MAX_RANK];
} kc_attention_problem_t;

/* Shapes, attributes and inputs of a call, forward or backward. */
kc_attention_problem_t kc_attention_problem_of(const kc_call_t *call);

/* The data of an operand; where there is none, something to point at. */
void *kc_attention_data(const DLTensor *tensor);

/* The mask bytes of query `row` of `head`, or NULL. */
const uint8_t *kc_attention_mask_row(const kc_attention_problem_t *problem,
                                     size_t head, size_t row);

static inline size_t kc_attention_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t kc_attention_blocks(size_t count, size_t block)
{
    return count / block + (count % block != 0);
}

/* Keys 0 .. n-1 that query `row` may see as far as causality goes. */
static inline size_t kc_attention_visible(const kc_attention_problem_t *problem,
                                          size_t row)
{
    return problem->is_causal ? kc_attention_smaller(problem->keys, row + 1)
                              : problem->keys;
}

/* True where some entry of the problem may be blocked. */
static inline int kc_attention_may_block(const kc_attention_problem_t *problem)
{
    return problem->is_causal || problem->mask != NULL;
}

#endif
