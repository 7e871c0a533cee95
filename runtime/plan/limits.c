/* SPDX-License-Identifier: Apache-2.0
 *
 * What an absent limit means: float32 for element types, anything for the
 * rest.
 */
#include "plan/limits.h"

kci_flat_limits_t kci_limits_flatten(const kc_limits_t *limits)
{
    kci_flat_limits_t flat = {
        .extent_max = INT64_MAX,
        .element_max = INT64_MAX,
        .dtypes = 1u << KC_DTYPE_F32,
        .ranks = UINT32_MAX,
        .input_count_max = UINT32_MAX,
    };
    if (limits->extent_max != 0) {
        flat.extent_max = limits->extent_max;
    }
    if (limits->index_bits > 0 && limits->index_bits < 64) {
        /* Signed indices: 32 bits count up to 2^31 - 1. */
        flat.element_max = (INT64_C(1) << (limits->index_bits - 1)) - 1;
    }
    if (limits->dtypes != 0) {
        flat.dtypes = limits->dtypes;
    }
    if (limits->ranks != 0) {
        flat.ranks = limits->ranks;
    }
    if (limits->input_count_max != 0) {
        flat.input_count_max = limits->input_count_max;
    }
    return flat;
}
