/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: y = ((x - mean) / s) * gamma + beta with s = sqrt(variance + eps),
 * for up to GROUPS groups at a time. Two passes, centred once:
 * mean = fold0(x) / n, variance = fold0((x - mean)^2) / n. y may be x.
 */

/* Adds one run to the sums of `width` groups: x itself, or its squared
 * distance from the mean. Inlined with `apart` or `stride` constant, so that
 * one loop vectorises. */
static inline void TYPED(add_run)(const REAL *x, size_t apart, size_t stride,
                                  size_t n, const REAL *mean, REAL *sums,
                                  size_t width)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t j = 0; j < width; j++) {
            REAL term = x[j * apart + k * stride];
            if (mean != NULL) {
                term -= mean[j];
                term *= term;
            }
            sums[j] += term;
        }
    }
}

static inline void TYPED(add_runs)(const context_t *context, size_t group,
                                   const REAL *mean, REAL *sums, size_t width)
{
    const size_t apart = context->apart;
    const size_t stride = context->stride;
    const size_t n = context->n;
    for (size_t i = 0; i < context->segments; i++) {
        const REAL *x = (const REAL *)context->x + group * apart +
                        i * context->segment_stride;
        if (width == GROUPS && apart == 1) {
            TYPED(add_run)(x, 1, stride, n, mean, sums, GROUPS);
        } else if (width == GROUPS && stride == 1) {
            TYPED(add_run)(x, apart, 1, n, mean, sums, GROUPS);
        } else {
            TYPED(add_run)(x, apart, stride, n, mean, sums, width);
        }
    }
}

static void TYPED(compute_statistics)(const context_t *context, size_t group,
                                      size_t width, REAL *mean, REAL *variance)
{
    const REAL count = (REAL)(context->segments * context->n);
    TYPED(add_runs)(context, group, NULL, mean, width);
    for (size_t j = 0; j < width; j++) {
        mean[j] /= count;
    }
    TYPED(add_runs)(context, group, mean, variance, width);
    for (size_t j = 0; j < width; j++) {
        variance[j] /= count;
    }
}

/* A stored variance below 0 counts as 0. */
static void TYPED(load_statistics)(const context_t *context, size_t group,
                                   size_t width, REAL *mean, REAL *variance)
{
    for (size_t j = 0; j < width; j++) {
        const size_t channel = (group + j) % context->channels;
        const REAL stored = ((const REAL *)context->variance)[channel];
        mean[j] = ((const REAL *)context->mean)[channel];
        variance[j] = stored < 0 ? 0 : stored;
    }
}

/* One run of one group, gamma and beta by element or ones and zeros. */
static inline void TYPED(write_elements)(const context_t *context,
                                         const REAL *x, REAL *y, REAL mean,
                                         REAL s)
{
    const REAL *gamma = context->gamma;
    const REAL *beta = context->beta;
    if (gamma == NULL) {
        KC_REFERENCE_ELEMENTWISE
        for (size_t k = 0; k < context->n; k++) {
            y[k] = (x[k] - mean) / s + 0; /* -0 becomes +0 */
        }
        return;
    }
    KC_REFERENCE_ELEMENTWISE
    for (size_t k = 0; k < context->n; k++) {
        y[k] = (x[k] - mean) / s * gamma[k] + beta[k];
    }
}

/* One run of one group of one channel. */
static inline void TYPED(write_channel)(const context_t *context, const REAL *x,
                                        REAL *y, REAL mean, REAL s,
                                        size_t channel)
{
    const REAL gamma = ((const REAL *)context->gamma)[channel];
    const REAL beta = ((const REAL *)context->beta)[channel];
    KC_REFERENCE_ELEMENTWISE
    for (size_t k = 0; k < context->n; k++) {
        y[k] = (x[k] - mean) / s * gamma + beta;
    }
}

/* Neighbouring groups, of which each run has one element a stride. */
static inline void TYPED(write_across)(const context_t *context, const REAL *x,
                                       REAL *y, const REAL *mean, const REAL *s,
                                       size_t group, size_t width)
{
    REAL gamma[GROUPS];
    REAL beta[GROUPS];
    for (size_t j = 0; j < width; j++) {
        const size_t channel = (group + j) % context->channels;
        gamma[j] = ((const REAL *)context->gamma)[channel];
        beta[j] = ((const REAL *)context->beta)[channel];
    }
    for (size_t k = 0; k < context->n; k++) {
        const size_t first = k * context->stride;
        KC_REFERENCE_ELEMENTWISE
        for (size_t j = 0; j < width; j++) {
            y[first + j] = (x[first + j] - mean[j]) / s[j] * gamma[j] + beta[j];
        }
    }
}

static void TYPED(write_groups)(const context_t *context, size_t group,
                                size_t width, const REAL *mean, const REAL *s)
{
    const size_t apart = context->apart;
    for (size_t i = 0; i < context->segments; i++) {
        const size_t first = group * apart + i * context->segment_stride;
        const REAL *x = (const REAL *)context->x + first;
        REAL *y = (REAL *)context->y + first;
        if (context->channels != 0 && apart == 1) {
            TYPED(write_across)(context, x, y, mean, s, group, width);
            continue;
        }
        for (size_t j = 0; j < width; j++) {
            const REAL *from = x + j * apart;
            REAL *to = y + j * apart;
            if (context->channels == 0) {
                TYPED(write_elements)(context, from, to, mean[j], s[j]);
            } else {
                TYPED(write_channel)
                (context, from, to, mean[j], s[j],
                 (group + j) % context->channels);
            }
        }
    }
}

static void TYPED(normalise)(const context_t *context, size_t group,
                             size_t width)
{
    REAL mean[GROUPS] = {0};
    REAL s[GROUPS] = {0};
    if (context->mean == NULL) {
        TYPED(compute_statistics)(context, group, width, mean, s);
    } else {
        TYPED(load_statistics)(context, group, width, mean, s);
    }
    for (size_t j = 0; j < width; j++) {
        s[j] = (REAL)sqrt((double)(s[j] + (REAL)context->eps)); /* exact */
    }
    TYPED(write_groups)(context, group, width, mean, s);
}
