/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the forward of a block of queries, key tile by key tile. Only one
 * tile of scores exists at a time.
 */

typedef struct forward {
    float *q;       /* [width][padded] */
    float *scores;  /* [block_keys][padded] */
    float *output;  /* [value_width][padded] */
    float *again;   /* likewise, from weights that were divided before */
    float *values;  /* [block_keys][value_width], where keys may be blocked */
    float *largest; /* [padded], as are the next two */
    float *sum;
    float *correction;
    int8_t *allowed; /* [block_keys][padded] */
    int8_t *seen;    /* [padded] */
} forward_t;

static forward_t carve_forward(const kc_attention_problem_t *problem,
                               scratch_t *scratch)
{
    const size_t padded = padded_lanes(problem->block_queries);
    const size_t keys =
        kc_attention_smaller(problem->block_keys, problem->keys);
    const size_t maybe = kc_attention_may_block(problem) ? keys : 0;
    forward_t f;
    f.q = carve(scratch, problem->width * padded);
    f.scores = carve(scratch, keys * padded);
    f.output = carve(scratch, problem->value_width * padded);
    f.again = carve(scratch, problem->value_width * padded);
    f.values = carve(scratch, maybe * problem->value_width);
    f.largest = carve(scratch, padded);
    f.sum = carve(scratch, padded);
    f.correction = carve(scratch, padded);
    f.allowed = (int8_t *)carve(scratch, maybe * padded / 4);
    f.seen = (int8_t *)carve(scratch, padded / 4);
    return f;
}

static size_t forward_scratch(const kc_attention_problem_t *problem)
{
    scratch_t scratch = {NULL, 0};
    carve_forward(problem, &scratch);
    return scratch.used;
}

/* The softmax of the tile's scores; what the output so far has to be
 * multiplied by is left in `correction`. */
static void weigh_tile(const tile_t *tile, const forward_t *f,
                       const int8_t *allowed)
{
    const size_t padded = tile->padded;
    if (allowed != NULL) {
        block_scores(tile, allowed, f->scores);
    }
    mark_seen(tile, allowed, f->seen);
    memcpy(f->correction, f->largest, padded * sizeof *f->largest);
    raise_largest(tile, f->scores, f->largest);
    for (size_t i = 0; i < padded; i += LANES) {
        const vec_t shift = subtracted(load(f->largest + i));
        const vec_t factor = exponential(load(f->correction + i) - shift);
        store(f->correction + i, factor);
        store(f->sum + i, load(f->sum + i) * factor);
    }
    exponentials(tile, f->largest, f->scores, f->sum);
}

/* The weights of a tile, divided: the sums are inverted by now. */
static void divide_tile(const tile_t *tile, const forward_t *f,
                        const int8_t *allowed)
{
    const size_t padded = tile->padded;
    if (allowed != NULL) {
        block_scores(tile, allowed, f->scores);
    }
    for (size_t i = 0; i < padded; i += LANES) {
        const vec_t shift = subtracted(load(f->largest + i));
        for (size_t j = 0; j < tile->key_count; j++) {
            float *score = f->scores + j * padded + i;
            store(score, exponential(load(score) - shift) * load(f->sum + i));
        }
        store(f->correction + i, all(1.0f));
    }
}

/* Values that are not finite: to each allowed query its weight times them. */
static void add_values(const tile_t *tile, const forward_t *f,
                       const float *values)
{
    const size_t width = tile->problem->value_width;
    for (size_t j = 0; j < tile->key_count; j++) {
        const float *row = values + j * width;
        if (is_finite_row(row, width)) {
            continue;
        }
        for (size_t i = 0; i < tile->count; i++) {
            const size_t place = j * tile->padded + i;
            for (size_t c = 0; f->allowed[place] != 0 && c < width; c++) {
                f->output[c * tile->padded + i] += f->scores[place] * row[c];
            }
        }
    }
}

