/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the larger and the smaller of two numbers as max, min and clamp
 * mean them. NaN wins; of two zeros the larger is +0, the smaller -0.
 */

static inline REAL TYPED(larger)(REAL a, REAL b)
{
    REAL sum = a + b; /* NaN for NaN; of zeros -0 only if both are */
    if (a > b) {
        return a;
    }
    if (a < b) {
        return b;
    }
    return a == b && a != 0 ? a : sum;
}

static inline REAL TYPED(smaller)(REAL a, REAL b)
{
    return -TYPED(larger)(-a, -b);
}
