/* SPDX-License-Identifier: Apache-2.0
 *
 * conv as products: the weights of a block of channels times panels whose
 * columns are places and whose rows are the cells of the window there.
 */
#include "conv.h"
#include "panel.h"

#include "float32.h"
#include "conv_panel_typed.h"
#include "float64.h"
#include "conv_panel_typed.h"

kc_status_t kc_reference_conv_panels(void *opaque, size_t start, size_t count)
{
    const kc_reference_conv_t *conv = opaque;
    for (size_t item = start; item < start + count; item++) {
        size_t place = item % conv->place_blocks * KC_REFERENCE_CONV_PLACES;
        size_t rest = item / conv->place_blocks;
        size_t channel =
            rest % conv->channel_blocks * KC_REFERENCE_CONV_CHANNELS;
        size_t group = rest / conv->channel_blocks; /* over the batch, too */
        if (conv->is_f64) {
            convolve_panels_f64(conv, group, channel, place);
        } else {
            convolve_panels_f32(conv, group, channel, place);
        }
    }
    return KC_OK;
}
