/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: sums of n terms for up to KC_REFERENCE_SUMS outputs at a time.
 * Each sum starts at +0 and takes its terms in index order; width comes from
 * different outputs only, which lie `apart`, while terms lie `stride` apart.
 */

/* Inlined with `apart` or `stride` constant, so that one loop vectorises. */
static inline void TYPED(add_terms)(const REAL *x, size_t apart, size_t stride,
                                    size_t n, REAL *sums, size_t width)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t j = 0; j < width; j++) {
            sums[j] += x[j * apart + k * stride];
        }
    }
}

static void TYPED(reduce_block)(const void *in, void *out, size_t apart,
                                size_t stride, size_t n, size_t width,
                                int is_mean)
{
    REAL sums[KC_REFERENCE_SUMS] = {0};
    REAL *y = out;
    if (width == KC_REFERENCE_SUMS && apart == 1) {
        TYPED(add_terms)(in, 1, stride, n, sums, KC_REFERENCE_SUMS);
    } else if (width == KC_REFERENCE_SUMS && stride == 1) {
        TYPED(add_terms)(in, apart, 1, n, sums, KC_REFERENCE_SUMS);
    } else {
        TYPED(add_terms)(in, apart, stride, n, sums, width);
    }
    for (size_t j = 0; j < width; j++) {
        y[j] = is_mean ? sums[j] / (REAL)n : sums[j];
    }
}
