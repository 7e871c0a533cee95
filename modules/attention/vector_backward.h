/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the cotangents of one head. For each block of queries all its
 * scores and slopes are kept, so that nothing is computed twice; dK and dV
 * take what a block adds in order of blocks. Weights are a = e^(s - m) / l,
 * slopes dA = V g, and dS = a (dA - sum of a dA).
 */

typedef struct backward {
    float *q;       /* [width][padded] */
    float *g;       /* [value_width][padded] */
    float *dq;      /* [width][padded] */
    float *scores;  /* [keys][padded] */
    float *slopes;  /* [keys][padded] */
    float *q_rows;  /* [block_queries][width], whole vectors may be read */
    float *g_rows;  /* [block_queries][value_width], likewise */
    float *k_rows;  /* [block_keys][width], where keys may be blocked */
    float *largest; /* [padded], as are the next three */
    float *sum;
    float *mean;
    float *one;
    int8_t *allowed; /* [keys][padded] */
    int8_t *seen;    /* [padded] */
    uint8_t *kinds;  /* of the tiles */
} backward_t;

static backward_t carve_backward(const kc_attention_problem_t *problem,
                                 scratch_t *scratch)
{
    const size_t padded = padded_lanes(problem->block_queries);
    const size_t keys = problem->keys;
    const int may_block = kc_attention_may_block(problem);
    const size_t tile_keys = kc_attention_smaller(problem->block_keys, keys);
    backward_t b;
    b.q = carve(scratch, problem->width * padded);
    b.g = carve(scratch, problem->value_width * padded);
    b.dq = carve(scratch, problem->width * padded);
    b.scores = carve(scratch, keys * padded);
    b.slopes = carve(scratch, keys * padded);
    b.q_rows = carve(scratch, problem->block_queries * problem->width + LANES);
    b.g_rows =
        carve(scratch, problem->block_queries * problem->value_width + LANES);
    b.k_rows = carve(scratch, may_block ? tile_keys * problem->width : 0);
    b.largest = carve(scratch, padded);
    b.sum = carve(scratch, padded);
    b.mean = carve(scratch, padded);
    b.one = carve(scratch, padded);
    b.allowed = (int8_t *)carve(scratch, may_block ? keys * padded / 4 : 0);
    b.seen = (int8_t *)carve(scratch, padded / 4);
    b.kinds = (uint8_t *)carve(
        scratch, kc_attention_blocks(keys, problem->block_keys) / 4 + 1);
    return b;
}

static size_t backward_scratch(const kc_attention_problem_t *problem)
{
    scratch_t scratch = {NULL, 0};
    carve_backward(problem, &scratch);
    return scratch.used;
}

/* Sums over keys or rows of a tile, of the operands that are rows of a and
 * columns of lanes. */
static product_t of_columns(const tile_t *tile, const float *a, size_t width,
                            const float *b, float *c)
{
    return (product_t){.rows = tile->key_count,
                       .columns = tile->padded,
                       .depth = width,
                       .a = a,
                       .a_row = width,
                       .b = b,
                       .b_depth = tile->padded,
                       .c = c,
                       .c_row = tile->padded};
}

/* Scores of a tile, and the largest of each query. */
static void score_tile(const tile_t *tile, const backward_t *b, size_t index)
{
    const kc_attention_problem_t *problem = tile->problem;
    const size_t key = tile->head * problem->keys + tile->key;
    float *scores = b->scores + tile->key * tile->padded;
    int8_t *allowed =
        b->allowed == NULL ? NULL : b->allowed + tile->key * tile->padded;
    const tile_kind_t kind = mark_tile(tile, allowed);
    b->kinds[index] = (uint8_t)kind;
    if (kind == TILE_BLOCKED) {
        return;
    }
    const product_t p = of_columns(tile, problem->k + key * problem->width,
                                   problem->width, b->q, scores);
    product_scaled(&p, problem->scale);
    if (kind == TILE_MIXED) {
        block_scores(tile, allowed, scores);
    }
    mark_seen(tile, kind == TILE_MIXED ? allowed : NULL, b->seen);
    raise_largest(tile, scores, b->largest);
}

/* Scores become weights before their division. */
static void weigh_scores(const tile_t *tile, const backward_t *b)
{
    exponentials(tile, b->largest, b->scores + tile->key * tile->padded,
                 b->sum);
}

/* A weight divided by the sum. A blocked one is 0 before, and would be NaN if
 * an allowed score of its query made the sum NaN. */
ALWAYS_INLINE vec_t divided(const backward_t *b, tile_kind_t kind, size_t place,
                            vec_t inverse)
{
    const vec_t weight = load(b->scores + place) * inverse;
    return kind == TILE_MIXED ? where(lanes_of(b->allowed + place), weight)
                              : weight;
}

