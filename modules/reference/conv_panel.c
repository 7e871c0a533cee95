/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions as products: the weights of a block of channels times panels
 * whose columns are places and whose rows are the cells of the window there.
 * Decides how wide the vectors are, which never shows in a result.
 */
#include "conv_panel_tile.h"

#include "float32.h"
#include "finite_typed.h"
#include "float64.h"
#include "finite_typed.h"

/* Bytes; a test sets it to reach the narrower ones. */
#ifndef KC_REFERENCE_VECTOR_LIMIT
#define KC_REFERENCE_VECTOR_LIMIT 64
#endif

#if defined(__x86_64__)
#define MACHINE_HAS(feature) __builtin_cpu_supports(feature)
#else
#define MACHINE_HAS(feature) 0
#endif

static kc_tile_fn widest_tile(void)
{
    if (KC_REFERENCE_VECTOR_LIMIT >= 64 && MACHINE_HAS("avx512f")) {
        return kc_reference_conv_tile_avx512;
    }
    if (KC_REFERENCE_VECTOR_LIMIT >= 32 && MACHINE_HAS("avx2")) {
        return kc_reference_conv_tile_avx2;
    }
    return tile;
}

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
    conv->channel_blocks =
        kc_reference_blocks(conv->outputs, KC_REFERENCE_PANEL_CHANNELS);
    conv->place_blocks =
        kc_reference_blocks(conv->out_count, KC_REFERENCE_PANEL_PLACES);
    return kc_reference_for(
        call, widest_tile(), conv,
        conv->batch * conv->groups * conv->channel_blocks * conv->place_blocks,
        channels * places * (conv->inputs * conv->taps + 1));
}
