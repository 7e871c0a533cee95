/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: channels times places of a convolution. The cells of a panel come
 * in the order of the fold, channel of x outermost, so the product's sum is
 * the convolution's.
 */

/* Columns of a panel whose places lie in one row of the result. `first` is
 * where the window of the first of them begins on the last axis. */
typedef struct TYPED(piece) {
    size_t column;
    size_t width;
    int64_t first;
    int64_t origin[KC_MAX_RANK];
} TYPED(piece_t);

static size_t TYPED(cut)(const kc_reference_window_t *window, size_t place,
                         size_t width, TYPED(piece_t) * pieces)
{
    const int32_t last = window->axes - 1;
    const size_t length = (size_t)window->out[last];
    size_t count = 0;
    for (size_t column = 0; column < width;) {
        TYPED(piece_t) *piece = &pieces[count++];
        const size_t at = (place + column) % length;
        piece->column = column;
        piece->width = kc_reference_smaller(length - at, width - column);
        piece->first =
            (int64_t)at * window->stride[last] - window->padding[last];
        kc_reference_row_origin(window, (place + column) / length,
                                piece->origin);
        column += piece->width;
    }
    return count;
}

/* The cells of one tap; `x` is a row of the plane, `to` a row of the panel
 * that holds zeros. */
static inline void TYPED(gather_tap)(const kc_reference_window_t *window,
                                     const TYPED(piece_t) * piece,
                                     const REAL *x, int64_t tap, REAL *to)
{
    const int32_t last = window->axes - 1;
    const int64_t n = window->in[last];
    const int64_t stride = window->stride[last];
    int64_t at = piece->first + tap * window->dilation[last];
    if (stride == 1 && piece->width == COLUMNS && at >= 0 &&
        at + (int64_t)COLUMNS <= n) {
        memcpy(to, x + at, COLUMNS * sizeof(REAL));
        return;
    }
    for (size_t i = 0; i < piece->width; i++) {
        if (at >= 0 && at < n) {
            to[piece->column + i] = x[at];
        }
        at += stride;
    }
}

/* Rows k .. k+depth-1 of the panel: cell k is tap k % taps of channel
 * k / taps. */
static void TYPED(gather)(const kc_reference_conv_t *conv,
                          const TYPED(piece_t) * piece, const REAL *x, size_t k,
                          size_t depth, REAL *panel)
{
    const kc_reference_window_t *window = &conv->window;
    const size_t line_length = (size_t)window->kernel[window->axes - 1];
    size_t line = k % conv->taps / line_length;
    size_t tap = k % line_length;
    const REAL *plane = x + k / conv->taps * conv->in_count;
    for (size_t row = 0; row < depth;) {
        size_t start = 0;
        const int is_inside =
            kc_reference_line(window, piece->origin, line, &start);
        for (; tap < line_length && row < depth; tap++, row++) {
            if (is_inside) {
                TYPED(gather_tap)
                (window, piece, plane + start, (int64_t)tap,
                 panel + row * COLUMNS);
            }
        }
        tap = 0;
        if (++line == conv->lines) {
            line = 0;
            plane += conv->in_count;
        }
    }
}

/* Adds `depth` terms from `k` on for the places of one panel. */
static void TYPED(convolve_panel)(const kc_reference_conv_t *conv,
                                  const TYPED(product_t) * product,
                                  const REAL *x, size_t k, size_t place,
                                  size_t column)
{
    const size_t depth =
        kc_reference_smaller(product->depth - k, KC_REFERENCE_DEPTH);
    const size_t width =
        kc_reference_smaller(product->columns - column, COLUMNS);
    TYPED(piece_t) pieces[COLUMNS];
    REAL panel[KC_REFERENCE_DEPTH * COLUMNS];
    const size_t count =
        TYPED(cut)(&conv->window, place + column, width, pieces);
    memset(panel, 0, depth * COLUMNS * sizeof(REAL));
    for (size_t i = 0; i < count; i++) {
        TYPED(gather)(conv, &pieces[i], x, k, depth, panel);
    }
    TYPED(add_panel)(product, k, depth, column, width, panel, COLUMNS);
}

/* `group` counts over the batch, `channel` is the first of a block in it. */
static void TYPED(convolve_panels)(const kc_reference_conv_t *conv,
                                   size_t group, size_t channel, size_t place)
{
    const size_t depth = conv->inputs * conv->taps;
    const size_t o = group % conv->groups * conv->outputs + channel;
    const REAL *x =
        (const REAL *)conv->x + group * conv->inputs * conv->in_count;
    const TYPED(product_t) product = {
        .rows = kc_reference_smaller(conv->outputs - channel,
                                     KC_REFERENCE_PANEL_CHANNELS),
        .depth = depth,
        .columns = kc_reference_smaller(conv->out_count - place,
                                        KC_REFERENCE_PANEL_PLACES),
        .a = (const REAL *)conv->weight + o * depth,
        .a_row = depth,
        .c = (REAL *)conv->y +
             (group * conv->outputs + channel) * conv->out_count + place,
        .c_row = conv->out_count};
    for (size_t i = 0; i < product.rows; i++) {
        memset(product.c + i * product.c_row, 0,
               product.columns * sizeof(REAL));
    }
    for (size_t k = 0; k < depth; k += KC_REFERENCE_DEPTH) {
        for (size_t j = 0; j < product.columns; j += COLUMNS) {
            TYPED(convolve_panel)(conv, &product, x, k, place, j);
        }
    }
    for (size_t i = 0; conv->bias != NULL && i < product.rows; i++) {
        const REAL bias = ((const REAL *)conv->bias)[o + i];
        for (size_t j = 0; j < product.columns; j++) {
            product.c[i * product.c_row + j] += bias;
        }
    }
}
