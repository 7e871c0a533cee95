/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the larger and the smaller of two numbers as max, min and clamp
 * mean them. NaN wins; of two zeros the larger is +0, the smaller -0.
 */

/* Without branches, so that a loop of it vectorises. */
static inline REAL TYPED(larger)(REAL a, REAL b)
{
    const REAL sum = a + b; /* of zeros: -0 only if both are */
    const int both_zero = (a == 0) & (b == 0);
    REAL result = a > b ? a : b; /* b if it is NaN */
    result = a != a ? a : result;
    return both_zero ? sum : result;
}

static inline REAL TYPED(smaller)(REAL a, REAL b)
{
    return -TYPED(larger)(-a, -b);
}
