/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: what the places of one row send back to the cells of their
 * windows. A cell that several places reach is added to in their order: of a
 * line the last tap goes first, since it meets a cell at the lowest place.
 */

/* cells[q * stride] += terms[q]; inlined with the stride constant, so that
 * the loop vectorises. */
static inline void TYPED(add_terms)(REAL *restrict cells, size_t stride,
                                    const REAL *restrict terms, size_t count)
{
    for (size_t q = 0; q < count; q++) {
        cells[q * stride] += terms[q];
    }
}

/* The terms of places `places` of a block that begins at `from`, for the tap
 * at `offset`. */
static void TYPED(add_tap)(const kci_sliding_window_t *window, REAL *row,
                           int64_t offset, kci_places_t places, int64_t from,
                           const REAL *terms)
{
    const int64_t stride = window->stride[window->axes - 1];
    const size_t count = (size_t)(places.end - places.first);
    if (count == 0) {
        return;
    }
    REAL *cells = row + (places.first * stride + offset);
    terms += places.first - from;
    if (stride == 1) {
        TYPED(add_terms)(cells, 1, terms, count);
    } else {
        TYPED(add_terms)(cells, (size_t)stride, terms, count);
    }
}

/* One tap of neighbouring windows; `at` is where the first cell lies. A cell
 * that is larger wins, and so does a NaN unless there is one already. Without
 * branches, which no processor could foretell. */
static inline void TYPED(take_larger)(const REAL *x, size_t at, size_t stride,
                                      size_t count, size_t *winners)
{
    for (size_t q = 0; q < count; q++, at += stride) {
        const REAL best = x[winners[q]];
        const size_t wins = !(x[at] <= best) & (best == best);
        winners[q] += (at - winners[q]) * wins;
    }
}

/* As the forward finds them: the first of equal ones. */
static void TYPED(find_winners)(const context_t *context, const REAL *x,
                                size_t row, int64_t from, int64_t to,
                                size_t *winners)
{
    const kci_sliding_window_t *window = &context->window;
    const int32_t last = window->axes - 1;
    const int64_t stride = window->stride[last];
    first_cells(window, row, from, to, winners);
    for (size_t line = 0; line < context->lines; line++) {
        size_t start = 0;
        if (!kci_window_line(window, row, line, &start)) {
            continue;
        }
        for (size_t tap = 0; tap < (size_t)window->kernel[last]; tap++) {
            const int64_t offset = kci_window_offset(window, tap);
            const kci_places_t places =
                kci_window_places_of(window, offset, from, to);
            TYPED(take_larger)
            (x, start + (size_t)(places.first * stride + offset),
             (size_t)stride, (size_t)(places.end - places.first),
             winners + (places.first - from));
        }
    }
}

static void TYPED(max_block)(const context_t *context, const void *x,
                             const void *cotangent, size_t row, int64_t from,
                             int64_t to, void *cells)
{
    const REAL *g = cotangent;
    REAL *dx = cells;
    size_t winners[PLACES];
    TYPED(find_winners)(context, x, row, from, to, winners);
    for (size_t q = 0; q < (size_t)(to - from); q++) {
        dx[winners[q]] += g[q];
    }
}

static void TYPED(average_block)(const context_t *context, const void *x,
                                 const void *cotangent, size_t row,
                                 int64_t from, int64_t to, void *cells)
{
    const kci_sliding_window_t *window = &context->window;
    const REAL *g = cotangent;
    const REAL count = (REAL)context->cells;
    REAL terms[PLACES];
    (void)x;
    for (size_t q = 0; q < (size_t)(to - from); q++) {
        terms[q] = g[q] / count;
    }
    for (size_t line = 0; line < context->lines; line++) {
        size_t start = 0;
        if (!kci_window_line(window, row, line, &start)) {
            continue;
        }
        for (size_t tap = (size_t)window->kernel[window->axes - 1];
             tap-- > 0;) {
            const int64_t offset = kci_window_offset(window, tap);
            TYPED(add_tap)
            (window, (REAL *)cells + start, offset,
             kci_window_places_of(window, offset, from, to), from, terms);
        }
    }
}

