/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Composed attention against the kernel of the reference module. Both are
 * fixed-left sums of the same terms in the same order, and a weight of zero
 * adds nothing, so the bits agree. */
#include "compose/compositions.h"

#include <math.h>

#include "ops/vjp.h"
#include "unit/compose/evaluate.h"
#include "unit/compose/suites.h"
#include "unit/expect.h"

#define ATTENTION KC_OP_SCALED_DOT_PRODUCT_ATTENTION
#define LEAD_MAX  2

/* q [lead..., queries, width], k and v alike; the mask right-aligned, of rank
 * -1: none. */
typedef struct geometry {
    int32_t lead_rank;
    int64_t lead[LEAD_MAX];
    int64_t queries;
    int64_t keys;
    int64_t width;
    int64_t value_width;
    int32_t causal;
    int32_t mask_rank;
    int64_t mask[LEAD_MAX + 2];
} geometry_t;

static const geometry_t geometries[] = {
    {0, {0}, 3, 4, 5, 2, 0, -1, {0}},
    {0, {0}, 3, 4, 5, 2, 1, -1, {0}},
    {0, {0}, 4, 2, 3, 1, 1, -1, {0}},
    {1, {3}, 2, 4, 2, 3, 1, -1, {0}},
    {2, {2, 3}, 3, 3, 4, 4, 0, 2, {3, 3}},
    {2, {2, 3}, 3, 4, 4, 4, 1, 2, {3, 4}},
    {2, {2, 3}, 3, 4, 2, 3, 1, 4, {2, 1, 3, 4}},
    {2, {2, 3}, 3, 4, 2, 3, 0, 4, {2, 3, 1, 4}},
    {2, {2, 3}, 3, 4, 2, 3, 1, 3, {3, 3, 1}},
    {2, {2, 3}, 4, 2, 2, 3, 1, 3, {1, 1, 2}},
    {1, {2}, 3, 4, 2, 3, 1, 1, {4}},
    {1, {2}, 3, 4, 2, 3, 1, 1, {1}},
    {1, {2}, 3, 4, 2, 3, 1, 0, {0}},
    {1, {2}, 3, 1, 2, 3, 1, 3, {2, 3, 1}},
    {1, {2}, 3, 1, 2, 3, 1, -1, {0}},
    {1, {2}, 1, 4, 0, 3, 1, 2, {1, 4}},
    {1, {2}, 3, 4, 2, 0, 1, 2, {3, 4}},
    {1, {0}, 3, 4, 2, 2, 1, 2, {3, 4}},
};
#define GEOMETRY_COUNT (sizeof geometries / sizeof *geometries)

typedef struct attention_case {
    rule_fixture_t fixture;
    const geometry_t *geometry;
    kc_attributes_t attributes;
    kc_tensor_t *arguments[4];
    size_t count;
    kci_composition_t composition;
    kci_term_t terms[4];
} attention_case_t;

static kc_tensor_t *random_rows(attention_case_t *at, int32_t dtype,
                                int64_t rows, int64_t width, uint64_t seed)
{
    const geometry_t *geometry = at->geometry;
    int64_t dims[LEAD_MAX + 2];
    for (int32_t axis = 0; axis < geometry->lead_rank; axis++) {
        dims[axis] = geometry->lead[axis];
    }
    dims[geometry->lead_rank] = rows;
    dims[geometry->lead_rank + 1] = width;
    return rule_random(&at->fixture, dtype, geometry->lead_rank + 2, dims,
                       seed);
}

/* Numbers in [-1, 1) of which a third is blocked; the first row wholly. */
static kc_tensor_t *random_mask(attention_case_t *at, uint64_t seed)
{
    const geometry_t *geometry = at->geometry;
    kc_tensor_t *numbers = rule_random(
        &at->fixture, KC_DTYPE_F64, geometry->mask_rank, geometry->mask, seed);
    kc_tensor_t *mask = rule_tensor(&at->fixture, KC_DTYPE_BOOL,
                                    geometry->mask_rank, geometry->mask, NULL);
    unsigned char *bytes = kc_tensor_data(&mask->view);
    int64_t row =
        geometry->mask_rank == 0 ? 1 : geometry->mask[geometry->mask_rank - 1];
    for (int64_t i = 0; i < kc_tensor_element_count(&mask->view); i++) {
        bytes[i] = rule_element(numbers, i) > -0.3 && (i >= row || row == 1);
    }
    kci_tensor_release(numbers);
    return mask;
}

