/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: adds the products of a panel of B, COLUMNS columns of neighbouring
 * terms, to C. Two roundings a term, k in order. Width comes from the columns,
 * never from k; between panels a partial sum rests in C, which is exact.
 *
 * A vector type says directly what stays in registers: the compilers' own
 * choice for the plain loop is two to four times slower (gcc 12).
 */

typedef REAL TYPED(vector) __attribute__((vector_size(KC_REFERENCE_VECTOR_SIZE),
                                          aligned(sizeof(REAL)), may_alias));

/* COLUMNS neighbouring numbers of a row. */
typedef struct TYPED(pair) {
    TYPED(vector) left;
    TYPED(vector) right;
} TYPED(pair_t);

INLINED TYPED(pair_t) TYPED(load)(const REAL *from)
{
    TYPED(pair_t) pair;
    pair.left = *(const TYPED(vector) *)from;
    pair.right = *(const TYPED(vector) *)(from + COLUMNS / 2);
    return pair;
}

INLINED void TYPED(store)(REAL *to, TYPED(pair_t) pair)
{
    *(TYPED(vector) *)to = pair.left;
    *(TYPED(vector) *)(to + COLUMNS / 2) = pair.right;
}

INLINED TYPED(pair_t)
    TYPED(add_product)(TYPED(pair_t) sum, REAL a, TYPED(pair_t) b)
{
    sum.left += a * b.left;
    sum.right += a * b.right;
    return sum;
}

/* c += a * b for COLUMNS columns and `rows` rows, at most ROWS and known when
 * compiled, which share each load of b. */
INLINED void TYPED(add_rows)(size_t rows, size_t depth, const REAL *a,
                             size_t a_row, const REAL *b, size_t b_row, REAL *c,
                             size_t c_row)
{
    TYPED(pair_t) sums[ROWS];
    UNROLLED
    for (size_t i = 0; i < rows; i++) {
        sums[i] = TYPED(load)(c + i * c_row);
    }
    for (size_t k = 0; k < depth; k++) {
        const TYPED(pair_t) bk = TYPED(load)(b + k * b_row);
        UNROLLED
        for (size_t i = 0; i < rows; i++) {
            sums[i] = TYPED(add_product)(sums[i], a[i * a_row + k], bk);
        }
    }
    UNROLLED
    for (size_t i = 0; i < rows; i++) {
        TYPED(store)(c + i * c_row, sums[i]);
    }
}

/* add_rows for each number of rows: apart, so that each has all registers. */
ADD_ROWS_OF(1)
ADD_ROWS_OF(2)
ADD_ROWS_OF(3)
ADD_ROWS_OF(4)
#if ROWS > 4
ADD_ROWS_OF(5)
ADD_ROWS_OF(6)
#endif
#if ROWS > 6
ADD_ROWS_OF(7)
ADD_ROWS_OF(8)
#endif

static void (*const TYPED(add_rows_of)[ROWS + 1])(size_t depth, const REAL *a,
                                                  size_t a_row, const REAL *b,
                                                  size_t b_row, REAL *c,
                                                  size_t c_row) = {
    NULL,
    TYPED(add_rows_1),
    TYPED(add_rows_2),
    TYPED(add_rows_3),
    TYPED(add_rows_4),
#if ROWS > 4
    TYPED(add_rows_5),
    TYPED(add_rows_6),
#endif
#if ROWS > 6
    TYPED(add_rows_7),
    TYPED(add_rows_8),
#endif
};

/* The same for fewer columns: the others are computed and dropped. */
static void TYPED(add_narrow_rows)(size_t rows, size_t depth, const REAL *a,
                                   size_t a_row, const REAL *b, size_t b_row,
                                   REAL *c, size_t c_row, size_t width)
{
    REAL sums[ROWS * COLUMNS];
    memset(sums, 0, rows * COLUMNS * sizeof(REAL));
    for (size_t i = 0; i < rows; i++) {
        memcpy(sums + i * COLUMNS, c + i * c_row, width * sizeof(REAL));
    }
    TYPED(add_rows_of)[rows](depth, a, a_row, b, b_row, sums, COLUMNS);
    for (size_t i = 0; i < rows; i++) {
        memcpy(c + i * c_row, sums + i * COLUMNS, width * sizeof(REAL));
    }
}

/* Adds `depth` terms from `k` on to all rows of the columns. */
static void TYPED(add_panel)(const TYPED(product_t) * p, size_t k, size_t depth,
                             size_t column, size_t width, const REAL *b,
                             size_t b_row)
{
    for (size_t i = 0; i < p->rows; i += ROWS) {
        const size_t rows = kc_reference_smaller(p->rows - i, ROWS);
        const REAL *a = p->a + i * p->a_row + k;
        REAL *c = p->c + i * p->c_row + column;
        if (width == COLUMNS) {
            TYPED(add_rows_of)
            [rows](depth, a, p->a_row, b, b_row, c, p->c_row);
        } else {
            TYPED(add_narrow_rows)
            (rows, depth, a, p->a_row, b, b_row, c, p->c_row, width);
        }
    }
}
