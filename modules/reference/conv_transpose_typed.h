/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: y[o,q] = fold0(ic, k; x[ic,(q+p-k)/s] * w[ic,o,k]) + bias[o] for
 * neighbouring places of one row. Taps that have no cell of x are skipped,
 * the bias comes last.
 */

/* sums[i * stride] += x[i] * w; inlined with the stride constant. */
static inline void TYPED(spread_tap)(const REAL *restrict x, size_t stride,
                                     REAL w, size_t count, REAL *restrict sums)
{
    for (size_t i = 0; i < count; i++) {
        sums[i * stride] += x[i] * w;
    }
}

/* One line of the window: what a row of x adds to a row of the result. */
static void TYPED(spread_line)(const kc_reference_window_t *window,
                               const REAL *x, const REAL *w, int64_t from,
                               int64_t to, REAL *sums)
{
    const int32_t last = window->axes - 1;
    const int64_t stride = window->stride[last];
    for (int64_t k = 0; k < window->kernel[last]; k++) {
        const int64_t offset = k - window->padding[last];
        const kc_reference_span_t span = source_cells(window, offset, from, to);
        const size_t count = (size_t)(span.end - span.first);
        if (count == 0) {
            continue;
        }
        REAL *first = sums + (span.first * stride + offset - from);
        if (stride == 1) {
            TYPED(spread_tap)(x + span.first, 1, w[k], count, first);
        } else if (stride == 2) {
            TYPED(spread_tap)(x + span.first, 2, w[k], count, first);
        } else {
            TYPED(spread_tap)
            (x + span.first, (size_t)stride, w[k], count, first);
        }
    }
}

/* `channel` counts over batch and output channels. */
static void TYPED(spread_row)(const context_t *context, size_t channel,
                              size_t row, int64_t from)
{
    const kc_reference_window_t *window = &context->window;
    const int32_t last = window->axes - 1;
    const size_t line_length = (size_t)window->kernel[last];
    const size_t sample = channel / context->outputs;
    const size_t o = channel % context->outputs;
    const int64_t left = window->in[last] - from;
    const int64_t to = from + (left < ROW ? left : ROW);
    REAL sums[ROW] = {0};
    for (size_t ic = 0; ic < context->inputs; ic++) {
        const REAL *x = (const REAL *)context->x +
                        (sample * context->inputs + ic) * context->in_count;
        const REAL *w = (const REAL *)context->weight +
                        (ic * context->outputs + o) * context->taps;
        for (size_t line = 0; line < context->lines; line++) {
            size_t start;
            if (source_row(window, row, line, &start)) {
                TYPED(spread_line)
                (window, x + start, w + line * line_length, from, to, sums);
            }
        }
    }
    REAL *y = (REAL *)context->y + channel * context->out_count +
              row * (size_t)window->in[last] + (size_t)from;
    for (size_t q = 0; q < (size_t)(to - from); q++) {
        y[q] = context->bias == NULL
                   ? sums[q]
                   : sums[q] + ((const REAL *)context->bias)[o];
    }
}
