/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: softmax and log_softmax of one slice of n elements that lie
 * `stride` apart. `allowed` (NULL: all) has one byte an element, `step` apart.
 * A blocked element is skipped, never shifted: its value cannot matter.
 */

static inline int TYPED(may)(const uint8_t *allowed, size_t step, size_t i)
{
    return allowed == NULL || allowed[i * step] != 0;
}

/* The first largest allowed element; NaN only if the first one is NaN. A row
 * without any gives 0, which nobody reads. */
static inline REAL TYPED(row_max)(const REAL *x, size_t stride, size_t n,
                                  const uint8_t *allowed, size_t step)
{
    size_t i = 0;
    REAL largest = 0;
    while (i < n && !TYPED(may)(allowed, step, i)) {
        i++;
    }
    if (i < n) {
        largest = x[i * stride];
    }
    for (; i < n; i++) {
        if (TYPED(may)(allowed, step, i) && x[i * stride] > largest) {
            largest = x[i * stride];
        }
    }
    return largest;
}

static inline REAL TYPED(rounded_exp)(REAL x)
{
    return (REAL)exp((double)x);
}

/* y = exp(x - max) / sum; blocked elements exactly +0. y may be x. */
static inline void TYPED(softmax_slice)(const void *in, void *out,
                                        size_t stride, size_t n,
                                        const uint8_t *allowed, size_t step)
{
    const REAL *x = in;
    REAL *y = out;
    const REAL largest = TYPED(row_max)(x, stride, n, allowed, step);
    REAL sum = 0;
    for (size_t i = 0; i < n; i++) {
        REAL e = 0;
        if (TYPED(may)(allowed, step, i)) {
            e = TYPED(rounded_exp)(x[i * stride] - largest);
        }
        y[i * stride] = e;
        sum += e;
    }
    for (size_t i = 0; i < n; i++) {
        if (TYPED(may)(allowed, step, i)) {
            y[i * stride] /= sum;
        }
    }
}

/* y = (x - max) - log(sum). y may be x. There is no mask. */
static inline void TYPED(log_softmax_slice)(const void *in, void *out,
                                            size_t stride, size_t n,
                                            const uint8_t *allowed, size_t step)
{
    const REAL *x = in;
    REAL *y = out;
    const REAL largest = TYPED(row_max)(x, stride, n, allowed, step);
    REAL sum = 0;
    REAL log_sum;
    for (size_t i = 0; i < n; i++) {
        sum += TYPED(rounded_exp)(x[i * stride] - largest);
    }
    log_sum = (REAL)log((double)sum);
    for (size_t i = 0; i < n; i++) {
        y[i * stride] = (x[i * stride] - largest) - log_sum;
    }
}