/* Weights are divided; slopes, and the mean of them by weights. */
static void slope_tile(const tile_t *tile, const backward_t *b,
                       tile_kind_t kind)
{
    const kc_attention_problem_t *problem = tile->problem;
    const size_t key = tile->head * problem->keys + tile->key;
    const size_t padded = tile->padded;
    const size_t start = tile->key * padded;
    const product_t p =
        of_columns(tile, problem->v + key * problem->value_width,
                   problem->value_width, b->g, b->slopes + start);
    product_scaled(&p, 1.0f);
    for (size_t i = 0; i < padded; i += LANES) {
        const vec_t inverse = load(b->sum + i);
        vec_t total = (vec_t){0};
        for (size_t j = 0; j < tile->key_count; j++) {
            const size_t place = start + j * padded + i;
            vec_t slope = load(b->slopes + place);
            const vec_t weight = divided(b, kind, place, inverse);
            if (kind == TILE_MIXED) {
                slope = where(lanes_of(b->allowed + place), slope);
                store(b->slopes + place, slope);
            }
            store(b->scores + place, weight);
            total = FUSED(weight, slope, total);
        }
        store(b->mean + i, load(b->mean + i) + total);
    }
}

/* Weights are divided by their sums, where no slopes are wanted. */
static void divide_weights(const tile_t *tile, const backward_t *b,
                           tile_kind_t kind)
{
    const size_t start = tile->key * tile->padded;
    for (size_t i = 0; i < tile->padded; i += LANES) {
        const vec_t inverse = load(b->sum + i);
        for (size_t j = 0; j < tile->key_count; j++) {
            const size_t place = start + j * tile->padded + i;
            store(b->scores + place, divided(b, kind, place, inverse));
        }
    }
}

/* Slopes become scale times dS. */
static void score_slopes(const tile_t *tile, const backward_t *b,
                         tile_kind_t kind)
{
    const vec_t scale = all(tile->problem->scale);
    const size_t start = tile->key * tile->padded;
    for (size_t i = 0; i < tile->padded; i += LANES) {
        const vec_t mean = load(b->mean + i);
        for (size_t j = 0; j < tile->key_count; j++) {
            const size_t place = start + j * tile->padded + i;
            vec_t slope = load(b->scores + place) *
                          (load(b->slopes + place) - mean) * scale;
            if (kind == TILE_MIXED) {
                slope = where(lanes_of(b->allowed + place), slope);
            }
            store(b->slopes + place, slope);
        }
    }
}

/* to[j] += sum over queries of factors[j][i] rows[i]. In a mixed tile rows
 * that are not finite are left out and added where they are allowed. */
static void add_queries(const tile_t *tile, const backward_t *b,
                        tile_kind_t kind, const float *factors,
                        const float *rows, size_t width, float *copy, float *to)
{
    const size_t padded = tile->padded;
    int is_copy = 0;
    const float *used = rows;
    if (kind == TILE_MIXED) {
        used = finite_rows(rows, tile->count, width, copy, &is_copy);
    }
    if (used == rows && width % LANES != 0) {
        memcpy(copy, rows, tile->count * width * sizeof *rows);
        used = copy; /* the last vector may be read beyond the operand */
    }
    const product_t p = {.rows = tile->key_count,
                         .columns = width,
                         .depth = tile->count,
                         .a = factors,
                         .a_row = padded,
                         .b = used,
                         .b_depth = width,
                         .c = to,
                         .c_row = width};
    product_added(&p);
    for (size_t i = 0; is_copy && i < tile->count; i++) {
        const int8_t *allowed = b->allowed + tile->key * padded + i;
        for (size_t j = 0; j < tile->key_count; j++) {
            const int is_left_out = allowed[j * padded] != 0 &&
                                    !is_finite_row(rows + i * width, width);
            for (size_t c = 0; is_left_out && c < width; c++) {
                to[j * width + c] +=
                    factors[j * padded + i] * rows[i * width + c];
            }
        }
    }
}

/* dQ += sum over keys of dS[j] K[j], likewise. */
static void add_keys(const tile_t *tile, const backward_t *b, tile_kind_t kind)
{
    const size_t width = tile->problem->width;
    const size_t padded = tile->padded;
    const size_t key = tile->head * tile->problem->keys + tile->key;
    const float *rows = tile->problem->k + key * width;
    const float *slopes = b->slopes + tile->key * padded;
    const float *used = rows;
    int is_copy = 0;
    if (kind == TILE_MIXED) {
        used = finite_rows(rows, tile->key_count, width, b->k_rows, &is_copy);
    }
    const product_t p = {.rows = width,
                         .columns = padded,
                         .depth = tile->key_count,
                         .a = used,
                         .a_depth = width,
                         .b = slopes,
                         .b_depth = padded,
                         .c = b->dq,
                         .c_row = padded};
    product_corrected(&p, b->one);
    for (size_t j = 0; is_copy && j < tile->key_count; j++) {
        const int8_t *allowed = b->allowed + (tile->key + j) * padded;
        const int is_left_out = !is_finite_row(rows + j * width, width);
        for (size_t i = 0; is_left_out && i < tile->count; i++) {
            for (size_t c = 0; allowed[i] != 0 && c < width; c++) {
                b->dq[c * padded + i] +=
                    slopes[j * padded + i] * rows[j * width + c];
            }
        }
    }
}

