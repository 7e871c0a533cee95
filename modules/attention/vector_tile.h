/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: rows as columns, and what is blocked in a tile. Lanes are query
 * rows everywhere, so that no step crosses lanes; those past the last row are
 * zero, and what they compute is dropped.
 */

/* Queries first .. first+count-1 of a head, in vectors of `padded` lanes, and
 * keys key .. key+key_count-1. */
typedef struct tile {
    const kc_attention_problem_t *problem;
    size_t head;
    size_t first;
    size_t count;
    size_t padded;
    size_t key;
    size_t key_count;
} tile_t;

/* Scratch is handed out in pieces that stay aligned. Without memory the
 * pieces are NULL and only `used` is of interest. */
typedef struct scratch {
    float *memory;
    size_t used; /* floats */
} scratch_t;

ALWAYS_INLINE float *carve(scratch_t *scratch, size_t floats)
{
    float *piece =
        scratch->memory == NULL ? NULL : scratch->memory + scratch->used;
    scratch->used += (floats + 15) / 16 * 16;
    return piece;
}

typedef enum { TILE_OPEN, TILE_MIXED, TILE_BLOCKED } tile_kind_t;

ALWAYS_INLINE size_t padded_lanes(size_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

/* Four floats, on every instruction set. */
typedef float four_t __attribute__((vector_size(16)));
typedef float four_any_t
    __attribute__((vector_size(16), aligned(4), may_alias));

/* to[c][i] = from[i][c] for i, c below 4. */
ALWAYS_INLINE void turn_four(const float *from, size_t from_row, float *to,
                             size_t to_row)
{
    const four_t a = (four_t)(*(const four_any_t *)from);
    const four_t b = (four_t)(*(const four_any_t *)(from + from_row));
    const four_t c = (four_t)(*(const four_any_t *)(from + 2 * from_row));
    const four_t d = (four_t)(*(const four_any_t *)(from + 3 * from_row));
    const four_t ac_low = SHUFFLED(a, c, 0, 4, 1, 5);
    const four_t ac_high = SHUFFLED(a, c, 2, 6, 3, 7);
    const four_t bd_low = SHUFFLED(b, d, 0, 4, 1, 5);
    const four_t bd_high = SHUFFLED(b, d, 2, 6, 3, 7);
    *(four_any_t *)to = (four_any_t)SHUFFLED(ac_low, bd_low, 0, 4, 1, 5);
    *(four_any_t *)(to + to_row) =
        (four_any_t)SHUFFLED(ac_low, bd_low, 2, 6, 3, 7);
    *(four_any_t *)(to + 2 * to_row) =
        (four_any_t)SHUFFLED(ac_high, bd_high, 0, 4, 1, 5);
    *(four_any_t *)(to + 3 * to_row) =
        (four_any_t)SHUFFLED(ac_high, bd_high, 2, 6, 3, 7);
}

/* to[c][i] = from[i][c] for i below `height` and c below `width`. Rows are
 * read one after the other: they may have to come from memory, and blocks of
 * few keys spend a tenth of their time here when it is done by elements. */
static void transpose(const float *from, size_t from_row, size_t height,
                      size_t width, float *to, size_t to_row)
{
    const size_t whole_height = height / 4 * 4;
    const size_t whole_width = width / 4 * 4;
    for (size_t i = 0; i < whole_height; i += 4) {
        for (size_t c = 0; c < whole_width; c += 4) {
            turn_four(from + i * from_row + c, from_row, to + c * to_row + i,
                      to_row);
        }
    }
    for (size_t c = 0; c < width; c++) {
        for (size_t i = c < whole_width ? whole_height : 0; i < height; i++) {
            to[c * to_row + i] = from[i * from_row + c];
        }
    }
}

/* columns[c][i] = rows[i][c] */
static void rows_to_columns(const float *rows, size_t count, size_t width,
                            size_t padded, float *columns)
{
    transpose(rows, width, count, width, columns, padded);
    for (size_t c = 0; c < width && count < padded; c++) {
        memset(columns + c * padded + count, 0,
               (padded - count) * sizeof *columns);
    }
}

/* rows[i][c] = columns[c][i] */
static void columns_to_rows(const float *columns, size_t count, size_t width,
                            size_t padded, float *rows)
{
    transpose(columns, padded, width, count, rows, width);
}

/* Bytes -1 where query i may attend to key j, in allowed[j][i]. Returns how
 * many there are. */
static size_t mark_row(const tile_t *tile, size_t i, int8_t *allowed)
{
    const kc_attention_problem_t *problem = tile->problem;
    const size_t row = tile->first + i;
    const uint8_t *mask = kc_attention_mask_row(problem, tile->head, row);
    const size_t visible = kc_attention_visible(problem, row);
    const size_t step = problem->mask_key_stride;
    size_t open = 0;
    for (size_t j = 0; j < tile->key_count && tile->key + j < visible; j++) {
        const int may = mask == NULL || mask[(tile->key + j) * step] != 0;
        allowed[j * tile->padded + i] = (int8_t)-may;
        open += (size_t)may;
    }
    return open;
}

/* Fills `allowed` if the tile is mixed; lanes past the last query are 0. */
static tile_kind_t mark_tile(const tile_t *tile, int8_t *allowed)
{
    const size_t least_visible =
        kc_attention_visible(tile->problem, tile->first);
    size_t open = 0;
    if (tile->problem->mask == NULL &&
        tile->key + tile->key_count <= least_visible) {
        return TILE_OPEN;
    }
    memset(allowed, 0, tile->key_count * tile->padded);
    for (size_t i = 0; i < tile->count; i++) {
        open += mark_row(tile, i, allowed);
    }
    if (open == 0) {
        return TILE_BLOCKED;
    }
    return open == tile->key_count * tile->count ? TILE_OPEN : TILE_MIXED;
}

static int is_finite_row(const float *row, size_t width)
{
    float sum = 0;
    for (size_t c = 0; c < width; c++) {
        sum += row[c] - row[c]; /* NaN for NaN and for infinities */
    }
    return sum == 0;
}

/* The rows, or where one is not finite a copy with such rows zero. Only for
 * mixed tiles: there 0 times what a blocked row holds must stay 0. Sums that
 * may have such a row get it from add_not_finite. */
static const float *finite_rows(const float *rows, size_t count, size_t width,
                                float *copy, int *out_is_copy)
{
    *out_is_copy = 0;
    for (size_t j = 0; j < count; j++) {
        if (!is_finite_row(rows + j * width, width)) {
            *out_is_copy = 1;
        }
    }
    if (!*out_is_copy) {
        return rows;
    }
    memcpy(copy, rows, count * width * sizeof *rows);
    for (size_t j = 0; j < count; j++) {
        if (!is_finite_row(rows + j * width, width)) {
            memset(copy + j * width, 0, width * sizeof *rows);
        }
    }
    return copy;
}
