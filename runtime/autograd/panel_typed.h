/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: products of rows with one panel, for the vectors of TARGET. Sums
 * stay in registers, ROWS rows of them at a time; the width comes from the
 * columns, never from k. A vector type says so directly: the compilers' own
 * choice for the plain loop is far slower.
 */
#define PIECES (KCI_PANEL_BYTES / VECTOR_BYTES)

typedef REAL NAMED(vector) __attribute__((vector_size(VECTOR_BYTES),
                                          aligned(sizeof(REAL)), may_alias));

/* `rows` is at most ROWS and known when compiled. */
TARGET INLINED void NAMED(add_rows)(size_t rows, size_t depth, const REAL *a,
                                    size_t a_row, const REAL *b, REAL *c)
{
    NAMED(vector) sums[ROWS * PIECES];
    UNROLLED
    for (size_t i = 0; i < rows * PIECES; i++) {
        sums[i] = ((const NAMED(vector) *)c)[i];
    }
    for (size_t k = 0; k < depth; k++) {
        const NAMED(vector) *bk = (const NAMED(vector) *)b + k * PIECES;
        UNROLLED
        for (size_t i = 0; i < rows * PIECES; i++) {
            sums[i] += a[i / PIECES * a_row + k] * bk[i % PIECES];
        }
    }
    UNROLLED
    for (size_t i = 0; i < rows * PIECES; i++) {
        ((NAMED(vector) *)c)[i] = sums[i];
    }
}

TARGET static void NAMED(add)(size_t rows, size_t depth, const REAL *a,
                              size_t a_row, const REAL *b, REAL *c)
{
    const size_t step = KCI_PANEL_BYTES / sizeof(REAL);
    for (; rows >= ROWS; rows -= ROWS) {
        NAMED(add_rows)(ROWS, depth, a, a_row, b, c);
        a += ROWS * a_row;
        c += ROWS * step;
    }
    if (ROWS > 4 && rows >= 4) {
        NAMED(add_rows)(4, depth, a, a_row, b, c);
        rows -= 4;
        a += 4 * a_row;
        c += 4 * step;
    }
    if (ROWS > 2 && rows >= 2) {
        NAMED(add_rows)(2, depth, a, a_row, b, c);
        rows -= 2;
        a += 2 * a_row;
        c += 2 * step;
    }
    if (rows > 0) {
        NAMED(add_rows)(1, depth, a, a_row, b, c);
    }
}

#undef PIECES
