/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: C[i,j] = fold0(k; A[i,k] * B[k,j]), k in order, by panels of B.
 */

/* Rows of B from `k` on, columns from `column` on, side by side; columns past
 * the last are zero and their sums are dropped. Reads along B's memory. */
static void TYPED(pack)(const TYPED(product_t) *p, size_t k, size_t depth,
                        size_t column, size_t width, REAL *panel)
{
    const REAL *b = p->b + k * p->b_row + column * p->b_column;
    if (width < COLUMNS) {
        memset(panel, 0, depth * COLUMNS * sizeof(REAL));
    }
    if (p->b_column == 1) {
        for (size_t i = 0; i < depth; i++) {
            memcpy(panel + i * COLUMNS, b + i * p->b_row, width * sizeof(REAL));
        }
        return;
    }
    for (size_t j = 0; j < width; j++) {
        for (size_t i = 0; i < depth; i++) {
            panel[i * COLUMNS + j] = b[i * p->b_row + j * p->b_column];
        }
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
            size_t depth =
                kc_reference_smaller(p->depth - k, KC_REFERENCE_DEPTH);
            const REAL *b = p->b + k * p->b_row + column;
            size_t b_row = p->b_row;
            if (p->rows >= 4 || p->b_column != 1 || width < COLUMNS) {
                TYPED(pack)(p, k, depth, column, width, panel);
                b = panel;
                b_row = COLUMNS;
            }
            TYPED(add_panel)(p, k, depth, column, width, b, b_row);
        }
    }
}