/* The cells that one tap meets at places `from` to `to`, 0 where it meets
 * none. */
static void TYPED(load_tap)(const context_t *context, const REAL *x, size_t row,
                            int64_t from, int64_t to, size_t line, size_t tap,
                            REAL *values)
{
    const kci_sliding_window_t *window = &context->window;
    const int64_t offset = kci_window_offset(window, tap);
    size_t start = 0;
    memset(values, 0, (size_t)(to - from) * sizeof(REAL));
    if (!kci_window_line(window, row, line, &start)) {
        return;
    }
    const kci_places_t places = kci_window_places_of(window, offset, from, to);
    for (int64_t q = places.first; q < places.end; q++) {
        values[q - from] =
            x[start + (size_t)(q * window->stride[window->axes - 1] + offset)];
    }
}

/* The largest cell of each window, or with negative beta the smallest. */
static void TYPED(find_pivots)(const context_t *context, const REAL *x,
                               size_t row, int64_t from, int64_t to,
                               REAL *pivots)
{
    const size_t taps =
        (size_t)context->window.kernel[context->window.axes - 1];
    const bool is_largest = context->beta > 0;
    TYPED(load_tap)(context, x, row, from, to, 0, 0, pivots);
    for (size_t i = 1; i < context->cells; i++) {
        REAL values[PLACES];
        TYPED(load_tap)
        (context, x, row, from, to, i / taps, i % taps, values);
        for (size_t q = 0; q < (size_t)(to - from); q++) {
            const bool replaces =
                is_largest ? values[q] > pivots[q] : values[q] < pivots[q];
            pivots[q] = replaces ? values[q] : pivots[q];
        }
    }
}

/* exp(beta * (x - pivot)) of one tap, rounded as the forward rounds it. */
static void TYPED(exponentials)(const context_t *context, const REAL *x,
                                size_t row, int64_t from, int64_t to,
                                size_t line, size_t tap, const REAL *pivots,
                                REAL *values)
{
    const REAL beta = (REAL)context->beta;
    TYPED(load_tap)(context, x, row, from, to, line, tap, values);
    for (size_t q = 0; q < (size_t)(to - from); q++) {
        const REAL scaled = beta * (values[q] - pivots[q]);
        values[q] = (REAL)exp((double)scaled);
    }
}

/* g * (exponential / sum of the window); a padded cell has its part of the
 * sum and no other. */
static void TYPED(smooth_block)(const context_t *context, const void *x,
                                const void *cotangent, size_t row, int64_t from,
                                int64_t to, void *cells)
{
    const kci_sliding_window_t *window = &context->window;
    const size_t taps = (size_t)window->kernel[window->axes - 1];
    const REAL *g = cotangent;
    REAL pivots[PLACES];
    REAL terms[PLACES];
    REAL sums[PLACES] = {0};
    TYPED(find_pivots)(context, x, row, from, to, pivots);
    for (size_t i = 0; i < context->cells; i++) {
        TYPED(exponentials)
        (context, x, row, from, to, i / taps, i % taps, pivots, terms);
        for (size_t q = 0; q < (size_t)(to - from); q++) {
            sums[q] += terms[q];
        }
    }
    for (size_t line = 0; line < context->lines; line++) {
        size_t start = 0;
        if (!kci_window_line(window, row, line, &start)) {
            continue;
        }
        for (size_t tap = taps; tap-- > 0;) {
            const int64_t offset = kci_window_offset(window, tap);
            TYPED(exponentials)
            (context, x, row, from, to, line, tap, pivots, terms);
            for (size_t q = 0; q < (size_t)(to - from); q++) {
                terms[q] = g[q] * (terms[q] / sums[q]);
            }
            TYPED(add_tap)
            (window, (REAL *)cells + start, offset,
             kci_window_places_of(window, offset, from, to), from, terms);
        }
    }
}
