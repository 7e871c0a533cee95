/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: C[i,j] = fold0(k; A[i,k] * B[k,j]). `a_row` is the step from row to
 * row of A, `b_row` and `b_column` the steps of B, which so may be stored
 * transposed, `c_row` that of C.
 */

typedef struct TYPED(product) {
    size_t rows;
    size_t depth;
    size_t columns;
    const REAL *a;
    size_t a_row;
    const REAL *b;
    size_t b_row;
    size_t b_column;
    REAL *c;
    size_t c_row;
} TYPED(product_t);
