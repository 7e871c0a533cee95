/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of the panels that products are computed by, and the two instances of
 * their inner loop. The vector size follows the instruction set compiled for
 * and never shows in the result.
 */
#ifndef KC_REFERENCE_PANEL_H
#define KC_REFERENCE_PANEL_H

#include <string.h>

#include "product.h"
#include "tile.h"

#if defined(KC_REFERENCE_VECTOR_SIZE) /* chosen by the including file */
#elif defined(__AVX512F__)
#define KC_REFERENCE_VECTOR_SIZE 64
#elif defined(__AVX__)
#define KC_REFERENCE_VECTOR_SIZE 32
#else
#define KC_REFERENCE_VECTOR_SIZE 16
#endif

/* Terms of one panel of B, which so fits the first-level cache. */
#define KC_REFERENCE_DEPTH 128

/* Columns of a panel of the current element type: two vectors. */
#define COLUMNS (2 * KC_REFERENCE_VECTOR_SIZE / sizeof(REAL))

/* Rows whose sums stay in registers, of which AVX-512 has twice as many. */
#if KC_REFERENCE_VECTOR_SIZE == 64
#define ROWS 8
#elif KC_REFERENCE_VECTOR_SIZE == 32
#define ROWS 6
#else
#define ROWS 4
#endif

/* For loops over a handful of rows, so that their sums stay in registers. */
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif
#define INLINED static inline __attribute__((always_inline))

#define ADD_ROWS_OF(count)                                                     \
    static void TYPED(add_rows_##count)(size_t depth, const REAL *a,           \
                                        size_t a_row, const REAL *b,           \
                                        size_t b_row, REAL *c, size_t c_row)   \
    {                                                                          \
        TYPED(add_rows)(count, depth, a, a_row, b, b_row, c, c_row);           \
    }

#include "float32.h"
#include "panel_typed.h"
#include "float64.h"
#include "panel_typed.h"

#endif
