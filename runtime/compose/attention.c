/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention from products and a softmax (ops.md 7.11): scores scaled after
 * the product, blocked ones left out of the softmax. A causal order is a
 * mask here; joined with another one by picking from it, because no operation
 * of the catalogue takes two bools.
 */
#include "compose/compositions.h"

#include "base/alloc.h"

#define MASK_OPERAND 3

static bool is_stopped(const kci_composition_t *composition)
{
    return composition->status != KC_OK;
}

static int64_t from_end(const kci_shape_t *shape, int32_t axis)
{
    return axis < shape->rank ? shape->dims[shape->rank - 1 - axis] : 1;
}

/* [..., queries, keys] */
static kci_shape_t scores_shape(const kci_composition_t *composition,
                                kci_term_t q, kci_term_t k)
{
    kci_shape_t shape = kci_term_type(composition, q)->shape;
    shape.dims[shape.rank - 1] =
        from_end(&kci_term_type(composition, k)->shape, 1);
    return shape;
}

/* One entry a query and key, in memory of the caller. The scores exist, so
 * that the product does not overflow. */
static void *allocate_pairs(kci_composition_t *composition,
                            const kci_shape_t *scores, size_t entry_size)
{
    void *memory = NULL;
    size_t count = (size_t)from_end(scores, 1) * (size_t)from_end(scores, 0);
    composition->status =
        kci_alloc_array(count, entry_size, &memory, &composition->error);
    return memory;
}

/* true where key j <= query i, [queries, keys] */
static kci_term_t causal_mask(kci_composition_t *composition,
                              const kci_shape_t *scores)
{
    int64_t queries = from_end(scores, 1);
    int64_t keys = from_end(scores, 0);
    kci_tensor_type_t type = {.dtype = KC_DTYPE_BOOL,
                              .shape = {.rank = 2, .dims = {queries, keys}}};
    unsigned char *allowed = allocate_pairs(composition, scores, 1);
    if (allowed == NULL) {
        return KCI_NO_TERM;
    }
    for (int64_t i = 0; i < queries; i++) {
        for (int64_t j = 0; j < keys; j++) {
            allowed[i * keys + j] = j <= i;
        }
    }
    kci_term_t term = kci_compose_literal(composition, &type, allowed);
    kci_free(allowed);
    return term;
}

/* For each query and key: where to find it among the pairs, or the place
 * after the last one for a key that comes later. */
static kci_term_t causal_places(kci_composition_t *composition,
                                const kci_shape_t *scores)
{
    int64_t queries = from_end(scores, 1);
    int64_t keys = from_end(scores, 0);
    int64_t *places = allocate_pairs(composition, scores, sizeof *places);
    if (places == NULL) {
        return KCI_NO_TERM;
    }
    for (int64_t i = 0; i < queries; i++) {
        for (int64_t j = 0; j < keys; j++) {
            places[i * keys + j] = j <= i ? i * keys + j : queries * keys;
        }
    }
    kci_term_t term = kci_compose_indices(composition, places, queries * keys);
    kci_free(places);
    return term;
}

/* The mask with its last two axes as the scores have them; leading ones stay
 * as they are given. */
static kci_shape_t pairs_shape(const kci_shape_t *mask,
                               const kci_shape_t *scores)
{
    kci_shape_t shape = *mask;
    shape.rank = mask->rank < 2 ? 2 : mask->rank;
    shape.dims[shape.rank - 2] = from_end(scores, 1);
    shape.dims[shape.rank - 1] = from_end(scores, 0);
    return shape;
}

static kci_term_t join_causal(kci_composition_t *composition, kci_term_t mask,
                              const kci_shape_t *scores)
{
    static const unsigned char blocked = 0;
    const kci_tensor_type_t scalar = {.dtype = KC_DTYPE_BOOL};
    kci_shape_t pairs =
        pairs_shape(&kci_term_type(composition, mask)->shape, scores);
    kci_shape_t flat = pairs;
    flat.rank = pairs.rank - 1;
    flat.dims[flat.rank - 1] = from_end(scores, 1) * from_end(scores, 0);
    kci_shape_t one = flat;
    one.dims[one.rank - 1] = 1;
    kci_term_t row = kci_compose_reshape(
        composition, kci_compose_broadcast(composition, mask, &pairs), &flat);
    kci_term_t end = kci_compose_literal(composition, &scalar, &blocked);
    const kci_term_t parts[] = {row,
                                kci_compose_broadcast(composition, end, &one)};
    kci_term_t longer =
        kci_compose_concat(composition, parts, 2, flat.rank - 1);
    kci_term_t picked = kci_compose_gather(
        composition, longer, causal_places(composition, scores), flat.rank - 1);
    return kci_compose_reshape(composition, picked, &pairs);
}

/* Of the shape of the scores; KCI_NO_TERM when nothing is blocked. With one
 * key no order blocks anything. */
static kci_term_t whole_mask(kci_composition_t *composition,
                             const kc_attributes_t *attributes, kci_term_t mask,
                             const kci_shape_t *scores)
{
    bool is_causal =
        attributes->u.attention.causal != 0 && from_end(scores, 0) > 1;
    if (mask == KCI_NO_TERM && !is_causal) {
        return KCI_NO_TERM;
    }
    if (mask == KCI_NO_TERM) {
        mask = causal_mask(composition, scores);
    } else if (is_causal) {
        mask = join_causal(composition, mask, scores);
    }
    return kci_compose_broadcast(composition, mask, scores);
}

kci_term_t kci_compose_attention_weights(kci_composition_t *composition,
                                         const kc_attributes_t *attributes,
                                         kci_term_t q, kci_term_t k,
                                         kci_term_t mask)
{
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    kci_shape_t shape = scores_shape(composition, q, k);
    kci_term_t product = kci_compose_binary(
        composition, KC_OP_MATMUL, q, kci_compose_transpose(composition, k));
    kci_term_t scores =
        kci_compose_scale(composition, product, attributes->u.attention.scale);
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    kci_term_t allowed = whole_mask(composition, attributes, mask, &shape);
    return allowed == KCI_NO_TERM
               ? kci_compose_axis(composition, KC_OP_SOFTMAX, scores,
                                  shape.rank - 1)
               : kci_compose_masked_softmax(composition, scores, allowed);
}

kci_term_t kci_compose_attention(kci_composition_t *composition,
                                 const kc_attributes_t *attributes,
                                 const kci_term_t *operands, size_t count)
{
    kci_term_t mask =
        count > MASK_OPERAND ? operands[MASK_OPERAND] : KCI_NO_TERM;
    kci_term_t weights = kci_compose_attention_weights(
        composition, attributes, operands[0], operands[1], mask);
    return kci_compose_binary(composition, KC_OP_MATMUL, weights, operands[2]);
}
