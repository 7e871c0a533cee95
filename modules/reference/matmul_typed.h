/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: one tile of a matrix product. The bias is added last, after the
 * whole sum.
 */

static void TYPED(compute_tile)(const context_t *context, size_t entry,
                                size_t row, size_t column)
{
    const size_t m = context->m;
    const size_t n = context->n;
    const size_t p = context->p;
    const REAL *bias = context->bias;
    const TYPED(product_t) product = {
        .rows = kc_reference_smaller(m - row, TILE_ROWS),
        .depth = n,
        .columns = kc_reference_smaller(p - column, TILE_COLUMNS),
        .a = (const REAL *)context->a + (entry * m + row) * n,
        .a_row = n,
        .b = (const REAL *)context->b + entry * n * p +
             column * context->b_column,
        .b_row = context->b_row,
        .b_column = context->b_column,
        .c = (REAL *)context->c + (entry * m + row) * p + column,
        .c_row = p};
    kc_reference_vectors(product.columns * sizeof(REAL))
        ->TYPED(product)(&product);
    for (size_t i = 0; bias != NULL && i < product.rows; i++) {
        for (size_t j = 0; j < product.columns; j++) {
            product.c[i * p + j] += bias[column + j];
        }
    }
}
