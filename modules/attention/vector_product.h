/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the products of tiles. A tile of ROWS_MAX rows and VECTORS_MAX
 * vectors stays in registers over the whole depth; every element is one sum
 * in order of depth that begins at +0, whatever the size of the tile.
 */
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif

/* c[r][i] from the sum over k of a(r, k) b[k][i]: `a_row` floats lie between
 * rows of a, `a_depth` between its terms. */
typedef struct product {
    size_t rows;
    size_t columns;
    size_t depth;
    const float *a;
    size_t a_row;
    size_t a_depth;
    const float *b;
    size_t b_depth;
    float *c;
    size_t c_row;
} product_t;

/* What becomes of a sum. */
typedef enum {
    PRODUCT_SCALED,
    PRODUCT_CORRECTED,
    PRODUCT_ADDED
} product_kind_t;

/* `factor` holds one float (scaled), one a column (corrected), none. */
ALWAYS_INLINE void finish_vector(product_kind_t kind, vec_t sum,
                                 const float *factor, float *to, size_t count)
{
    if (kind == PRODUCT_SCALED) {
        store(to, sum * all(*factor));
    } else if (kind == PRODUCT_CORRECTED) {
        store(to, FUSED(load(to), load(factor), sum));
    } else if (count >= LANES) {
        store(to, load(to) + sum);
    } else {
        float part[LANES] = {0};
        memcpy(part, to, count * sizeof *to);
        store(part, load(part) + sum);
        memcpy(to, part, count * sizeof *to);
    }
}

ALWAYS_INLINE void product_tile(const product_t *p, product_kind_t kind,
                                size_t rows, size_t vectors, size_t a_row,
                                size_t a_depth, const float *factor, size_t row,
                                size_t column)
{
    vec_t sum[ROWS_MAX][VECTORS_MAX];
    const float *a = p->a + row * a_row;
    const float *b = p->b + column;
    float *c = p->c + row * p->c_row + column;
    UNROLLED
    for (size_t r = 0; r < rows; r++) {
        UNROLLED
        for (size_t v = 0; v < vectors; v++) {
            sum[r][v] = (vec_t){0};
        }
    }
    for (size_t k = 0; k < p->depth; k++) {
        vec_t from_b[VECTORS_MAX];
        UNROLLED
        for (size_t v = 0; v < vectors; v++) {
            from_b[v] = load(b + v * LANES);
        }
        UNROLLED
        for (size_t r = 0; r < rows; r++) {
            const vec_t from_a = all(a[r * a_row]);
            UNROLLED
            for (size_t v = 0; v < vectors; v++) {
                sum[r][v] = FUSED(from_a, from_b[v], sum[r][v]);
            }
        }
        a += a_depth;
        b += p->b_depth;
    }
    UNROLLED
    for (size_t r = 0; r < rows; r++) {
        UNROLLED
        for (size_t v = 0; v < vectors; v++) {
            finish_vector(
                kind, sum[r][v],
                kind == PRODUCT_CORRECTED ? factor + column + v * LANES
                                          : factor,
                c + r * p->c_row + v * LANES, p->columns - column - v * LANES);
        }
    }
}

/* All rows of `vectors` vectors of columns. */
ALWAYS_INLINE void product_columns(const product_t *p, product_kind_t kind,
                                   size_t vectors, size_t a_row, size_t a_depth,
                                   const float *factor, size_t column)
{
    size_t row = 0;
    for (; row + ROWS_MAX <= p->rows; row += ROWS_MAX) {
        product_tile(p, kind, ROWS_MAX, vectors, a_row, a_depth, factor, row,
                     column);
    }
    for (; row + 4 <= p->rows; row += 4) {
        product_tile(p, kind, 4, vectors, a_row, a_depth, factor, row, column);
    }
    for (; row < p->rows; row++) {
        product_tile(p, kind, 1, vectors, a_row, a_depth, factor, row, column);
    }
}

/* Rows of b are read in whole vectors. Four vectors of columns are better
 * taken as two and two than as three and one. */
ALWAYS_INLINE void product(const product_t *p, product_kind_t kind,
                           size_t a_row, size_t a_depth, const float *factor)
{
    size_t column = 0;
    while (column < p->columns) {
        const size_t left = (p->columns - column + LANES - 1) / LANES;
        if (VECTORS_MAX >= 3 && left >= 3 && left != 4) {
            product_columns(p, kind, VECTORS_MAX, a_row, a_depth, factor,
                            column);
            column += VECTORS_MAX * LANES;
        } else if (left >= 2) {
            product_columns(p, kind, 2, a_row, a_depth, factor, column);
            column += 2 * LANES;
        } else {
            product_columns(p, kind, 1, a_row, a_depth, factor, column);
            column += LANES;
        }
    }
}

/* c[r][i] = scale * sum over k of a[r][k] b[k][i]. Columns are whole vectors. */
static void product_scaled(const product_t *p, float scale)
{
    product(p, PRODUCT_SCALED, p->a_row, 1, &scale);
}

/* c[r][i] = c[r][i] * factor[i] + sum over k of a[k][r] b[k][i]. Columns are
 * whole vectors. */
static void product_corrected(const product_t *p, const float *factor)
{
    product(p, PRODUCT_CORRECTED, 1, p->a_depth, factor);
}

/* c[r][i] += sum over k of a[r][k] b[k][i]. */
static void product_added(const product_t *p)
{
    product(p, PRODUCT_ADDED, p->a_row, 1, NULL);
}
