/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operands of attention in many shapes, and which key each query may see. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_ATTENTION_OPERANDS_H
#define KC_TESTS_UNIT_AUTOGRAD_ATTENTION_OPERANDS_H

#include "unit/autograd/rule_fixture.h"

#define ATTENTION_LEAD_MAX 2

/* q [lead..., queries, width], k and v alike; the mask right-aligned with the
 * scores, of rank -1: none. */
typedef struct attention_geometry {
    int32_t lead_rank;
    int64_t lead[ATTENTION_LEAD_MAX];
    int64_t queries;
    int64_t keys;
    int64_t width;
    int64_t value_width;
    int32_t causal;
    int32_t mask_rank;
    int64_t mask[ATTENTION_LEAD_MAX + 2];
} attention_geometry_t;

/* Every form of mask, with and without causal order, more keys than queries
 * and the other way round, one key, widths of 0 and 1, no heads. */
#define ATTENTION_GEOMETRIES 24
/* From here on: rows of 256, several blocks of rows and keys, more than a
 * tile of work. */
#define ATTENTION_WIDE 20
extern const attention_geometry_t attention_geometries[ATTENTION_GEOMETRIES];

/* Inputs 0 to 3: q, k, v, mask. The mask blocks a third, all of its first
 * row, and its last key. */
typedef struct attention_operands {
    attention_geometry_t geometry;
    kc_attributes_t attributes;
    rule_operands_t rule;
} attention_operands_t;

void attention_operands_make(rule_fixture_t *fixture,
                             const attention_geometry_t *geometry,
                             int32_t dtype, uint64_t seed,
                             attention_operands_t *out_operands);
void attention_operands_release(attention_operands_t *operands);
/* [lead..., queries, value_width] */
kc_tensor_t *attention_cotangent(rule_fixture_t *fixture,
                                 const attention_operands_t *operands,
                                 uint64_t seed);

int64_t attention_heads(const attention_geometry_t *geometry);
/* `head` counts leading places in row-major order. */
bool attention_allows(const attention_operands_t *operands, int64_t head,
                      int64_t query, int64_t key);
bool attention_is_dead_query(const attention_operands_t *operands, int64_t head,
                             int64_t query);
bool attention_is_dead_key(const attention_operands_t *operands, int64_t head,
                           int64_t key);

/* The runtime's rule, called by a fixture of any number of threads. */
extern const bool attention_all[RULE_INPUTS_MAX];
void attention_rows_run(rule_fixture_t *fixture,
                        const attention_operands_t *operands,
                        const kc_tensor_t *cotangent, const bool *wanted,
                        kc_tensor_t **out);
void attention_release_three(kc_tensor_t **tensors);
float *attention_floats(const kc_tensor_t *tensor);

#endif
