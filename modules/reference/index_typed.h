/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: y = x, then y[idx[j]] += source[j], j in order, for up to
 * SCATTER_COLUMNS neighbouring elements of the slices. y may be x.
 */

static void TYPED(scatter_columns)(const context_t *context, size_t outer,
                                   size_t column)
{
    const size_t inner = context->inner;
    const size_t width = kc_reference_smaller(inner - column, SCATTER_COLUMNS);
    const size_t first = outer * context->extent * inner + column;
    const REAL *x = (const REAL *)context->x + first;
    REAL *y = (REAL *)context->y + first;
    for (size_t i = 0; y != x && i < context->extent; i++) {
        memcpy(y + i * inner, x + i * inner, width * sizeof(REAL));
    }
    for (size_t j = 0; j < context->count; j++) {
        const REAL *restrict from = (const REAL *)context->source +
                                    (outer * context->count + j) * inner +
                                    column;
        REAL *restrict to = y + index_at(context, j) * inner;
        for (size_t k = 0; k < width; k++) {
            to[k] += from[k];
        }
    }
}
