/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operands of attention. */
#include "unit/autograd/attention_operands.h"

#include <check.h>

#define MASK 3

const attention_geometry_t attention_geometries[ATTENTION_GEOMETRIES] = {
    {0, {0}, 3, 4, 5, 2, 0, -1, {0}},
    {0, {0}, 2, 4, 5, 2, 1, -1, {0}},
    {0, {0}, 4, 2, 3, 1, 1, -1, {0}},
    {1, {3}, 2, 4, 2, 3, 1, -1, {0}},
    {2, {2, 3}, 3, 3, 4, 4, 0, 2, {3, 3}},
    {2, {2, 3}, 3, 4, 4, 4, 1, 2, {3, 4}},
    {2, {2, 3}, 3, 4, 2, 3, 0, 4, {2, 3, 3, 4}},
    {2, {2, 3}, 3, 4, 2, 3, 1, 4, {2, 1, 3, 4}},
    {2, {2, 3}, 3, 4, 2, 3, 0, 4, {2, 3, 1, 4}},
    {2, {2, 3}, 3, 4, 2, 3, 1, 3, {3, 3, 1}},
    {2, {2, 3}, 4, 2, 2, 3, 1, 3, {1, 1, 2}},
    {1, {2}, 3, 4, 2, 3, 1, 1, {4}},
    {1, {2}, 3, 4, 2, 3, 1, 1, {1}},
    {1, {2}, 3, 4, 2, 3, 1, 0, {0}},
    {1, {2}, 3, 1, 2, 3, 1, 3, {2, 3, 1}},
    {1, {2}, 3, 1, 1, 1, 1, -1, {0}},
    {1, {2}, 1, 4, 0, 3, 1, 2, {1, 4}},
    {1, {2}, 3, 4, 2, 0, 1, 2, {3, 4}},
    {1, {0}, 3, 4, 2, 2, 1, 2, {3, 4}},
    {0, {0}, 10, 35, 1, 9, 0, 2, {10, 35}},
    {1, {2}, 41, 70, 19, 23, 1, 3, {2, 41, 70}},
    {2, {2, 3}, 40, 33, 16, 8, 0, 4, {2, 1, 40, 33}},
    {0, {0}, 5, 3, 256, 256, 1, -1, {0}},
    {0, {0}, 3, 5, 256, 1, 1, 2, {3, 5}},
};

static kc_tensor_t *random_rows(rule_fixture_t *fixture,
                                const attention_geometry_t *geometry,
                                int32_t dtype, int64_t rows, int64_t width,
                                uint64_t seed)
{
    int64_t dims[ATTENTION_LEAD_MAX + 2];
    for (int32_t axis = 0; axis < geometry->lead_rank; axis++) {
        dims[axis] = geometry->lead[axis];
    }
    dims[geometry->lead_rank] = rows;
    dims[geometry->lead_rank + 1] = width;
    return rule_random(fixture, dtype, geometry->lead_rank + 2, dims, seed);
}

/* Extent of the mask, `back` axes from the right; 1 where it has none. */
static int64_t mask_extent(const attention_geometry_t *geometry, int32_t back)
{
    return back < geometry->mask_rank
               ? geometry->mask[geometry->mask_rank - 1 - back]
               : 1;
}

/* What an axis of extent 1 has is the same for all and stays open. */
static kc_tensor_t *random_mask(rule_fixture_t *fixture,
                                const attention_geometry_t *geometry,
                                uint64_t seed)
{
    kc_tensor_t *numbers = rule_random(
        fixture, KC_DTYPE_F64, geometry->mask_rank, geometry->mask, seed);
    kc_tensor_t *mask = rule_tensor(fixture, KC_DTYPE_BOOL, geometry->mask_rank,
                                    geometry->mask, NULL);
    unsigned char *bytes = kc_tensor_data(&mask->view);
    const int64_t keys = mask_extent(geometry, 0);
    const int64_t queries = mask_extent(geometry, 1);
    for (int64_t i = 0; i < kc_tensor_element_count(&mask->view); i++) {
        const int64_t query = i / keys % queries;
        bool is_closed =
            (queries > 1 && query == 0) || (keys > 1 && i % keys == keys - 1);
        bytes[i] = !is_closed && rule_element(numbers, i) > -0.3;
    }
    kci_tensor_release(numbers);
    return mask;
}

