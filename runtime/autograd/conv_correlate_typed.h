/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: one element of the weight's derivative as written, where nothing
 * may be assumed of the operands, and the bias's.
 */

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
