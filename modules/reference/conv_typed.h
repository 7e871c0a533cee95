/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the convolution as written, y[o,q] = fold0(ic, k; x[ic, q*s + k*d
 * - p] * w[o,ic,k]) + bias[o], for neighbouring places of one row. Cells
 * outside are skipped, the bias comes last.
 */

/* sums[q] += x[q * stride] * w for q in [0, count); inlined with the stride
 * constant, so that the loop vectorises. */
static inline void TYPED(add_tap)(const REAL *restrict x, size_t stride, REAL w,
                                  size_t count, REAL *restrict sums)
{
    for (size_t q = 0; q < count; q++) {
        sums[q] += x[q * stride] * w;
    }
}

/* One line of the window over one row of the plane. */
static void TYPED(add_line)(const kc_reference_window_t *window, const REAL *x,
                            const REAL *w, int64_t from, int64_t to, REAL *sums)
{
    const int32_t last = window->axes - 1;
    const int64_t stride = window->stride[last];
    for (int64_t k = 0; k < window->kernel[last]; k++) {
        const int64_t offset =
            k * window->dilation[last] - window->padding[last];
        const kc_reference_span_t span =
            kc_reference_places(window, offset, from, to);
        const size_t count = (size_t)(span.end - span.first);
        if (count == 0) {
            continue;
        }
        const REAL *cells = x + (span.first * stride + offset);
        if (stride == 1) {
            TYPED(add_tap)(cells, 1, w[k], count, sums + (span.first - from));
        } else {
            TYPED(add_tap)
            (cells, (size_t)stride, w[k], count, sums + (span.first - from));
        }
    }
}

/* `channel` counts over batch, groups and output channels. */
static void TYPED(convolve_row)(const kc_reference_conv_t *conv, size_t channel,
                                size_t row, int64_t from)
{
    const kc_reference_window_t *window = &conv->window;
    const int32_t last = window->axes - 1;
    const size_t line_length = (size_t)window->kernel[last];
    const size_t group = channel / conv->outputs;
    const size_t o = channel % (conv->groups * conv->outputs);
    const int64_t left = window->out[last] - from;
    const int64_t to =
        from + (left < KC_REFERENCE_CONV_ROW ? left : KC_REFERENCE_CONV_ROW);
    REAL sums[KC_REFERENCE_CONV_ROW] = {0};
    int64_t origin[KC_MAX_RANK];
    kc_reference_row_origin(window, row, origin);
    for (size_t ic = 0; ic < conv->inputs; ic++) {
        const REAL *x = (const REAL *)conv->x +
                        (group * conv->inputs + ic) * conv->in_count;
        const REAL *w =
            (const REAL *)conv->weight + (o * conv->inputs + ic) * conv->taps;
        for (size_t line = 0; line < conv->lines; line++) {
            size_t start;
            if (kc_reference_line(window, origin, line, &start)) {
                TYPED(add_line)
                (window, x + start, w + line * line_length, from, to, sums);
            }
        }
    }
    REAL *y = (REAL *)conv->y + channel * conv->out_count +
              row * (size_t)window->out[last] + (size_t)from;
    for (size_t q = 0; q < (size_t)(to - from); q++) {
        y[q] = conv->bias == NULL ? sums[q]
                                  : sums[q] + ((const REAL *)conv->bias)[o];
    }
}
