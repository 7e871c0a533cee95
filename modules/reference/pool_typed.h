/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: pools of neighbouring places of one row. The cells of a window
 * come in row-major order, the same for every place.
 */

/* What a pool does with one more cell of places that lie side by side. */
typedef void (*TYPED(cell_fn))(const REAL *x, size_t stride, size_t count,
                               REAL *results);

/* The first largest one stays; NaN is larger than any. */
static inline void TYPED(take_larger)(const REAL *restrict x, size_t stride,
                                      size_t count, REAL *restrict best)
{
    for (size_t q = 0; q < count; q++) {
        const REAL cell = x[q * stride];
        const int replaces = (cell > best[q]) | (cell != cell);
        best[q] = replaces ? cell : best[q];
    }
}

static inline void TYPED(add_cells)(const REAL *restrict x, size_t stride,
                                    size_t count, REAL *restrict sums)
{
    for (size_t q = 0; q < count; q++) {
        sums[q] += x[q * stride];
    }
}

/* Feeds the cells that lie inside; inlined with `take` constant. */
static inline void TYPED(walk)(const context_t *context, const REAL *x,
                               const int64_t *origin, int64_t from,
                               size_t width, TYPED(cell_fn) take, REAL *results)
{
    const kc_reference_window_t *window = &context->window;
    const int32_t last = window->axes - 1;
    const int64_t stride = window->stride[last];
    for (size_t line = 0; line < context->lines; line++) {
        size_t start;
        if (!kc_reference_line(window, origin, line, &start)) {
            continue;
        }
        for (int64_t k = 0; k < window->kernel[last]; k++) {
            const int64_t offset = k - window->padding[last];
            const kc_reference_span_t span = kc_reference_places(
                window, offset, from, from + (int64_t)width);
            const size_t count = (size_t)(span.end - span.first);
            if (count == 0) {
                continue;
            }
            const REAL *cells = x + start + (span.first * stride + offset);
            if (stride == 1) {
                take(cells, 1, count, results + (span.first - from));
            } else {
                take(cells, (size_t)stride, count,
                     results + (span.first - from));
            }
        }
    }
}

/* Padding is no cell: every window has one inside. */
static void TYPED(max_row)(const context_t *context, const void *x,
                           const int64_t *origin, int64_t from, size_t width,
                           void *y)
{
    REAL best[ROW];
    for (size_t q = 0; q < width; q++) {
        best[q] = -INFINITY;
    }
    TYPED(walk)(context, x, origin, from, width, TYPED(take_larger), best);
    memcpy(y, best, width * sizeof(REAL));
}

/* A padded cell adds 0, which changes no sum that began at +0; it counts. */
static void TYPED(average_row)(const context_t *context, const void *x,
                               const int64_t *origin, int64_t from,
                               size_t width, void *y)
{
    const REAL cells = (REAL)context->cells;
    REAL sums[ROW] = {0};
    TYPED(walk)(context, x, origin, from, width, TYPED(add_cells), sums);
    for (size_t q = 0; q < width; q++) {
        ((REAL *)y)[q] = sums[q] / cells;
    }
}

/* Cell k of line `line` at all places, 0 where it is padding. */
static void TYPED(load_cells)(const context_t *context, const REAL *x,
                              const int64_t *origin, int64_t from, size_t width,
                              size_t line, int64_t k, REAL *cells)
{
    const kc_reference_window_t *window = &context->window;
    const int32_t last = window->axes - 1;
    const int64_t offset = k - window->padding[last];
    size_t start;
    memset(cells, 0, width * sizeof(REAL));
    if (kc_reference_line(window, origin, line, &start)) {
        const kc_reference_span_t span =
            kc_reference_places(window, offset, from, from + (int64_t)width);
        for (int64_t q = span.first; q < span.end; q++) {
            cells[q - from] =
                x[(int64_t)start + q * window->stride[last] + offset];
        }
    }
}

/* The largest cell of each window, or with negative beta the smallest; the
 * first of equal ones. */
static void TYPED(find_pivots)(const context_t *context, const REAL *x,
                               const int64_t *origin, int64_t from,
                               size_t width, REAL beta, REAL *pivots)
{
    const int64_t length = context->window.kernel[context->window.axes - 1];
    TYPED(load_cells)(context, x, origin, from, width, 0, 0, pivots);
    for (size_t line = 0; line < context->lines; line++) {
        for (int64_t k = 0; k < length; k++) {
            REAL cells[ROW];
            TYPED(load_cells)(context, x, origin, from, width, line, k, cells);
            for (size_t q = 0; q < width; q++) {
                const int replaces =
                    beta > 0 ? cells[q] > pivots[q] : cells[q] < pivots[q];
                pivots[q] = replaces ? cells[q] : pivots[q];
            }
        }
    }
}

/* y = pivot + log(fold0(exp(beta * (x - pivot)))) * (1 / beta). exp and log
 * are rounded to the element type; the sum is of rounded terms. */
static void TYPED(smooth_row)(const context_t *context, const void *x,
                              const int64_t *origin, int64_t from, size_t width,
                              void *y)
{
    const int64_t length = context->window.kernel[context->window.axes - 1];
    const REAL beta = (REAL)context->beta;
    const REAL inverse = 1 / beta;
    REAL pivots[ROW];
    REAL sums[ROW] = {0};
    TYPED(find_pivots)(context, x, origin, from, width, beta, pivots);
    for (size_t line = 0; line < context->lines; line++) {
        for (int64_t k = 0; k < length; k++) {
            REAL cells[ROW];
            TYPED(load_cells)(context, x, origin, from, width, line, k, cells);
            for (size_t q = 0; q < width; q++) {
                const REAL scaled = beta * (cells[q] - pivots[q]);
                sums[q] += (REAL)exp((double)scaled);
            }
        }
    }
    for (size_t q = 0; q < width; q++) {
        ((REAL *)y)[q] = pivots[q] + (REAL)log((double)sums[q]) * inverse;
    }
}