/* Everything that a tile adds to. */
static void spread_tile(const tile_t *tile, const backward_t *b,
                        tile_kind_t kind)
{
    const kc_attention_problem_t *problem = tile->problem;
    const size_t key = tile->head * problem->keys + tile->key;
    const size_t row = tile->head * problem->queries + tile->first;
    const size_t start = tile->key * tile->padded;
    if (problem->dv != NULL) {
        add_queries(tile, b, kind, b->scores + start,
                    problem->g + row * problem->value_width,
                    problem->value_width, b->g_rows,
                    problem->dv + key * problem->value_width);
    }
    if (problem->dq == NULL && problem->dk == NULL) {
        return;
    }
    score_slopes(tile, b, kind);
    if (problem->dk != NULL) {
        add_queries(tile, b, kind, b->slopes + start,
                    problem->q + row * problem->width, problem->width,
                    b->q_rows, problem->dk + key * problem->width);
    }
    if (problem->dq != NULL) {
        add_keys(tile, b, kind);
    }
}

/* The steps of a block, each over all tiles: the next needs all of the one
 * before. */
typedef enum { STEP_SCORES, STEP_WEIGHTS, STEP_SLOPES, STEP_SPREAD } step_t;

static void run_step(step_t step, tile_t *tile, const backward_t *b,
                     size_t keys)
{
    const kc_attention_problem_t *problem = tile->problem;
    const int needs_slopes = problem->dq != NULL || problem->dk != NULL;
    size_t index = 0;
    for (tile->key = 0; tile->key < keys; tile->key += problem->block_keys) {
        tile->key_count =
            kc_attention_smaller(problem->block_keys, keys - tile->key);
        if (step == STEP_SCORES) {
            score_tile(tile, b, index);
        }
        const tile_kind_t kind = (tile_kind_t)b->kinds[index++];
        if (kind == TILE_BLOCKED) {
            continue;
        }
        if (step == STEP_WEIGHTS) {
            weigh_scores(tile, b);
        } else if (step == STEP_SLOPES) {
            if (needs_slopes) {
                slope_tile(tile, b, kind);
            } else {
                divide_weights(tile, b, kind);
            }
        } else if (step == STEP_SPREAD) {
            spread_tile(tile, b, kind);
        }
    }
}

static void backward_block(const kc_attention_problem_t *problem,
                           const backward_t *b, size_t head, size_t first)
{
    const size_t count =
        kc_attention_smaller(problem->block_queries, problem->queries - first);
    const size_t padded = padded_lanes(count);
    const size_t row = head * problem->queries + first;
    const size_t keys = kc_attention_visible(problem, first + count - 1);
    tile_t tile = {problem, head, first, count, padded, 0, 0};
    rows_to_columns(problem->q + row * problem->width, count, problem->width,
                    padded, b->q);
    rows_to_columns(problem->g + row * problem->value_width, count,
                    problem->value_width, padded, b->g);
    memset(b->dq, 0, problem->width * padded * sizeof *b->dq);
    memset(b->seen, 0, padded);
    for (size_t i = 0; i < padded; i++) {
        b->largest[i] = NOTHING_SEEN;
        b->sum[i] = 0;
        b->mean[i] = 0;
        b->one[i] = 1;
    }
    run_step(STEP_SCORES, &tile, b, keys);
    run_step(STEP_WEIGHTS, &tile, b, keys);
    invert_sums(padded, b->seen, b->sum);
    run_step(STEP_SLOPES, &tile, b, keys);
    run_step(STEP_SPREAD, &tile, b, keys);
    if (problem->dq != NULL) {
        columns_to_rows(b->dq, count, problem->width, padded,
                        problem->dq + row * problem->width);
    }
}

static void clear(float *rows, size_t head, size_t count, size_t width)
{
    if (rows != NULL) {
        memset(rows + head * count * width, 0, count * width * sizeof *rows);
    }
}

static void backward_head(const kc_attention_problem_t *problem, size_t head,
                          float *memory)
{
    scratch_t scratch = {memory, 0};
    const backward_t b = carve_backward(problem, &scratch);
    clear(problem->dk, head, problem->keys, problem->width);
    clear(problem->dv, head, problem->keys, problem->value_width);
    for (size_t first = 0; first < problem->queries;
         first += problem->block_queries) {
        backward_block(problem, &b, head, first);
    }
}
