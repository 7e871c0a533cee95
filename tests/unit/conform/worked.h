/* SPDX-License-Identifier: Apache-2.0
 *
 * Worked examples: a few numbers in, the oracle's answer against numbers
 * found by hand.
 */
#ifndef KC_TESTS_UNIT_CONFORM_WORKED_H
#define KC_TESTS_UNIT_CONFORM_WORKED_H

#include <check.h>
#include "conform/oracle.h"

typedef struct worked {
    int32_t op;
    kc_attributes_t attributes;
    size_t input_count;
    const DLTensor *inputs[KCI_CASE_INPUT_MAX];
    DLTensor views[KCI_CASE_INPUT_MAX];
    int64_t shapes[KCI_CASE_INPUT_MAX][KC_MAX_RANK];
    double memory[KCI_CASE_INPUT_MAX][64];
    kci_problem_t problem;
} worked_t;

/* A shape and values as two or one arguments. */
#define SHAPE(...)                                                             \
    (int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),             \
        (const int64_t[])                                                      \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define SCALAR      0, NULL
#define VALUES(...) ((const double[]){__VA_ARGS__})

worked_t worked_begin(int32_t op);
/* At most 64 elements. NULL values: none, for an extent of 0. */
void worked_add(worked_t *worked, int32_t dtype, int32_t rank,
                const int64_t *shape, const double *values);
void worked_add_absent(worked_t *worked);
/* Evaluates and holds shape and values to `tolerance` (0: the same bits).
 * Every element must have got a bound. */
void worked_expect(worked_t *worked, int32_t rank, const int64_t *shape,
                   const double *values, double tolerance);
/* As above with tolerance 0, and every bound must be 0. */
void worked_expect_exact(worked_t *worked, int32_t rank, const int64_t *shape,
                         const double *values);
/* After worked_expect; also releases the problem. */
void worked_end(worked_t *worked);

/* Cases `first` to `first + count - 1` of an operation: the evaluation in the
 * element type never leaves the bounds, and every bound was set. */
void worked_bounds_hold(int32_t op, int32_t dtype, uint64_t first,
                        uint64_t count);

#endif
