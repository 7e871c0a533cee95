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

/* `a_row` is the step from row to row of A, `b_row` and `b_column` the steps
 * of B, which so may be stored transposed, `c_row` that of C. */
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

/* COLUMNS neighbouring numbers of a row. */
typedef struct TYPED(pair) {
    TYPED(vector) left;
    TYPED(vector) right;
} TYPED(pair_t);

static inline TYPED(pair_t) TYPED(load)(const REAL *from)
{
    TYPED(pair_t) pair;
    pair.left = *(const TYPED(vector) *)from;
    pair.right = *(const TYPED(vector) *)(from + COLUMNS / 2);
    return pair;
}

static inline void TYPED(store)(REAL *to, TYPED(pair_t) pair)
{
    *(TYPED(vector) *)to = pair.left;
    *(TYPED(vector) *)(to + COLUMNS / 2) = pair.right;
}

static inline TYPED(pair_t)
    TYPED(add_product)(TYPED(pair_t) sum, REAL a, TYPED(pair_t) b)
{
    sum.left += a * b.left;
    sum.right += a * b.right;
    return sum;
}

/* c += a * b for one row and COLUMNS columns. */
static inline void TYPED(add_row)(size_t depth, const REAL *a, const REAL *b,
                                  size_t b_row, REAL *c)
{
    TYPED(pair_t) sum = TYPED(load)(c);
    for (size_t k = 0; k < depth; k++) {
        sum = TYPED(add_product)(sum, a[k], TYPED(load)(b + k * b_row));
    }
    TYPED(store)(c, sum);
}

/* The same for four rows, which share each load of b. */
static inline void TYPED(add_four_rows)(size_t depth, const REAL *a,
                                        size_t a_row, const REAL *b,
                                        size_t b_row, REAL *c, size_t c_row)
{
    const REAL *a1 = a + a_row;
    const REAL *a2 = a1 + a_row;
    const REAL *a3 = a2 + a_row;
    TYPED(pair_t) sum0 = TYPED(load)(c);
    TYPED(pair_t) sum1 = TYPED(load)(c + c_row);
    TYPED(pair_t) sum2 = TYPED(load)(c + 2 * c_row);
    TYPED(pair_t) sum3 = TYPED(load)(c + 3 * c_row);
    for (size_t k = 0; k < depth; k++) {
        const TYPED(pair_t) bk = TYPED(load)(b + k * b_row);
        sum0 = TYPED(add_product)(sum0, a[k], bk);
        sum1 = TYPED(add_product)(sum1, a1[k], bk);
        sum2 = TYPED(add_product)(sum2, a2[k], bk);
        sum3 = TYPED(add_product)(sum3, a3[k], bk);
    }
    TYPED(store)(c, sum0);
    TYPED(store)(c + c_row, sum1);
    TYPED(store)(c + 2 * c_row, sum2);
    TYPED(store)(c + 3 * c_row, sum3);
}

/* The same for fewer columns: the others are computed and dropped. */
static void TYPED(add_four_narrow_rows)(size_t depth, const REAL *a,
                                        size_t a_row, const REAL *b,
                                        size_t b_row, REAL *c, size_t c_row,
                                        size_t width)
{
    REAL sums[4 * COLUMNS] = {0};
    for (size_t i = 0; i < 4; i++) {
        memcpy(sums + i * COLUMNS, c + i * c_row, width * sizeof(REAL));
    }
    TYPED(add_four_rows)(depth, a, a_row, b, b_row, sums, COLUMNS);
    for (size_t i = 0; i < 4; i++) {
        memcpy(c + i * c_row, sums + i * COLUMNS, width * sizeof(REAL));
    }
}

/* Adds `depth` terms from `k` on to all rows of the columns. */
static void TYPED(add_panel)(const TYPED(product_t) * p, size_t k, size_t depth,
                             size_t column, size_t width, const REAL *b,
                             size_t b_row)
{
    const size_t a_row = p->a_row;
    const size_t c_row = p->c_row;
    size_t i = 0;
    const REAL *a = p->a + k;
    REAL *c = p->c + column;
    for (; i + 4 <= p->rows; i += 4, a += 4 * a_row, c += 4 * c_row) {
        if (width == COLUMNS) {
            TYPED(add_four_rows)(depth, a, a_row, b, b_row, c, c_row);
        } else {
            TYPED(add_four_narrow_rows)
            (depth, a, a_row, b, b_row, c, c_row, width);
        }
    }
    for (; i < p->rows; i++, a += a_row, c += c_row) {
        REAL sums[COLUMNS] = {0};
        memcpy(sums, c, width * sizeof(REAL));
        TYPED(add_row)(depth, a, b, b_row, sums);
        memcpy(c, sums, width * sizeof(REAL));
    }
}
