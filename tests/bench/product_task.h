/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * An operation of the session against OpenBLAS' product of as many
 * multiplications, on one thread. */
#ifndef KC_TESTS_BENCH_PRODUCT_TASK_H
#define KC_TESTS_BENCH_PRODUCT_TASK_H

#include "bench/bench_context.h"
#include "bench/blas.h"

typedef struct product_shape {
    int32_t rank;
    int64_t dims[4];
} product_shape_t;

/* OpenBLAS' product has the shape m x n x p. */
typedef struct product_case {
    const char *name;
    int32_t op; /* of two inputs */
    product_shape_t inputs[2];
    product_shape_t output;
    kc_attributes_t attributes;
    size_t m;
    size_t n;
    size_t p;
    int iterations; /* a round */
} product_case_t;

typedef struct product_task {
    bench_context_t bench;
    blas_t blas;
} product_task_t;

/* Prints the machine and OpenBLAS. 0 with a line on stderr on failure. */
int product_task_begin(product_task_t *task);
/* Measures and prints one case. */
int product_task_run(product_task_t *task, const product_case_t *shapes);
void product_task_end(product_task_t *task);

#endif