static void attention_begin(attention_case_t *at, const geometry_t *geometry,
                            int32_t dtype)
{
    rule_fixture_begin(&at->fixture, 1);
    at->geometry = geometry;
    at->attributes = operand_attributes(ATTENTION);
    at->attributes.u.attention.causal = geometry->causal;
    at->attributes.u.attention.scale = 0.75;
    at->arguments[0] =
        random_rows(at, dtype, geometry->queries, geometry->width, 11);
    at->arguments[1] =
        random_rows(at, dtype, geometry->keys, geometry->width, 12);
    at->arguments[2] =
        random_rows(at, dtype, geometry->keys, geometry->value_width, 13);
    at->count = geometry->mask_rank < 0 ? 3 : 4;
    at->arguments[3] = at->count == 4 ? random_mask(at, 14) : NULL;
    at->terms[3] = KCI_NO_TERM;
    kci_composition_init(&at->composition);
    for (size_t i = 0; i < at->count; i++) {
        at->terms[i] = evaluate_argument(&at->composition, at->arguments[i]);
    }
}

static void attention_end(attention_case_t *at)
{
    kci_composition_release(&at->composition);
    for (size_t i = 0; i < at->count; i++) {
        kci_tensor_release(at->arguments[i]);
    }
    rule_fixture_end(&at->fixture);
}

static kc_tensor_t *reference(attention_case_t *at)
{
    rule_operands_t operands = {.op = ATTENTION,
                                .attributes = &at->attributes,
                                .input_count = at->count};
    for (size_t i = 0; i < at->count; i++) {
        operands.inputs[i] = at->arguments[i];
    }
    return rule_forward(&at->fixture, &operands);
}

static void check_agreement(const geometry_t *geometry, int32_t dtype)
{
    attention_case_t at;
    attention_begin(&at, geometry, dtype);
    kci_term_t term = kci_compose_attention(&at.composition, &at.attributes,
                                            at.terms, at.count);
    kc_tensor_t *found =
        evaluate_term(&at.fixture, &at.composition, at.arguments, term);
    kc_tensor_t *expected = reference(&at);
    rule_check_bits(found, expected);
    ck_assert_uint_eq(kci_composition_ops(&at.composition) &
                          ~kci_composition_inner_ops(ATTENTION),
                      0);
    kci_tensor_release(found);
    kci_tensor_release(expected);
    attention_end(&at);
}

START_TEST(it_agrees_with_the_kernel)
{
    check_agreement(&geometries[_i], KC_DTYPE_F32);
    check_agreement(&geometries[_i], KC_DTYPE_F64);
}
END_TEST

/* The byte of the mask for a place of the scores, from the right. */
static bool is_allowed(const attention_case_t *at, int64_t place)
{
    const geometry_t *geometry = at->geometry;
    int64_t extents[] = {
        geometry->keys, geometry->queries,
        geometry->lead_rank > 0 ? geometry->lead[geometry->lead_rank - 1] : 1,
        geometry->lead_rank > 1 ? geometry->lead[0] : 1};
    int64_t key = place % geometry->keys;
    int64_t query = place / geometry->keys % geometry->queries;
    int64_t byte = 0;
    int64_t stride = 1;
    for (int32_t back = 0; back < geometry->mask_rank; back++) {
        int64_t extent = geometry->mask[geometry->mask_rank - 1 - back];
        byte += extent == 1 ? 0 : place % extents[back] * stride;
        place /= extents[back];
        stride *= extent;
    }
    return (!geometry->causal || key <= query) &&
           (at->count == 3 || rule_element(at->arguments[3], byte) != 0);
}

