/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions as products: the weights of a block of channels times panels
 * whose columns are places and whose rows are the cells of the window there.
 */
#include "conv.h"
#include "vectors.h"

#include "float32.h"
#include "finite_typed.h"
#include "float64.h"
#include "finite_typed.h"

int kc_reference_all_finite(const void *values, size_t count, int is_f64)
{
    return is_f64 ? all_finite_f64(values, count)
                  : all_finite_f32(values, count);
}

kc_status_t kc_reference_conv_by_panels(const kc_call_t *call,
                                        kc_reference_conv_t *conv)
{
    const size_t channels =
        kc_reference_smaller(conv->outputs, KC_REFERENCE_PANEL_CHANNELS);
    const size_t places =
        kc_reference_smaller(conv->out_count, KC_REFERENCE_PANEL_PLACES);
    const size_t row_bytes =
        places * (conv->is_f64 ? sizeof(double) : sizeof(float));
    conv->channel_blocks =
        kc_reference_blocks(conv->outputs, KC_REFERENCE_PANEL_CHANNELS);
    conv->place_blocks =
        kc_reference_blocks(conv->out_count, KC_REFERENCE_PANEL_PLACES);
    return kc_reference_for(
        call, kc_reference_vectors(row_bytes)->conv_tile, conv,
        conv->batch * conv->groups * conv->channel_blocks * conv->place_blocks,
        channels * places * (conv->inputs * conv->taps + 1));
}
