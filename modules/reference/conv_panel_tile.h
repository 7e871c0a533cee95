/* SPDX-License-Identifier: Apache-2.0
 *
 * The items of the panel way of a convolution. Included once for each
 * instruction set, by a file that says which; the bits are the same in all.
 */
#include "conv.h"
#include "panel.h"

#include "float32.h"
#include "conv_panel_typed.h"
#include "float64.h"
#include "conv_panel_typed.h"

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const kc_reference_conv_t *conv = opaque;
    for (size_t item = start; item < start + count; item++) {
        size_t place = item % conv->place_blocks * KC_REFERENCE_PANEL_PLACES;
        size_t rest = item / conv->place_blocks;
        size_t channel =
            rest % conv->channel_blocks * KC_REFERENCE_PANEL_CHANNELS;
        size_t group = rest / conv->channel_blocks; /* over the batch, too */
        if (conv->is_f64) {
            convolve_panels_f64(conv, group, channel, place);
        } else {
            convolve_panels_f32(conv, group, channel, place);
        }
    }
    return KC_OK;
}
