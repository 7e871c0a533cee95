/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the cotangents of attention for some query rows, and for some
 * keys, of one head. What is blocked is left out of every sum, so that
 * nothing it holds can matter. Each sum is one loop in the written order;
 * sums stand side by side, KEYS keys or LANE columns at a time.
 */

/* Rows as columns; those past the last are zero and their sums unread. */
static inline void TYPED(pack)(const REAL *rows, size_t count, size_t width,
                               REAL *restrict panel)
{
    if (count < KEYS) {
        memset(panel, 0, width * KEYS * sizeof *panel);
    }
    for (size_t j = 0; j < count; j++) {
        for (size_t c = 0; c < width; c++) {
            panel[c * KEYS + j] = rows[j * width + c];
        }
    }
}

/* out[j] = fold0(c; row[c] * panel[c][j]) */
static inline void TYPED(products)(const REAL *row, const REAL *panel,
                                   size_t width, REAL *restrict out)
{
    REAL sum[KEYS] = {0};
    for (size_t c = 0; c < width; c++) {
        const REAL factor = row[c];
        for (size_t j = 0; j < KEYS; j++) {
            sum[j] += factor * panel[c * KEYS + j];
        }
    }
    memcpy(out, sum, sizeof sum);
}

/* to[c] += factor * from[c] */
static inline void TYPED(add_row)(REAL factor, const REAL *from, size_t width,
                                  REAL *restrict to)
{
    size_t c = 0;
    for (; c + LANE <= width; c += LANE) {
        for (size_t i = 0; i < LANE; i++) {
            to[c + i] += factor * from[c + i];
        }
    }
    for (; c < width; c++) {
        to[c] += factor * from[c];
    }
}

/* exp(s - m) as the forward rounds it. */
static inline REAL TYPED(exponential)(REAL score, REAL largest)
{
    return (REAL)exp((double)(score - largest));
}

/* Of a row of weights: what was subtracted, what was divided by, and the sum
 * of dA a. Enough to make any of its weights again. */
typedef struct TYPED(statistics) {
    REAL largest;
    REAL sum;
    REAL mean;
} TYPED(statistics_t);

/* Scores become weights; the first largest allowed one is subtracted. A row
 * that is blocked wholly keeps a sum of 0, which nobody reads. */
static inline void TYPED(weigh)(const keys_t *keys, REAL *score, REAL scale,
                                TYPED(statistics_t) * out)
{
    bool is_first = true;
    REAL largest = 0;
    REAL sum = 0;
    for (size_t j = 0; j < keys->count; j++) {
        if (may_attend(keys, j)) {
            score[j] *= scale;
            largest = is_first || score[j] > largest ? score[j] : largest;
            is_first = false;
        }
    }
    for (size_t j = 0; j < keys->count; j++) {
        if (may_attend(keys, j)) {
            score[j] = TYPED(exponential)(score[j], largest);
            sum += score[j];
        }
    }
    for (size_t j = 0; j < keys->count; j++) {
        if (may_attend(keys, j)) {
            score[j] /= sum;
        }
    }
    *out = (TYPED(statistics_t)){.largest = largest, .sum = sum, .mean = 0};
}

/* sum of dA a */
static inline REAL TYPED(mean_slope)(const keys_t *keys, const REAL *weight,
                                     const REAL *slope)
{
    REAL sum = 0;
    for (size_t j = 0; j < keys->count; j++) {
        if (may_attend(keys, j)) {
            sum += slope[j] * weight[j];
        }
    }
    return sum;
}

/* The rows of one head that a block of queries or keys reads. */
typedef struct TYPED(head) {
    const REAL *q;
    const REAL *k;
    const REAL *v;
    const REAL *g;
    size_t first_query; /* of the head, over all heads */
    size_t first_key;
} TYPED(head_t);

static inline TYPED(head_t)
    TYPED(head_of)(const context_t *context, size_t head)
{
    const size_t query = head * context->queries;
    const size_t key = head * context->keys;
    return (TYPED(head_t)){
        .q = (const REAL *)context->q + query * context->width,
        .k = (const REAL *)context->k + key * context->width,
        .v = (const REAL *)context->v + key * context->value_width,
        .g = (const REAL *)context->g + query * context->value_width,
        .first_query = query,
        .first_key = key};
}

/* Products of rows row .. row+count-1 of `left` with the first `visible`
 * ones of `right`. */
static void TYPED(row_products)(const REAL *left, size_t count,
                                const REAL *right, size_t visible, size_t width,
                                REAL *panel, REAL *out, size_t stride)
{
    for (size_t j = 0; j < visible; j += KEYS) {
        TYPED(pack)
        (right + j * width, kci_smaller(visible - j, KEYS), width, panel);
        for (size_t i = 0; i < count; i++) {
            TYPED(products)
            (left + i * width, panel, width, out + i * stride + j);
        }
    }
}

