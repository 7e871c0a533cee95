/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: values of a random stream. A uniform value is rounded once to the
 * element type, where the largest words give exactly 1.
 */

static void TYPED(uniform_loop)(uint64_t key, double keep, void *out,
                                size_t start, size_t count)
{
    REAL *y = out;
    for (size_t i = start; i < start + count; i++) {
        y[i] = (REAL)uniform(key, i);
    }
    (void)keep;
}

/* 1 where the probability is above the value; always from 1 on, though the
 * value may be 1, and never for NaN. */
static void TYPED(bernoulli_loop)(uint64_t key, double keep, void *out,
                                  size_t start, size_t count)
{
    const REAL p = (REAL)keep;
    REAL *y = out;
    for (size_t i = start; i < start + count; i++) {
        const int is_kept = (p >= 1) | (p > (REAL)uniform(key, i));
        y[i] = is_kept ? 1 : 0;
    }
}
