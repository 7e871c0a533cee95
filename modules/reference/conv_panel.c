/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions as products: the weights of a block of channels times panels
 * whose columns are places and whose rows are the cells of the window there.
 */
#include "conv.h"
#include "panel.h"

/* Channels and places of one item of work. */
#define CHANNELS 64
#define PLACES   128

#include "float32.h"
#include "conv_panel_typed.h"
#include "float64.h"
#include "conv_panel_typed.h"

int kc_reference_all_finite(const void *values, size_t count, int is_f64)
{
    return is_f64 ? all_finite_f64(values, count)
                  : all_finite_f32(values, count);
}

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const kc_reference_conv_t *conv = opaque;
    for (size_t item = start; item < start + count; item++) {
        size_t place = item % conv->place_blocks * PLACES;
        size_t rest = item / conv->place_blocks;
        size_t channel = rest % conv->channel_blocks * CHANNELS;
        size_t group = rest / conv->channel_blocks; /* over the batch, too */
        if (conv->is_f64) {
            convolve_panels_f64(conv, group, channel, place);
        } else {
            convolve_panels_f32(conv, group, channel, place);
        }
    }
    return KC_OK;
}

kc_status_t kc_reference_conv_by_panels(const kc_call_t *call,
                                        kc_reference_conv_t *conv)
{
    conv->channel_blocks = kc_reference_blocks(conv->outputs, CHANNELS);
    conv->place_blocks = kc_reference_blocks(conv->out_count, PLACES);
    return kc_reference_for(call, tile, conv,
                            conv->batch * conv->groups * conv->channel_blocks *
                                conv->place_blocks,
                            kc_reference_smaller(conv->outputs, CHANNELS) *
                                kc_reference_smaller(conv->out_count, PLACES) *
                                (conv->inputs * conv->taps + 1));
}
