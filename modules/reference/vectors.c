/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides how wide the vectors of products and convolutions are, call by call.
 */
#include "vectors.h"

/* Bytes; a test sets it to reach the narrower ones. */
#ifndef KC_REFERENCE_VECTOR_LIMIT
#define KC_REFERENCE_VECTOR_LIMIT 64
#endif

#if defined(__x86_64__)
#define MACHINE_HAS(feature) __builtin_cpu_supports(feature)
#else
#define MACHINE_HAS(feature) 0
#endif

/* A panel is two vectors wide. */
const kc_reference_vectors_t *kc_reference_vectors(size_t row_bytes)
{
    if (KC_REFERENCE_VECTOR_LIMIT >= 64 && row_bytes > 64 &&
        MACHINE_HAS("avx512f")) {
        return &kc_reference_vectors_avx512;
    }
    if (KC_REFERENCE_VECTOR_LIMIT >= 32 && row_bytes > 32 &&
        MACHINE_HAS("avx2")) {
        return &kc_reference_vectors_avx2;
    }
    return &kc_reference_vectors_portable;
}