/* `is_second`: weights are divided before they are used. */
static void forward_tile(const tile_t *tile, const forward_t *f, int is_second)
{
    const kc_attention_problem_t *problem = tile->problem;
    const size_t key = tile->head * problem->keys + tile->key;
    const size_t padded = tile->padded;
    const float *values = problem->v + key * problem->value_width;
    const float *finite = values;
    int is_copy = 0;
    tile_kind_t kind = mark_tile(tile, f->allowed);
    if (kind == TILE_BLOCKED) {
        return;
    }
    const product_t scores = {.rows = tile->key_count,
                              .columns = padded,
                              .depth = problem->width,
                              .a = problem->k + key * problem->width,
                              .a_row = problem->width,
                              .b = f->q,
                              .b_depth = padded,
                              .c = f->scores,
                              .c_row = padded};
    product_scaled(&scores, problem->scale);
    if (is_second) {
        divide_tile(tile, f, kind == TILE_MIXED ? f->allowed : NULL);
    } else {
        weigh_tile(tile, f, kind == TILE_MIXED ? f->allowed : NULL);
    }
    if (kind == TILE_MIXED) {
        finite = finite_rows(values, tile->key_count, problem->value_width,
                             f->values, &is_copy);
    }
    const product_t output = {.rows = problem->value_width,
                              .columns = padded,
                              .depth = tile->key_count,
                              .a = finite,
                              .a_depth = problem->value_width,
                              .b = f->scores,
                              .b_depth = padded,
                              .c = f->output,
                              .c_row = padded};
    product_corrected(&output, f->correction);
    if (is_copy) {
        add_values(tile, f, values);
    }
}

/* Divides by the sums. Adding +0 makes +0 of -0, whose sign could come from
 * a blocked value. A row that has seen nothing is 0 times 0. */
static void finish_output(const forward_t *f, size_t width, size_t padded)
{
    for (size_t c = 0; c < width; c++) {
        for (size_t i = 0; i < padded; i += LANES) {
            float *place = f->output + c * padded + i;
            store(place, load(place) * load(f->sum + i) + all(0.0f));
        }
    }
}

static void forward_tiles(tile_t *tile, const forward_t *f, size_t keys,
                          int is_second)
{
    const size_t block = tile->problem->block_keys;
    memset(f->output, 0,
           tile->problem->value_width * tile->padded * sizeof *f->output);
    for (tile->key = 0; tile->key < keys; tile->key += block) {
        tile->key_count = kc_attention_smaller(block, keys - tile->key);
        forward_tile(tile, f, is_second);
    }
}

/* Sums of weights that are not divided yet may leave the range of float32
 * where their quotients do not: what is not finite is computed once more the
 * other way. Each element goes by itself, so that none depends on what is
 * blocked for it. */
static void replace_not_finite(tile_t *tile, forward_t f, size_t keys)
{
    const size_t count = tile->problem->value_width * tile->padded;
    float *output = f.output;
    if (is_finite_row(output, count)) {
        return;
    }
    f.output = f.again;
    forward_tiles(tile, &f, keys, 1);
    for (size_t at = 0; at < count; at++) {
        if (output[at] - output[at] != 0) {
            output[at] = f.again[at] + 0.0f;
        }
    }
}

static void forward_block(const kc_attention_problem_t *problem, size_t head,
                          size_t first, size_t count, float *memory)
{
    scratch_t scratch = {memory, 0};
    const forward_t f = carve_forward(problem, &scratch);
    const size_t padded = padded_lanes(count);
    const size_t row = head * problem->queries + first;
    const size_t keys = kc_attention_visible(problem, first + count - 1);
    tile_t tile = {problem, head, first, count, padded, 0, 0};
    rows_to_columns(problem->q + row * problem->width, count, problem->width,
                    padded, f.q);
    memset(f.seen, 0, padded);
    for (size_t i = 0; i < padded; i++) {
        f.largest[i] = NOTHING_SEEN;
        f.sum[i] = 0;
    }
    forward_tiles(&tile, &f, keys, 0);
    invert_sums(padded, f.seen, f.sum);
    finish_output(&f, problem->value_width, padded);
    replace_not_finite(&tile, f, keys);
    columns_to_rows(f.output, count, problem->value_width, padded,
                    problem->y + row * problem->value_width);
}
