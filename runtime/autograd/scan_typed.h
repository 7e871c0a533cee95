/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the adjoint of h = a h + b x for up to STATES neighbouring
 * states, from the last step to the first, in the order of ops.md 7.10.
 * States do not meet, so a loop over them vectorises.
 */

typedef struct TYPED(columns) {
    REAL carry[STATES]; /* what step t + 1 sends back to state t */
    REAL sum_a[STATES]; /* of coefficients that all steps share */
    REAL sum_b[STATES];
} TYPED(columns_t);

/* `g` of one step and what is computed from it; NULL: not wanted. */
static void TYPED(write_products)(REAL *out, const REAL *g, const REAL *factor,
                                  size_t width)
{
    if (out == NULL) {
        return;
    }
    for (size_t j = 0; j < width; j++) {
        out[j] = g[j] * factor[j];
    }
}

static void TYPED(add_products)(REAL *sums, const REAL *g, const REAL *factor,
                                size_t width)
{
    for (size_t j = 0; j < width; j++) {
        sums[j] += g[j] * factor[j];
    }
}

static REAL *TYPED(place)(void *first, size_t offset)
{
    return first == NULL ? NULL : (REAL *)first + offset;
}

static void TYPED(step_back)(const context_t *context, size_t t, size_t first,
                             size_t width, TYPED(columns_t) * columns)
{
    const size_t row = t * context->states + first;
    const size_t coefficient = context->is_shared ? first : row;
    const REAL *before = t == 0
                             ? (const REAL *)context->h0 + first
                             : (const REAL *)context->h + row - context->states;
    const REAL *a = (const REAL *)context->a + coefficient;
    const REAL *b = (const REAL *)context->b + coefficient;
    const REAL *x = (const REAL *)context->x + row;
    const REAL *upstream = (const REAL *)context->g + row;
    REAL g[STATES];
    for (size_t j = 0; j < width; j++) {
        g[j] = upstream[j] + columns->carry[j];
    }
    TYPED(write_products)(TYPED(place)(context->dx, row), g, b, width);
    if (context->is_shared) {
        TYPED(add_products)(columns->sum_a, g, before, width);
        TYPED(add_products)(columns->sum_b, g, x, width);
    } else {
        TYPED(write_products)(TYPED(place)(context->da, row), g, before, width);
        TYPED(write_products)(TYPED(place)(context->db, row), g, x, width);
    }
    TYPED(write_products)(columns->carry, g, a, width);
}

static void TYPED(write_columns)(REAL *out, const REAL *column, size_t width)
{
    if (out != NULL) {
        memcpy(out, column, width * sizeof *out);
    }
}

static void TYPED(scan_back)(const context_t *context, size_t first,
                             size_t width)
{
    TYPED(columns_t) columns = {.carry = {0}};
    for (size_t t = context->steps; t-- > 0;) {
        TYPED(step_back)(context, t, first, width, &columns);
    }
    TYPED(write_columns)
    (TYPED(place)(context->dh0, first), columns.carry, width);
    if (context->is_shared) {
        TYPED(write_columns)
        (TYPED(place)(context->da, first), columns.sum_a, width);
        TYPED(write_columns)
        (TYPED(place)(context->db, first), columns.sum_b, width);
    }
}
