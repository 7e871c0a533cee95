/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the mean of squared differences. The mean of nothing is NaN,
 * which 0 / 0 gives by itself.
 */

static void TYPED(mse)(const REAL *a, const REAL *b, size_t n, REAL *loss)
{
    REAL sum = 0;
    for (size_t i = 0; i < n; i++) {
        const REAL d = a[i] - b[i];
        sum += d * d;
    }
    *loss = sum / (REAL)n;
}
