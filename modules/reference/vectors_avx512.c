/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops with the vectors of AVX-512. Only functions of this file may use
 * them: headers are read before the target is set.
 */
#include <string.h>

#include "conv.h"
#include "vectors.h"

#if defined(__x86_64__)
#define KC_REFERENCE_VECTOR_SIZE 64
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))),               \
                             apply_to = function)
#else
#pragma GCC target("avx512f")
#endif
#endif

#include "vectors_table.h"

const kc_reference_vectors_t kc_reference_vectors_avx512 = VECTORS_TABLE;

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
