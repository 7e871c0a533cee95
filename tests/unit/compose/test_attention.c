/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Composed attention against the kernel of the reference module. Both are
 * fixed-left sums of the same terms in the same order, and a weight of zero
 * adds nothing, so the bits agree. */
#include "compose/compositions.h"

#include <math.h>

#include "ops/vjp.h"
#include "unit/autograd/attention_operands.h"
#include "unit/compose/evaluate.h"
#include "unit/compose/suites.h"
#include "unit/expect.h"

#define ATTENTION KC_OP_SCALED_DOT_PRODUCT_ATTENTION

typedef struct attention_case {
    rule_fixture_t fixture;
    attention_operands_t operands;
    kci_composition_t composition;
    kci_term_t terms[4];
} attention_case_t;

static void attention_begin(attention_case_t *at,
                            const attention_geometry_t *geometry, int32_t dtype)
{
    rule_fixture_begin(&at->fixture, 1);
    attention_operands_make(&at->fixture, geometry, dtype, 11, &at->operands);
    at->terms[3] = KCI_NO_TERM;
    kci_composition_init(&at->composition);
    for (size_t i = 0; i < at->operands.rule.input_count; i++) {
        at->terms[i] =
            evaluate_argument(&at->composition, at->operands.rule.inputs[i]);
    }
}

static void attention_end(attention_case_t *at)
{
    kci_composition_release(&at->composition);
    attention_operands_release(&at->operands);
    rule_fixture_end(&at->fixture);
}

static kci_term_t compose(attention_case_t *at)
{
    return kci_compose_attention(&at->composition, &at->operands.attributes,
                                 at->terms, at->operands.rule.input_count);
}

static kc_tensor_t *value_of(attention_case_t *at, kci_term_t term)
{
    return evaluate_term(&at->fixture, &at->composition,
                         at->operands.rule.inputs, term);
}

static void check_agreement(const attention_geometry_t *geometry, int32_t dtype)
{
    attention_case_t at;
    attention_begin(&at, geometry, dtype);
    kc_tensor_t *found = value_of(&at, compose(&at));
    kc_tensor_t *expected = rule_forward(&at.fixture, &at.operands.rule);
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
    check_agreement(&attention_geometries[_i], KC_DTYPE_F32);
    check_agreement(&attention_geometries[_i], KC_DTYPE_F64);
}
END_TEST

/* A weight is +0 where blocked, and only there: no score is so small. */
START_TEST(blocked_weights_are_exact_zeros)
{
    attention_case_t at;
    attention_begin(&at, &attention_geometries[_i], KC_DTYPE_F32);
    kc_tensor_t *weights = value_of(
        &at,
        kci_compose_attention_weights(&at.composition, &at.operands.attributes,
                                      at.terms[0], at.terms[1], at.terms[3]));
    const int64_t keys = at.operands.geometry.keys;
    const int64_t queries = at.operands.geometry.queries;
    for (int64_t i = 0; i < kc_tensor_element_count(&weights->view); i++) {
        double weight = rule_element(weights, i);
        bool is_allowed = attention_allows(&at.operands, i / keys / queries,
                                           i / keys % queries, i % keys);
        ck_assert(signbit(weight) == 0);
        ck_assert_msg((weight != 0) == is_allowed,
                      "geometry %d, place %lld: %g", _i, (long long)i, weight);
    }
    kci_tensor_release(weights);
    attention_end(&at);
}
END_TEST

static const uint64_t masked = KCI_OP_BIT(KC_OP_HARD_MASKED_SOFTMAX);
static const uint64_t plain = KCI_OP_BIT(KC_OP_SOFTMAX);

static uint64_t ops_of(const attention_geometry_t *geometry)
{
    attention_case_t at;
    attention_begin(&at, geometry, KC_DTYPE_F32);
    (void)compose(&at);
    uint64_t ops = kci_composition_ops(&at.composition);
    attention_end(&at);
    return ops;
}

START_TEST(nothing_is_masked_for_nothing)
{
    const attention_geometry_t open = {0, {0}, 3, 4, 5, 2, 0, -1, {0}};
    const attention_geometry_t causal = {0, {0}, 3, 4, 5, 2, 1, -1, {0}};
    const attention_geometry_t one_key = {0, {0}, 3, 1, 5, 2, 1, -1, {0}};
    const attention_geometry_t whole = {0, {0}, 3, 4, 5, 2, 0, 2, {3, 4}};
    const attention_geometry_t both = {0, {0}, 3, 4, 5, 2, 1, 2, {3, 4}};
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
    tcase_add_loop_test(tcase, it_agrees_with_the_kernel, 0,
                        ATTENTION_GEOMETRIES);
    tcase_add_loop_test(tcase, blocked_weights_are_exact_zeros, 0,
                        ATTENTION_GEOMETRIES);
    tcase_add_test(tcase, nothing_is_masked_for_nothing);
    tcase_add_test(tcase, a_failure_is_kept);
    suite_add_tcase(suite, tcase);
    return suite;
}