void attention_operands_make(rule_fixture_t *fixture,
                             const attention_geometry_t *geometry,
                             int32_t dtype, uint64_t seed,
                             attention_operands_t *out_operands)
{
    const attention_geometry_t *of = geometry;
    *out_operands = (attention_operands_t){
        .geometry = *geometry,
        .attributes = operand_attributes(KC_OP_SCALED_DOT_PRODUCT_ATTENTION)};
    out_operands->attributes.u.attention.causal = of->causal;
    out_operands->attributes.u.attention.scale = 0.75;
    out_operands->rule = (rule_operands_t){
        .op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
        .attributes = &out_operands->attributes,
        .inputs =
            {random_rows(fixture, of, dtype, of->queries, of->width, seed),
             random_rows(fixture, of, dtype, of->keys, of->width, seed + 1),
             random_rows(fixture, of, dtype, of->keys, of->value_width,
                         seed + 2),
             of->mask_rank < 0 ? NULL : random_mask(fixture, of, seed + 3)},
        .input_count = of->mask_rank < 0 ? 3 : 4};
}

void attention_operands_release(attention_operands_t *operands)
{
    rule_operands_release(&operands->rule);
}

kc_tensor_t *attention_cotangent(rule_fixture_t *fixture,
                                 const attention_operands_t *operands,
                                 uint64_t seed)
{
    return random_rows(fixture, &operands->geometry,
                       kc_tensor_dtype(&operands->rule.inputs[0]->view),
                       operands->geometry.queries,
                       operands->geometry.value_width, seed);
}

int64_t attention_heads(const attention_geometry_t *geometry)
{
    int64_t heads = 1;
    for (int32_t axis = 0; axis < geometry->lead_rank; axis++) {
        heads *= geometry->lead[axis];
    }
    return heads;
}

bool attention_allows(const attention_operands_t *operands, int64_t head,
                      int64_t query, int64_t key)
{
    const attention_geometry_t *geometry = &operands->geometry;
    const int32_t rank = geometry->lead_rank;
    const int64_t inner = rank > 0 ? geometry->lead[rank - 1] : 1;
    const int64_t place[] = {key, query, head % inner, head / inner};
    int64_t byte = 0;
    int64_t stride = 1;
    if (geometry->causal != 0 && key > query) {
        return false;
    }
    if (operands->rule.input_count <= MASK) {
        return true;
    }
    for (int32_t back = 0; back < geometry->mask_rank; back++) {
        const int64_t extent = mask_extent(geometry, back);
        byte += extent == 1 ? 0 : place[back] * stride;
        stride *= extent;
    }
    return rule_element(operands->rule.inputs[MASK], byte) != 0;
}

bool attention_is_dead_query(const attention_operands_t *operands, int64_t head,
                             int64_t query)
{
    bool is_dead = true;
    for (int64_t key = 0; key < operands->geometry.keys; key++) {
        is_dead = is_dead && !attention_allows(operands, head, query, key);
    }
    return is_dead;
}

bool attention_is_dead_key(const attention_operands_t *operands, int64_t head,
                           int64_t key)
{
    bool is_dead = true;
    for (int64_t query = 0; query < operands->geometry.queries; query++) {
        is_dead = is_dead && !attention_allows(operands, head, query, key);
    }
    return is_dead;
}

const bool attention_all[RULE_INPUTS_MAX] = {true, true, true};

void attention_rows_run(rule_fixture_t *fixture,
                        const attention_operands_t *operands,
                        const kc_tensor_t *cotangent, const bool *wanted,
                        kc_tensor_t **out)
{
    rule_vjp(fixture, RULE_RUNTIME, &operands->rule, NULL, cotangent, wanted,
             out);
}

void attention_release_three(kc_tensor_t **tensors)
{
    for (int i = 0; i < 3; i++) {
        kci_tensor_release(tensors[i]);
        tensors[i] = NULL;
    }
}

float *attention_floats(const kc_tensor_t *tensor)
{
    return kc_tensor_data(&tensor->view);
}
