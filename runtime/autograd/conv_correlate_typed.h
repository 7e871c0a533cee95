/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: elements of the weight's derivative as written, one at a time,
 * where nothing may be assumed of the operands; blocks of them, as products
 * with panels of cells, one column a tap and one row a place; the bias's.
 */

static bool TYPED(all_finite)(const REAL *values, size_t count)
{
    bool is_finite = true;
    for (size_t i = 0; i < count; i++) {
        is_finite &= values[i] - values[i] == 0;
    }
    return is_finite;
}

/* Adds the terms of one row of places. */
static REAL TYPED(add_row)(const kci_sliding_window_t *window,
                           const REAL *cells, const REAL *others,
                           int64_t offset, REAL sum)
{
    const int64_t stride = window->stride[window->axes - 1];
    const kci_places_t places =
        kci_window_places_of(window, offset, 0, window->out[window->axes - 1]);
    for (int64_t q = places.first; q < places.end; q++) {
        sum += cells[q * stride + offset] * others[q];
    }
    return sum;
}

/* `result` counts over groups. */
static REAL TYPED(correlate_sum)(const context_t *context, size_t result,
                                 size_t channel, size_t tap)
{
    const kci_correlation_t *c = context->correlation;
    const kci_sliding_window_t *window = &c->window;
    const size_t length = (size_t)window->out[window->axes - 1];
    const size_t line_length = (size_t)window->kernel[window->axes - 1];
    const int64_t offset = kci_window_offset(window, tap % line_length);
    REAL sum = 0;
    for (size_t sample = 0; sample < c->batch; sample++) {
        const size_t group = sample * c->groups + result / c->results;
        const REAL *cells = (const REAL *)c->cells +
                            (group * c->channels + channel) * c->in_count;
        const REAL *others =
            (const REAL *)context->others +
            (group * c->results + result % c->results) * c->out_count;
        for (size_t row = 0; row < context->rows; row++) {
            size_t start = 0;
            if (kci_window_line(window, row, tap / line_length, &start)) {
                sum = TYPED(add_row)(window, cells + start,
                                     others + row * length, offset, sum);
            }
        }
    }
    return sum;
}

/* The cells that the columns from `column` on meet from places `from` to `to`
 * of one row; rows of the panel, which holds zeros, are these places. */
static void TYPED(gather_row)(const context_t *context, const REAL *planes,
                              size_t row, int64_t from, int64_t to,
                              size_t column, size_t width, REAL *panel)
{
    const kci_correlation_t *c = context->correlation;
    const kci_sliding_window_t *window = &c->window;
    const int64_t stride = window->stride[window->axes - 1];
    const size_t line_length = (size_t)window->kernel[window->axes - 1];
    bool is_inside = false;
    size_t start = 0;
    for (size_t j = 0; j < width; j++) {
        const size_t tap = (column + j) % line_length;
        if (j == 0 || tap == 0) {
            const size_t line = (column + j) / line_length;
            is_inside = kci_window_line(window, row, line % c->lines, &start);
            start += line / c->lines * c->in_count;
        }
        if (!is_inside) {
            continue;
        }
        const int64_t offset = kci_window_offset(window, tap);
        const kci_places_t places =
            kci_window_places_of(window, offset, from, to);
        if (places.first == places.end) {
            continue;
        }
        const REAL *cells = planes + start + (places.first * stride + offset);
        REAL *rows = panel + (size_t)(places.first - from) * PANEL_COLUMNS + j;
        for (size_t i = 0; i < (size_t)(places.end - places.first); i++) {
            rows[i * PANEL_COLUMNS] = cells[i * (size_t)stride];
        }
    }
}

/* Places k .. k+depth-1 of a sample, row by row. */
static void TYPED(gather_taps)(const context_t *context, const REAL *planes,
                               size_t k, size_t depth, size_t column,
                               size_t width, REAL *panel)
{
    const kci_sliding_window_t *window = &context->correlation->window;
    const size_t length = (size_t)window->out[window->axes - 1];
    memset(panel, 0, depth * PANEL_COLUMNS * sizeof(REAL));
    for (size_t i = 0; i < depth;) {
        const size_t from = (k + i) % length;
        const size_t count = kci_smaller(length - from, depth - i);
        TYPED(gather_row)
        (context, planes, (k + i) / length, (int64_t)from,
         (int64_t)(from + count), column, width, panel + i * PANEL_COLUMNS);
        i += count;
    }
}

/* `result` is the first of a block in its group, `column` the first channel
 * and tap. */
static void TYPED(correlate_block)(const context_t *context, size_t group,
                                   size_t result, size_t column)
{
    const kci_correlation_t *c = context->correlation;
    const size_t all = c->channels * c->taps;
    const size_t rows = kci_smaller(c->results - result, context->block_rows);
    const size_t width = kci_smaller(all - column, PANEL_COLUMNS);
    REAL panel[KCI_PANEL_DEPTH * PANEL_COLUMNS];
    REAL sums[BLOCK_ROWS * PANEL_COLUMNS];
    memset(sums, 0, rows * PANEL_COLUMNS * sizeof(REAL));
    for (size_t sample = 0; sample < c->batch; sample++) {
        const size_t at = sample * c->groups + group;
        const REAL *planes =
            (const REAL *)c->cells + at * c->channels * c->in_count;
        const REAL *others = (const REAL *)context->others +
                             (at * c->results + result) * c->out_count;
        for (size_t k = 0; k < c->out_count; k += KCI_PANEL_DEPTH) {
            const size_t depth = kci_smaller(c->out_count - k, KCI_PANEL_DEPTH);
            TYPED(gather_taps)
            (context, planes, k, depth, column, width, panel);
            context->loops->TYPED(add)(rows, depth, others + k, c->out_count,
                                       panel, sums);
        }
    }
    for (size_t i = 0; i < rows; i++) {
        memcpy((REAL *)context->to + (group * c->results + result + i) * all +
                   column,
               sums + i * PANEL_COLUMNS, width * sizeof(REAL));
    }
}

/* Channels `first` on, whose sums are independent and so run side by side. */
static void TYPED(sum_planes)(const bias_context_t *context, size_t first)
{
    const size_t width = kci_smaller(context->channels - first, BIAS_CHANNELS);
    REAL sums[BIAS_CHANNELS] = {0};
    for (size_t sample = 0; sample < context->batch; sample++) {
        const REAL *g = (const REAL *)context->g +
                        (sample * context->channels + first) * context->count;
        if (width == BIAS_CHANNELS) {
            for (size_t q = 0; q < context->count; q++) {
                for (size_t i = 0; i < BIAS_CHANNELS; i++) {
                    sums[i] += g[i * context->count + q];
                }
            }
            continue;
        }
        for (size_t i = 0; i < width; i++) {
            for (size_t q = 0; q < context->count; q++) {
                sums[i] += g[i * context->count + q];
            }
        }
    }
    memcpy((REAL *)context->to + first, sums, width * sizeof(REAL));
}
