/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of streaming attention: shapes, masks and operands from a seed, any
 * size of tile, any instruction set of this machine, and what must come out
 * in double with a bound on the error.
 */
#ifndef KC_TESTS_UNIT_MODULES_STREAMING_CASE_H
#define KC_TESTS_UNIT_MODULES_STREAMING_CASE_H

#include "../modules/attention/streaming.h"

/* Operands and results, each between guard floats. */
enum {
    STREAMING_Q,
    STREAMING_K,
    STREAMING_V,
    STREAMING_G,
    STREAMING_Y,
    STREAMING_DQ,
    STREAMING_DK,
    STREAMING_DV,
    STREAMING_ARRAYS
};

typedef struct streaming_case {
    uint64_t seed;
    kc_attention_problem_t problem;
    int64_t lead_extent;
    float *blocks[STREAMING_ARRAYS]; /* as allocated */
    float *arrays[STREAMING_ARRAYS];
    size_t counts[STREAMING_ARRAYS];
    uint8_t *mask; /* NULL: none */
} streaming_case_t;

/* Up to `extent` queries and keys, tiles of bq x bk. */
void streaming_case_draw(streaming_case_t *c, uint64_t seed, size_t extent,
                         size_t bq, size_t bk);
void streaming_case_clear(streaming_case_t *c);
int streaming_may(const streaming_case_t *c, size_t head, size_t i, size_t j);

/* Forward and backward; checks the guards of results and of workspace. */
void streaming_run(streaming_case_t *c, const kc_attention_kernels_t *kernels,
                   size_t thread_count);
/* Fails the test unless results are within their bounds. */
void streaming_check_values(const streaming_case_t *c, const char *set);
void streaming_check_gradients(const streaming_case_t *c, const char *set);

/* The sets that this machine has; the last is NULL. */
const kc_attention_kernels_t *streaming_kernels(size_t index);

#endif
