/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: whether an array holds neither infinities nor NaN.
 */

/* Without a branch, so that the loop vectorises. */
static int TYPED(all_finite)(const void *values, size_t count)
{
    const REAL *w = values;
    int has_other = 0;
    for (size_t i = 0; i < count; i++) {
        has_other |= w[i] - w[i] != 0; /* inf - inf is NaN */
    }
    return !has_other;
}
