/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * LibTorch's attention for comparison: torch_attention.cpp where configure
 * found it, else torch_attention_none.c. */
#ifndef KC_TESTS_BENCH_TORCH_ATTENTION_H
#define KC_TESTS_BENCH_TORCH_ATTENTION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torch_attention torch_attention_t;

/* From here on one thread, also of the library that multiplies for LibTorch;
 * prints what that is. */
void torch_attention_begin(void);

/* q, k, v and g [heads, n, width], read in place: the owner keeps them. NULL:
 * this build has no LibTorch, or it failed. */
torch_attention_t *torch_attention_create(int64_t heads, int64_t n,
                                          int64_t width,
                                          const float *const x[4]);
void torch_attention_destroy(torch_attention_t *task); /* accepts NULL */

/* 0 on failure. Forward in inference mode: bmm, softmax, bmm, or LibTorch's
 * own function. */
int torch_attention_products(torch_attention_t *task, int iterations);
int torch_attention_whole(torch_attention_t *task, int iterations);
/* Forward and backward: products in inference mode with LibTorch's backward
 * of softmax, or its autograd over either form. */
int torch_attention_products_back(torch_attention_t *task, int iterations);
int torch_attention_products_autograd(torch_attention_t *task, int iterations);
int torch_attention_whole_autograd(torch_attention_t *task, int iterations);

/* Of the last run: y (or NULL), or dq, dk, dv. */
void torch_attention_results(const torch_attention_t *task, float *y,
                             float *const gradients[3]);

#ifdef __cplusplus
}
#endif

#endif