/* dQ = fold0(j; dS[j] * K[j]) */
static inline void TYPED(sum_keys)(const context_t *context, const keys_t *keys,
                                   const REAL *weight, const REAL *slope,
                                   REAL mean, const REAL *k, REAL *dq)
{
    const REAL scale = (REAL)context->scale;
    const size_t width = context->width;
    memset(dq, 0, width * sizeof *dq);
    for (size_t j = 0; j < keys->count; j++) {
        if (may_attend(keys, j)) {
            const REAL of_score = weight[j] * (slope[j] - mean) * scale;
            TYPED(add_row)(of_score, k + j * width, width, dq);
        }
    }
}

/* What is left of a row when its products are there. */
static void TYPED(finish_row)(const context_t *context,
                              const TYPED(head_t) * head, const keys_t *keys,
                              size_t place, REAL *weight, const REAL *slope)
{
    TYPED(statistics_t) statistics;
    TYPED(weigh)(keys, weight, (REAL)context->scale, &statistics);
    if (context->needs_slopes) {
        statistics.mean = TYPED(mean_slope)(keys, weight, slope);
    }
    if (context->dq != NULL) {
        TYPED(sum_keys)
        (context, keys, weight, slope, statistics.mean, head->k,
         (REAL *)context->dq + place * context->width);
    }
    if (context->statistics != NULL) {
        ((TYPED(statistics_t) *)context->statistics)[place] = statistics;
    }
}

/* Query rows row .. row+count-1: their statistics, and dQ if it is wanted.
 * `scratch` holds a panel, ROWS rows of scores, ROWS rows of slopes. */
static void TYPED(rows)(const context_t *context, size_t head_index, size_t row,
                        size_t count, void *scratch)
{
    const TYPED(head_t) head = TYPED(head_of)(context, head_index);
    const size_t stride = context->padded_keys;
    const size_t width = context->width;
    const size_t value_width = context->value_width;
    const size_t visible = visible_keys(context, row + count - 1);
    REAL *panel = scratch;
    REAL *scores = panel + KEYS * larger(width, value_width);
    REAL *slopes = scores + ROWS * stride;
    TYPED(row_products)
    (head.q + row * width, count, head.k, visible, width, panel, scores,
     stride);
    if (context->needs_slopes) {
        TYPED(row_products)
        (head.g + row * value_width, count, head.v, visible, value_width, panel,
         slopes, stride);
    }
    for (size_t i = 0; i < count; i++) {
        const keys_t keys =
            keys_of(context, head_index, row + i, 0, context->keys);
        TYPED(finish_row)
        (context, &head, &keys, head.first_query + row + i, scores + i * stride,
         slopes + i * stride);
    }
}

/* Adds what query row `row` gives to the keys from `first` on; `panel` holds
 * their rows of K, then those of V, as columns. */
static void TYPED(add_query)(const context_t *context,
                             const TYPED(head_t) * head, const keys_t *keys,
                             size_t row, size_t first, const REAL *panel)
{
    const REAL scale = (REAL)context->scale;
    const size_t width = context->width;
    const size_t value_width = context->value_width;
    const REAL *q = head->q + row * width;
    const REAL *g = head->g + row * value_width;
    const TYPED(statistics_t) *statistics =
        (const TYPED(statistics_t) *)context->statistics + head->first_query +
        row;
    REAL scores[KEYS];
    REAL slopes[KEYS];
    TYPED(products)(q, panel, width, scores);
    if (context->needs_slopes) {
        TYPED(products)(g, panel + KEYS * width, value_width, slopes);
    }
    for (size_t j = 0; j < keys->count; j++) {
        const size_t place = head->first_key + first + j;
        if (!may_attend(keys, j)) {
            continue;
        }
        const REAL weight =
            TYPED(exponential)(scores[j] * scale, statistics->largest) /
            statistics->sum;
        if (context->dv != NULL) {
            TYPED(add_row)
            (weight, g, value_width, (REAL *)context->dv + place * value_width);
        }
        if (context->dk != NULL) {
            TYPED(add_row)
            (weight * (slopes[j] - statistics->mean) * scale, q, width,
             (REAL *)context->dk + place * width);
        }
    }
}

/* dK and dV of keys first .. first+count-1, over query rows in order.
 * `scratch` holds KEYS columns of K and of V. */
static void TYPED(keys)(const context_t *context, size_t head_index,
                        size_t first, size_t count, void *scratch)
{
    const TYPED(head_t) head = TYPED(head_of)(context, head_index);
    const size_t width = context->width;
    const size_t value_width = context->value_width;
    const size_t place = head.first_key + first;
    REAL *panel = scratch;
    TYPED(pack)(head.k + first * width, count, width, panel);
    if (context->needs_slopes) {
        TYPED(pack)
        (head.v + first * value_width, count, value_width,
         panel + KEYS * width);
    }
    if (context->dk != NULL) {
        memset((REAL *)context->dk + place * width, 0,
               count * width * sizeof(REAL));
    }
    if (context->dv != NULL) {
        memset((REAL *)context->dv + place * value_width, 0,
               count * value_width * sizeof(REAL));
    }
    for (size_t row = 0; row < context->queries; row++) {
        const keys_t keys =
            keys_of(context, head_index, row, first, first + count);
        if (has_any(&keys)) {
            TYPED(add_query)(context, &head, &keys, row, first, panel);
        }
    }
}
