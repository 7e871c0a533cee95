/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: C[i,j] = fold0(k; A[i,k] * B[k,j]), two roundings a term, k in
 * order. Width comes from neighbouring columns, never from k; between blocks
 * of k a partial sum rests in C, which is exact.
 *
 * A vector type says directly what stays in registers: the compilers' own
 * choice for the plain loop is two to four times slower (gcc 12).
 */

#define COLUMNS (2 * KC_REFERENCE_VECTOR_SIZE / sizeof(REAL)) /* of one tile */

typedef REAL TYPED(vector) __attribute__((
    vector_size(KC_REFERENCE_VECTOR_SIZE), aligned(sizeof(REAL)), may_alias));

/* A has `row` elements from row to row; B has `b_row` and `b_column`. */
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

/* c += a * b for `rows` rows and COLUMNS columns; `rows` is a constant where
 * this is inlined. */
static inline __attribute__((always_inline)) void
TYPED(add_rows)(const size_t rows, size_t depth, const REAL *restrict a,
                size_t a_row, const REAL *restrict b, size_t b_row,
                REAL *restrict c, size_t c_row)
{
    const size_t half = COLUMNS / 2;
    TYPED(vector) sum[KC_REFERENCE_ROWS][2];
    for (size_t i = 0; i < rows; i++) {
        sum[i][0] = *(const TYPED(vector) *)(c + i * c_row);
        sum[i][1] = *(const TYPED(vector) *)(c + i * c_row + half);
    }
    for (size_t k = 0; k < depth; k++) {
        TYPED(vector) left = *(const TYPED(vector) *)(b + k * b_row);
        TYPED(vector) right = *(const TYPED(vector) *)(b + k * b_row + half);
        for (size_t i = 0; i < rows; i++) {
            sum[i][0] += a[i * a_row + k] * left;
            sum[i][1] += a[i * a_row + k] * right;
        }
    }
    for (size_t i = 0; i < rows; i++) {
        *(TYPED(vector) *)(c + i * c_row) = sum[i][0];
        *(TYPED(vector) *)(c + i * c_row + half) = sum[i][1];
    }
}

/* Rows of B from `k` on, columns from `column` on, side by side; columns past
 * the last are zero and their sums are dropped. */
static void TYPED(pack)(const TYPED(product_t) *p, size_t k, size_t depth,
                        size_t column, size_t width, REAL *panel)
{
    const REAL *b = p->b + k * p->b_row + column * p->b_column;
    for (size_t i = 0; i < depth; i++) {
        for (size_t j = 0; j < width; j++) {
            panel[i * COLUMNS + j] = b[i * p->b_row + j * p->b_column];
        }
        for (size_t j = width; j < COLUMNS; j++) {
            panel[i * COLUMNS + j] = 0;
        }
    }
}

/* Adds `depth` terms from `k` on to all rows of the columns. */
static void TYPED(add_panel)(const TYPED(product_t) *p, size_t k, size_t depth,
                             size_t column, size_t width, const REAL *b,
                             size_t b_row)
{
    size_t i = 0;
    const REAL *a = p->a + k;
    REAL *c = p->c + column;
    for (; width == COLUMNS && i + KC_REFERENCE_ROWS <= p->rows;
         i += KC_REFERENCE_ROWS) {
        TYPED(add_rows)(KC_REFERENCE_ROWS, depth, a + i * p->a_row, p->a_row, b,
                        b_row, c + i * p->c_row, p->c_row);
    }
    for (; i < p->rows; i++) {
        REAL sums[COLUMNS] = {0};
        memcpy(sums, c + i * p->c_row, width * sizeof(REAL));
        TYPED(add_rows)(1, depth, a + i * p->a_row, 0, b, b_row, sums, 0);
        memcpy(c + i * p->c_row, sums, width * sizeof(REAL));
    }
}

static void TYPED(product)(const TYPED(product_t) *p)
{
    REAL panel[KC_REFERENCE_DEPTH * COLUMNS];
    for (size_t i = 0; i < p->rows; i++) {
        memset(p->c + i * p->c_row, 0, p->columns * sizeof(REAL));
    }
    for (size_t column = 0; column < p->columns; column += COLUMNS) {
        size_t width = kc_reference_smaller(p->columns - column, COLUMNS);
        for (size_t k = 0; k < p->depth; k += KC_REFERENCE_DEPTH) {
            size_t depth = kc_reference_smaller(p->depth - k,
                                                KC_REFERENCE_DEPTH);
            const REAL *b = p->b + k * p->b_row + column;
            size_t b_row = p->b_row;
            if (p->rows >= KC_REFERENCE_ROWS || p->b_column != 1 ||
                width < COLUMNS) {
                TYPED(pack)(p, k, depth, column, width, panel);
                b = panel;
                b_row = COLUMNS;
            }
            TYPED(add_panel)(p, k, depth, column, width, b, b_row);
        }
    }
}

#undef COLUMNS
