/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops with the vectors and fused products of AVX2 and FMA. Only
 * functions of this file may use them: headers of others are read before the
 * target is set.
 */
#include <string.h>

#include "kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))),              \
                             apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define VECTOR_SIZE    32
#define FUSED(a, b, c) _mm256_fmadd_ps(a, b, c)
#define LARGER(a, b)   _mm256_max_ps(a, b)
#else
#define VECTOR_SIZE    16
#define FUSED(a, b, c) ((a) * (b) + (c))
#endif
#define VECTORS_MAX 2
#define ROWS_MAX    6

#include "kernels_table.h"

const kc_attention_kernels_t kc_attention_kernels_avx2 = KERNELS_TABLE("avx2");

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
