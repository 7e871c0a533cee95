/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * OpenBLAS as a yardstick: opened if the machine has it, never linked. */
#ifndef KC_TESTS_BENCH_BLAS_H
#define KC_TESTS_BENCH_BLAS_H

#include <stddef.h>

typedef void (*blas_sgemm_fn)(int order, int transpose_a, int transpose_b,
                              int m, int n, int k, float alpha, const float *a,
                              int lda, const float *b, int ldb, float beta,
                              float *c, int ldc);

typedef struct blas {
    blas_sgemm_fn sgemm; /* NULL: not found */
} blas_t;

/* One thread. Prints a line about what was found. */
void blas_open(blas_t *blas);
/* c[m,p] = a[m,n] * b[n,p], all row-major and dense. */
void blas_product(const blas_t *blas, size_t m, size_t n, size_t p,
                  const float *a, const float *b, float *c);

#endif