/* A weight is +0 where blocked, and only there: no score is so small. */
START_TEST(blocked_weights_are_exact_zeros)
{
    attention_case_t at;
    attention_begin(&at, &geometries[_i], KC_DTYPE_F32);
    kci_term_t term = kci_compose_attention_weights(
        &at.composition, &at.attributes, at.terms[0], at.terms[1], at.terms[3]);
    kc_tensor_t *weights =
        evaluate_term(&at.fixture, &at.composition, at.arguments, term);
    for (int64_t i = 0; i < kc_tensor_element_count(&weights->view); i++) {
        double weight = rule_element(weights, i);
        ck_assert(signbit(weight) == 0);
        ck_assert_msg((weight != 0) == is_allowed(&at, i),
                      "geometry %d, place %lld: %g", _i, (long long)i, weight);
    }
    kci_tensor_release(weights);
    attention_end(&at);
}
END_TEST

static const uint64_t masked = KCI_OP_BIT(KC_OP_HARD_MASKED_SOFTMAX);
static const uint64_t plain = KCI_OP_BIT(KC_OP_SOFTMAX);

static uint64_t ops_of(const geometry_t *geometry)
{
    attention_case_t at;
    attention_begin(&at, geometry, KC_DTYPE_F32);
    (void)kci_compose_attention(&at.composition, &at.attributes, at.terms,
                                at.count);
    uint64_t ops = kci_composition_ops(&at.composition);
    attention_end(&at);
    return ops;
}

START_TEST(nothing_is_masked_for_nothing)
{
    const geometry_t open = {0, {0}, 3, 4, 5, 2, 0, -1, {0}};
    const geometry_t causal = {0, {0}, 3, 4, 5, 2, 1, -1, {0}};
    const geometry_t one_key = {0, {0}, 3, 1, 5, 2, 1, -1, {0}};
    const geometry_t whole = {0, {0}, 3, 4, 5, 2, 0, 2, {3, 4}};
    const geometry_t both = {0, {0}, 3, 4, 5, 2, 1, 2, {3, 4}};
    uint64_t picks = KCI_OP_BIT(KC_OP_GATHER) | KCI_OP_BIT(KC_OP_CONCAT);
    ck_assert_uint_eq(ops_of(&open) & (masked | plain | picks), plain);
    ck_assert_uint_eq(ops_of(&one_key) & (masked | plain | picks), plain);
    ck_assert_uint_eq(ops_of(&causal) & (masked | plain | picks), masked);
    ck_assert_uint_eq(ops_of(&whole) & (masked | plain | picks), masked);
    ck_assert_uint_eq(ops_of(&both) & (masked | plain | picks), masked | picks);
}
END_TEST

START_TEST(a_failure_is_kept)
{
    kci_composition_t composition;
    kc_error_t error = KC_ERROR_INIT;
    kc_attributes_t attributes = operand_attributes(ATTENTION);
    const kci_tensor_type_t type = {KC_DTYPE_F32, {2, {3, 4}}};
    const kci_tensor_type_t wide = {KC_DTYPE_F32, {2, {3, 5}}};
    attributes.u.attention.causal = 1;
    attributes.u.attention.scale = 1;
    kci_composition_init(&composition);
    const kci_term_t terms[] = {kci_compose_argument(&composition, &type),
                                kci_compose_argument(&composition, &wide),
                                kci_compose_argument(&composition, &type)};
    ck_assert_uint_eq(
        kci_compose_attention(&composition, &attributes, terms, 3),
        KCI_NO_TERM);
    ck_assert_uint_eq(
        kci_compose_attention(&composition, &attributes, terms, 3),
        KCI_NO_TERM);
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "matmul",
                   kci_composition_status(&composition, &error));
    kci_composition_release(&composition);
}
END_TEST

Suite *suite_compose_attention(void)
{
    Suite *suite = suite_create("compose/attention");
    TCase *tcase = tcase_create("attention");
    tcase_add_loop_test(tcase, it_agrees_with_the_kernel, 0, GEOMETRY_COUNT);
    tcase_add_loop_test(tcase, blocked_weights_are_exact_zeros, 0,
                        GEOMETRY_COUNT);
    tcase_add_test(tcase, nothing_is_masked_for_nothing);
    tcase_add_test(tcase, a_failure_is_kept);
    suite_add_tcase(suite, tcase);
    return suite;
}
