/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the weights of a phase, turned round: [channels of x, channels of
 * the result, taps] from [groups, results, channels, kernel].
 */

/* `channel` counts over groups and channels of x. */
static void TYPED(pack_channel)(const phase_t *phase, size_t channel)
{
    const kci_correlation_t *c = &phase->correlation;
    const DLTensor *weight = phase->call->inputs[1];
    const int32_t last = c->window.axes - 1;
    const size_t window = kci_extent(weight, 2, weight->ndim);
    const size_t group = channel / c->results;
    REAL *to = (REAL *)phase->call->workspace + channel * c->channels * c->taps;
    for (size_t o = group * c->channels; o < (group + 1) * c->channels; o++) {
        const REAL *from = (const REAL *)kci_first_element(weight) +
                           (o * c->results + channel % c->results) * window;
        for (size_t line = 0; line < c->lines; line++) {
            const REAL *taps = from + line_start(phase, line);
            for (int64_t tap = 0; tap < c->window.kernel[last]; tap++) {
                *to++ = taps[tap * phase->tap_step[last]];
            }
        }
    }
}
