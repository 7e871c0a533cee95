/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: vectors of float32 of one instruction set. The including file
 * defines VECTOR_SIZE (bytes), VECTORS_MAX and ROWS_MAX (a tile of products in
 * registers), FUSED, and where the set has them LARGER and TIMES_POWER.
 */
#define LANES (VECTOR_SIZE / sizeof(float))

typedef float vec_t __attribute__((vector_size(VECTOR_SIZE)));
typedef int32_t ivec_t __attribute__((vector_size(VECTOR_SIZE)));
typedef uint32_t uvec_t __attribute__((vector_size(VECTOR_SIZE)));
/* Eight bits a lane: 0 or -1. */
typedef int8_t bvec_t __attribute__((vector_size(VECTOR_SIZE / 4)));
/* In memory that is aligned to its elements only. */
typedef float vec_any_t
    __attribute__((vector_size(VECTOR_SIZE), aligned(4), may_alias));
typedef int8_t bvec_any_t
    __attribute__((vector_size(VECTOR_SIZE / 4), aligned(1), may_alias));

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Four elements of two vectors of four, by their places in both. */
#if defined(__clang__)
#define SHUFFLED(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
typedef int32_t places_t __attribute__((vector_size(16)));
#define SHUFFLED(a, b, i, j, k, l)                                             \
    __builtin_shuffle(a, b, (places_t){i, j, k, l})
#endif

ALWAYS_INLINE vec_t load(const float *from)
{
    return (vec_t)(*(const vec_any_t *)from);
}

ALWAYS_INLINE void store(float *to, vec_t value)
{
    *(vec_any_t *)to = (vec_any_t)value;
}

ALWAYS_INLINE vec_t all(float x)
{
#if VECTOR_SIZE == 64
    return (vec_t){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
#elif VECTOR_SIZE == 32
    return (vec_t){x, x, x, x, x, x, x, x};
#else
    return (vec_t){x, x, x, x};
#endif
}

/* The larger; b where either is NaN. */
#ifdef LARGER
ALWAYS_INLINE vec_t larger(vec_t a, vec_t b)
{
    return LARGER(a, b);
}
#else
ALWAYS_INLINE vec_t larger(vec_t a, vec_t b)
{
    const ivec_t is_a = a > b;
    return (vec_t)(((ivec_t)a & is_a) | ((ivec_t)b & ~is_a));
}
#endif

/* Lanes of 0 or -1 from bytes of 0 or -1. */
ALWAYS_INLINE ivec_t lanes_of(const int8_t *bytes)
{
    const bvec_t narrow = (bvec_t)(*(const bvec_any_t *)bytes);
    return __builtin_convertvector(narrow, ivec_t);
}

/* x where the lane is -1, +0 where it is 0: whatever x is. */
ALWAYS_INLINE vec_t where(ivec_t lanes, vec_t x)
{
    return (vec_t)((ivec_t)x & lanes);
}

ALWAYS_INLINE vec_t choose(ivec_t lanes, vec_t x, vec_t otherwise)
{
    return (vec_t)(((ivec_t)x & lanes) | ((ivec_t)otherwise & ~lanes));
}

/* x 2^n. `shifted` is n plus SHIFT, whose lowest bits are the integer n. Two
 * steps reach the subnormal numbers with one rounding. */
#define SHIFT 0x1.8p23f
ALWAYS_INLINE vec_t times_power(vec_t x, vec_t n, vec_t shifted)
{
#ifdef TIMES_POWER
    (void)shifted;
    return TIMES_POWER(x, n, shifted);
#else
    const ivec_t whole = (ivec_t)shifted - (ivec_t)all(SHIFT);
    const ivec_t half = whole >> 1;
    const uvec_t one = (uvec_t)all(1.0f);
    (void)n;
    return x * (vec_t)(((uvec_t)half << 23) + one) *
           (vec_t)(((uvec_t)(whole - half) << 23) + one);
#endif
}

/*
 * e^x for x <= 0, within one unit in the last place; +0 below the smallest
 * number, exactly 1 at 0, NaN for NaN. e^x = 2^n e^r with |r| <= ln(2)/2; the
 * constants are an interpolation of (e^r - 1 - r) / r^2 at the Chebyshev
 * points of that interval, off by 2^-26 of e^r.
 */
ALWAYS_INLINE vec_t exponential(vec_t x)
{
    const vec_t bounded = larger(all(-110.0f), x);
    const vec_t shifted = FUSED(bounded, all(0x1.715476p0f), all(SHIFT));
    const vec_t n = shifted - all(SHIFT);
    /* The first part of ln(2) has nine bits: its product is exact. */
    const vec_t high = FUSED(n, all(-0x1.63p-1f), bounded);
    const vec_t r = FUSED(n, all(0x1.bd0106p-13f), high);
    vec_t p = all(0x1.6d119ap-10f);
    p = FUSED(p, r, all(0x1.120c00p-7f));
    p = FUSED(p, r, all(0x1.555518p-5f));
    p = FUSED(p, r, all(0x1.5554dcp-3f));
    p = FUSED(p, r, all(0.5f));
    p = FUSED(p, r * r, r);
    return times_power(p + all(1.0f), n, shifted);
}
