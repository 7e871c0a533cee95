/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the cotangents of attention for some query rows, and for some
 * keys, of one head. What is blocked is left out of every sum, so that
 * nothing it holds can matter. Each sum is one loop in the written order;
 * sums stand side by side, COLUMNS keys or LANE elements of a row at a time.
 */

/* Rows as columns; those past the last are zero and their sums unread. */
static inline void TYPED(pack)(const REAL *rows, size_t count, size_t width,
                               REAL *restrict panel)
{
    if (count < COLUMNS) {
        memset(panel, 0, width * COLUMNS * sizeof *panel);
    }
    for (size_t j = 0; j < count; j++) {
        for (size_t c = 0; c < width; c++) {
            panel[c * COLUMNS + j] = rows[j * width + c];
        }
    }
}

/* out[i][j] = fold0(c; rows[i][c] * panel[c][j]) */
static inline void TYPED(products)(const context_t *context, const REAL *rows,
                                   size_t count, size_t width,
                                   const REAL *panel, REAL *out)
{
    memset(out, 0, count * COLUMNS * sizeof *out);
    context->loops->TYPED(add)(count, width, rows, width, panel, out);
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

/* Products of `count` rows of `left` with the first `visible` ones of
 * `right`; rows of `out` hold all keys. */
static void TYPED(row_products)(const context_t *context, const REAL *left,
                                size_t count, const REAL *right, size_t visible,
                                size_t width, REAL *panel, REAL *out)
{
    REAL block[ROWS * COLUMNS];
    for (size_t j = 0; j < visible; j += COLUMNS) {
        TYPED(pack)
        (right + j * width, kci_smaller(visible - j, COLUMNS), width, panel);
        TYPED(products)(context, left, count, width, panel, block);
        for (size_t i = 0; i < count; i++) {
            memcpy(out + i * context->padded_keys + j, block + i * COLUMNS,
                   COLUMNS * sizeof *out);
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
    REAL *scores = panel + COLUMNS * larger(width, value_width);
    REAL *slopes = scores + ROWS * stride;
    TYPED(row_products)
    (context, head.q + row * width, count, head.k, visible, width, panel,
     scores);
    if (context->needs_slopes) {
        TYPED(row_products)
        (context, head.g + row * value_width, count, head.v, visible,
         value_width, panel, slopes);
    }
    for (size_t i = 0; i < count; i++) {
        const keys_t keys =
            keys_of(context, head_index, row + i, 0, context->keys);
        TYPED(finish_row)
        (context, &head, &keys, head.first_query + row + i, scores + i * stride,
         slopes + i * stride);
    }
}

/* Adds what query row `row` gives to the keys from `first` on. */
static void TYPED(add_query)(const context_t *context,
                             const TYPED(head_t) * head, const keys_t *keys,
                             size_t row, size_t first, const REAL *scores,
                             const REAL *slopes)
{
    const REAL scale = (REAL)context->scale;
    const size_t width = context->width;
    const size_t value_width = context->value_width;
    const REAL *q = head->q + row * width;
    const REAL *g = head->g + row * value_width;
    const TYPED(statistics_t) *statistics =
        (const TYPED(statistics_t) *)context->statistics + head->first_query +
        row;
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

static void TYPED(clear_keys)(const context_t *context, size_t place,
                              size_t count)
{
    if (context->dk != NULL) {
        memset((REAL *)context->dk + place * context->width, 0,
               count * context->width * sizeof(REAL));
    }
    if (context->dv != NULL) {
        memset((REAL *)context->dv + place * context->value_width, 0,
               count * context->value_width * sizeof(REAL));
    }
}

/* dK and dV of keys first .. first+count-1, over query rows in order.
 * `scratch` holds their rows of K, then those of V, as columns. */
static void TYPED(keys)(const context_t *context, size_t head_index,
                        size_t first, size_t count, void *scratch)
{
    const TYPED(head_t) head = TYPED(head_of)(context, head_index);
    const size_t width = context->width;
    const size_t value_width = context->value_width;
    REAL *k_panel = scratch;
    REAL *v_panel = k_panel + COLUMNS * width;
    REAL scores[ROWS * COLUMNS];
    REAL slopes[ROWS * COLUMNS] = {0};
    TYPED(clear_keys)(context, head.first_key + first, count);
    TYPED(pack)(head.k + first * width, count, width, k_panel);
    TYPED(pack)(head.v + first * value_width, count, value_width, v_panel);
    for (size_t row = context->is_causal ? first : 0; row < context->queries;
         row += ROWS) {
        const size_t some = kci_smaller(context->queries - row, ROWS);
        TYPED(products)
        (context, head.q + row * width, some, width, k_panel, scores);
        if (context->dk != NULL) {
            TYPED(products)
            (context, head.g + row * value_width, some, value_width, v_panel,
             slopes);
        }
        for (size_t i = 0; i < some; i++) {
            const keys_t keys =
                keys_of(context, head_index, row + i, first, first + count);
            TYPED(add_query)
            (context, &head, &keys, row + i, first, scores + i * COLUMNS,
             slopes + i * COLUMNS);
        }
    }
}
