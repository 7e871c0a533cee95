/* SPDX-License-Identifier: Apache-2.0
 *
 * Template: the running softmax of a block of queries. Each lane keeps the
 * largest score so far and the sum of e^(score - largest); a tile that raises
 * the largest multiplies what was summed before by e^(old - new).
 */

#define NOTHING_SEEN (-__builtin_inff())

/* What is subtracted: a lane that has seen no score above -inf subtracts 0,
 * so that e^-inf is 0 and not NaN. */
ALWAYS_INLINE vec_t subtracted(vec_t largest)
{
    return where(~(largest == all(NOTHING_SEEN)), largest);
}

/* Scores of a mixed tile: blocked ones become -inf, whatever they are. */
static void block_scores(const tile_t *tile, const int8_t *allowed,
                         float *scores)
{
    for (size_t idx = 0; idx < tile->key_count * tile->padded; idx += LANES) {
        store(scores + idx, choose(lanes_of(allowed + idx), load(scores + idx),
                                   all(NOTHING_SEEN)));
    }
}

/* seen[i] becomes -1 where a tile has an allowed key; NULL: all have. */
static void mark_seen(const tile_t *tile, const int8_t *allowed, int8_t *seen)
{
    if (allowed == NULL) {
        memset(seen, -1, tile->padded);
        return;
    }
    for (size_t j = 0; j < tile->key_count; j++) {
        for (size_t i = 0; i < tile->padded; i++) {
            seen[i] |= allowed[j * tile->padded + i];
        }
    }
}

/* largest[i] = max(largest[i], scores[j][i]); NaN is passed over here, it
 * comes back as an exponential. */
static void raise_largest(const tile_t *tile, const float *scores,
                          float *largest)
{
    for (size_t i = 0; i < tile->padded; i += LANES) {
        vec_t most = load(largest + i);
        for (size_t j = 0; j < tile->key_count; j++) {
            most = larger(load(scores + j * tile->padded + i), most);
        }
        store(largest + i, most);
    }
}

/* Scores become e^(score - largest); sum[i] += them, in order of keys. */
static void exponentials(const tile_t *tile, const float *largest,
                         float *scores, float *sum)
{
    for (size_t i = 0; i < tile->padded; i += LANES) {
        const vec_t shift = subtracted(load(largest + i));
        vec_t total = (vec_t){0};
        for (size_t j = 0; j < tile->key_count; j++) {
            float *score = scores + j * tile->padded + i;
            const vec_t e = exponential(load(score) - shift);
            store(score, e);
            total += e;
        }
        store(sum + i, load(sum + i) + total);
    }
}

/* One over the sum where a lane has seen an allowed key, else +0. */
static void invert_sums(size_t padded, const int8_t *seen, float *sum)
{
    for (size_t i = 0; i < padded; i += LANES) {
        store(sum + i, where(lanes_of(seen + i), all(1.0f) / load(sum + i)));
    }
}
