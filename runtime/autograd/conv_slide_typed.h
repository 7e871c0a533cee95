/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: sums as written, one at a time, where nothing may be assumed of
 * the weights; and blocks of them, as products of the weights with panels of
 * cells, one column a place.
 */

/* `channel` counts over batch, groups and results. */
static REAL TYPED(slide_sum)(const context_t *context, size_t channel,
                             size_t row, size_t place)
{
    const kci_correlation_t *c = context->correlation;
    const kci_sliding_window_t *window = &c->window;
    const int32_t last = window->axes - 1;
    const size_t line_length = (size_t)window->kernel[last];
    const REAL *cells = (const REAL *)c->cells +
                        channel / c->results * c->channels * c->in_count;
    const REAL *weight =
        (const REAL *)context->weight +
        channel % (c->groups * c->results) * c->channels * c->taps;
    REAL sum = 0;
    for (size_t item = 0; item < c->channels * c->lines; item++) {
        const REAL *plane = cells + item / c->lines * c->in_count;
        size_t start = 0;
        if (!kci_window_line(window, row, item % c->lines, &start)) {
            continue;
        }
        for (size_t tap = 0; tap < line_length; tap++) {
            const int64_t at = (int64_t)place * window->stride[last] +
                               kci_window_offset(window, tap);
            if (at >= 0 && at < window->in[last]) {
                sum += plane[start + (size_t)at] *
                       weight[item * line_length + tap];
            }
        }
    }
    return sum;
}

static void TYPED(slide_row)(const context_t *context, size_t channel,
                             size_t row)
{
    const kci_sliding_window_t *window = &context->correlation->window;
    const int32_t last = window->axes - 1;
    REAL *to = (REAL *)context->to + channel * context->to_count +
               row_start(context, row);
    for (size_t q = 0; q < (size_t)window->out[last]; q++) {
        to[q * (size_t)context->places->step[last]] =
            TYPED(slide_sum)(context, channel, row, q);
    }
}

/* The cells that a tap meets from the columns of one piece; `to` is a row of
 * the panel that holds zeros. */
static void TYPED(copy_tap)(const kci_sliding_window_t *window,
                            const piece_t *piece, const REAL *row,
                            int64_t offset, REAL *to)
{
    const int64_t stride = window->stride[window->axes - 1];
    const kci_places_t places = kci_window_places_of(
        window, offset, piece->from, piece->from + (int64_t)piece->width);
    const size_t count = (size_t)(places.end - places.first);
    if (count == 0) {
        return;
    }
    const REAL *cells = row + (places.first * stride + offset);
    to += piece->column + (size_t)(places.first - piece->from);
    if (stride == 1 && count == PANEL_COLUMNS) {
        memcpy(to, cells, PANEL_COLUMNS * sizeof(REAL));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        to[i] = cells[i * (size_t)stride];
    }
}

/* Rows k .. k+depth-1 of the panel: row k is tap k % taps of channel
 * k / taps. */
static void TYPED(gather_places)(const kci_correlation_t *c,
                                 const piece_t *piece, const REAL *planes,
                                 size_t k, size_t depth, REAL *panel)
{
    const kci_sliding_window_t *window = &c->window;
    const size_t line_length = (size_t)window->kernel[window->axes - 1];
    const REAL *plane = planes + k / c->taps * c->in_count;
    size_t line = k % c->taps / line_length;
    size_t tap = k % line_length;
    for (size_t row = 0; row < depth;) {
        size_t start = 0;
        const bool is_inside = piece_line(window, piece, line, &start);
        for (; tap < line_length && row < depth; tap++, row++) {
            if (is_inside) {
                TYPED(copy_tap)
                (window, piece, plane + start, kci_window_offset(window, tap),
                 panel + row * PANEL_COLUMNS);
            }
        }
        tap = 0;
        if (++line == c->lines) {
            line = 0;
            plane += c->in_count;
        }
    }
}

/* Puts the columns of one piece where they belong. */
static void TYPED(place_sums)(const context_t *context, const piece_t *piece,
                              size_t rows, const REAL *sums, REAL *to)
{
    const size_t step =
        (size_t)context->places->step[context->correlation->window.axes - 1];
    for (size_t i = 0; i < rows; i++) {
        const REAL *from = sums + i * PANEL_COLUMNS + piece->column;
        REAL *row = to + i * context->to_count + piece->to;
        for (size_t q = 0; q < piece->width; q++) {
            row[q * step] = from[q];
        }
    }
}

/* `group` counts over the batch, `result` is the first of a block in it. */
static void TYPED(slide_block)(const context_t *context, size_t group,
                               size_t result, size_t place)
{
    const kci_correlation_t *c = context->correlation;
    const size_t rows = kci_smaller(c->results - result, BLOCK_ROWS);
    const size_t width = kci_smaller(c->out_count - place, PANEL_COLUMNS);
    const size_t all = c->channels * c->taps;
    const REAL *planes =
        (const REAL *)c->cells + group * c->channels * c->in_count;
    const REAL *weight = (const REAL *)context->weight +
                         (group % c->groups * c->results + result) * all;
    REAL *to =
        (REAL *)context->to + (group * c->results + result) * context->to_count;
    piece_t pieces[PANEL_COLUMNS];
    REAL panel[KCI_PANEL_DEPTH * PANEL_COLUMNS];
    REAL sums[BLOCK_ROWS * PANEL_COLUMNS];
    const size_t count = cut(context, place, width, pieces);
    memset(sums, 0, rows * PANEL_COLUMNS * sizeof(REAL));
    for (size_t k = 0; k < all; k += KCI_PANEL_DEPTH) {
        const size_t depth = kci_smaller(all - k, KCI_PANEL_DEPTH);
        memset(panel, 0, depth * PANEL_COLUMNS * sizeof(REAL));
        for (size_t i = 0; i < count; i++) {
            TYPED(gather_places)(c, &pieces[i], planes, k, depth, panel);
        }
        context->loops->TYPED(add)(rows, depth, weight + k, all, panel, sums);
    }
    for (size_t i = 0; i < count; i++) {
        TYPED(place_sums)(context, &pieces[i], rows, sums, to);
    }
}
