/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: one sum as written, where nothing may be assumed of the weights.
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
