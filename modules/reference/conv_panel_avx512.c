/* SPDX-License-Identifier: Apache-2.0
 *
 * The panel way of a convolution with the vectors of AVX-512. Only functions of
 * this file may use them: headers are read before the target is set.
 */
#include <string.h>

#include "conv.h"

#if defined(__x86_64__)
#define KC_REFERENCE_VECTOR_SIZE 64
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))),               \
                             apply_to = function)
#else
#pragma GCC target("avx512f")
#endif
#endif

#include "conv_panel_tile.h"

kc_status_t kc_reference_conv_tile_avx512(void *opaque, size_t start,
                                          size_t count)
{
    return tile(opaque, start, count);
}

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
