/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: attention of a few query rows of one head. Blocked keys are
 * skipped in the maximum, the weights and the sum over values, so that
 * nothing they hold can reach the output.
 */

/* y[c] = fold0(allowed j; weight[j] * v[j,c]) */
static void TYPED(sum_values)(const REAL *weight, const uint8_t *allowed,
                              size_t step, const REAL *restrict v, size_t n,
                              size_t columns, REAL *restrict y)
{
    memset(y, 0, columns * sizeof(REAL));
    for (size_t j = 0; j < n; j++) {
        if (TYPED(may)(allowed, step, j)) {
            for (size_t c = 0; c < columns; c++) {
                y[c] += weight[j] * v[j * columns + c];
            }
        }
    }
}

/* Query rows row .. row+count-1 of head `head`; `scores` holds count * keys. */
static void TYPED(attend)(const context_t *context, size_t head, size_t row,
                          size_t count, REAL *scores)
{
    const size_t keys = context->keys;
    const size_t width = context->width;
    const size_t value_width = context->value_width;
    const REAL scale = (REAL)context->scale;
    const REAL *v =
        (const REAL *)context->v + head * keys * value_width;
    const size_t first = head * context->queries + row;
    const TYPED(product_t) product = {
        .rows = count,
        .depth = width,
        .columns = visible_keys(context, row + count - 1),
        .a = (const REAL *)context->q + first * width,
        .a_row = width,
        .b = (const REAL *)context->k + head * keys * width,
        .b_row = 1,
        .b_column = width,
        .c = scores,
        .c_row = keys};
    kc_reference_vectors(product.columns * sizeof(REAL))
        ->TYPED(product)(&product);
    for (size_t i = 0; i < count; i++) {
        const size_t n = visible_keys(context, row + i);
        const size_t step = context->mask_key_stride;
        const uint8_t *allowed = mask_row(context, head, row + i);
        REAL *weight = scores + i * keys;
        for (size_t j = 0; j < n; j++) {
            weight[j] *= scale;
        }
        TYPED(softmax_slice)(weight, weight, 1, n, allowed, step);
        TYPED(sum_values)(weight, allowed, step, v, n, value_width,
                          (REAL *)context->y + (first + i) * value_width);
    }
}
