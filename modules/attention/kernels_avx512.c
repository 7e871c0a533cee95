/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops with the vectors and fused products of AVX-512. Only functions of
 * this file may use them: headers of others are read before the target is
 * set.
 */
#include <string.h>

#include "kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(                                                  \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq"))),             \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq")
#endif
#define VECTOR_SIZE                64
#define VECTORS_MAX                3
#define ROWS_MAX                   8
#define FUSED(a, b, c)             _mm512_fmadd_ps(a, b, c)
#define LARGER(a, b)               _mm512_max_ps(a, b)
#define TIMES_POWER(x, n, shifted) _mm512_scalef_ps(x, n)
#else
#define VECTOR_SIZE    16
#define VECTORS_MAX    2
#define ROWS_MAX       6
#define FUSED(a, b, c) ((a) * (b) + (c))
#endif

#include "kernels_table.h"

const kc_attention_kernels_t kc_attention_kernels_avx512 =
    KERNELS_TABLE("avx512");

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
