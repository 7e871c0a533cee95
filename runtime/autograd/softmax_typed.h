/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the rule of hard_masked_softmax on one row of n elements. A
 * blocked entry is skipped: its cotangent and value cannot matter.
 */

/* y (g - sum of g y), over allowed entries in ascending order. */
static inline void TYPED(masked_row)(const void *in_y, const void *in_g,
                                     const uint8_t *allowed, void *out,
                                     size_t first, size_t n)
{
    const REAL *y = (const REAL *)in_y + first;
    const REAL *g = (const REAL *)in_g + first;
    REAL *to = (REAL *)out + first;
    REAL sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (allowed[i] != 0) {
            sum += g[i] * y[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        to[i] = allowed[i] != 0 ? y[i] * (g[i] - sum) : 0;
    }
}
