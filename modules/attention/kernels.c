/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which instruction set the streaming kernels use: by the processor
 * alone, so that a machine always gives the same bits.
 */
#include "kernels.h"

/* Bytes; a test sets it to reach the narrower ones. */
#ifndef KC_ATTENTION_VECTOR_LIMIT
#define KC_ATTENTION_VECTOR_LIMIT 64
#endif

#if defined(__x86_64__)
#define MACHINE_HAS(feature) __builtin_cpu_supports(feature)
#else
#define MACHINE_HAS(feature) 0
#endif

const kc_attention_kernels_t *kc_attention_kernels(void)
{
    if (KC_ATTENTION_VECTOR_LIMIT >= 64 && MACHINE_HAS("avx512f") &&
        MACHINE_HAS("avx512vl") && MACHINE_HAS("avx512bw") &&
        MACHINE_HAS("avx512dq")) {
        return &kc_attention_kernels_avx512;
    }
    if (KC_ATTENTION_VECTOR_LIMIT >= 32 && MACHINE_HAS("avx2") &&
        MACHINE_HAS("fma")) {
        return &kc_attention_kernels_avx2;
    }
    return &kc_attention_kernels_portable;
}
