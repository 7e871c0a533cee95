/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The composed rule of attention: central differences over every form of
 * mask, the bits of the loop of the runtime where all is finite, and exact
 * zeros where everything is blocked. */
#include <math.h>

#include "autograd/rule.h"
#include "unit/autograd/attention_operands.h"
#include "unit/autograd/composed_rule.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

/* Derivatives of order 1: the rounding of the forward, some 2^-53 / 1e-4 an
 * element, times the few dozen elements of a sum. */
#define TOLERANCE 1e-9

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 1);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

START_TEST(differences)
{
    attention_operands_t operands;
    attention_operands_make(&fixture, &attention_geometries[_i], KC_DTYPE_F64,
                            21, &operands);
    rule_check_differences(&fixture, RULE_COMPOSED, &operands.rule, 25,
                           TOLERANCE);
    attention_operands_release(&operands);
}
END_TEST

/* Both fold the same products in the same order; what one skips is a zero
 * for the other. */
static void check_both(const attention_geometry_t *geometry, int32_t dtype)
{
    kc_tensor_t *composed[RULE_INPUTS_MAX];
    kc_tensor_t *loop[RULE_INPUTS_MAX];
    attention_operands_t operands;
    attention_operands_make(&fixture, geometry, dtype, 31, &operands);
    kc_tensor_t *output = rule_forward(&fixture, &operands.rule);
    kc_tensor_t *g = attention_cotangent(&fixture, &operands, 35);
    rule_vjp(&fixture, RULE_COMPOSED, &operands.rule, output, g, attention_all,
             composed);
    attention_rows_run(&fixture, &operands, g, attention_all, loop);
    for (int i = 0; i < 3; i++) {
        rule_check_bits(composed[i], loop[i]);
    }
    attention_release_three(composed);
    attention_release_three(loop);
    kci_tensor_release(g);
    kci_tensor_release(output);
    attention_operands_release(&operands);
}

START_TEST(the_bits_of_the_loop)
{
    check_both(&attention_geometries[_i], KC_DTYPE_F32);
    check_both(&attention_geometries[_i], KC_DTYPE_F64);
}
END_TEST

static void check_positive_zeros(const kc_tensor_t *tensor, int64_t row,
                                 int64_t width)
{
    for (int64_t c = 0; c < width; c++) {
        double element = rule_element(tensor, row * width + c);
        ck_assert(element == 0 && signbit(element) == 0);
    }
}

/* The mask of this geometry blocks query 0 and the last key of each head. */
START_TEST(blocked_rows_have_exact_zeros)
{
    const attention_geometry_t *geometry = &attention_geometries[4];
    kc_tensor_t *found[RULE_INPUTS_MAX];
    attention_operands_t operands;
    attention_operands_make(&fixture, geometry, KC_DTYPE_F32, 41, &operands);
    kc_tensor_t *output = rule_forward(&fixture, &operands.rule);
    kc_tensor_t *g = attention_cotangent(&fixture, &operands, 45);
    rule_vjp(&fixture, RULE_COMPOSED, &operands.rule, output, g, attention_all,
             found);
    for (int64_t head = 0; head < attention_heads(geometry); head++) {
        int64_t key = geometry->keys * (head + 1) - 1;
        ck_assert(attention_is_dead_query(&operands, head, 0));
        ck_assert(attention_is_dead_key(&operands, head, geometry->keys - 1));
        check_positive_zeros(found[0], geometry->queries * head,
                             geometry->width);
        check_positive_zeros(found[1], key, geometry->width);
        check_positive_zeros(found[2], key, geometry->value_width);
    }
    attention_release_three(found);
    kci_tensor_release(g);
    kci_tensor_release(output);
    attention_operands_release(&operands);
}
END_TEST

/* For v alone the weights do, nothing is differentiated. */
START_TEST(only_what_is_wanted_is_made)
{
    const int64_t dims[] = {3, 4};
    const kci_tensor_type_t type = composed_type(KC_DTYPE_F32, 2, dims);
    const kci_tensor_type_t *types[] = {&type, &type, &type};
    const bool v_alone[KC_MAX_INPUTS] = {false, false, true};
    const bool nothing[KC_MAX_INPUTS] = {false};
    composed_case_t from = {.op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                            .types = types,
                            .input_count = 3,
                            .wanted = v_alone};
    ck_assert_uint_eq(composed_rule_ops(&from),
                      KCI_OP_BIT(KC_OP_PERMUTE) | KCI_OP_BIT(KC_OP_MATMUL) |
                          KCI_OP_BIT(KC_OP_SCALE) | KCI_OP_BIT(KC_OP_SOFTMAX));
    from.wanted = nothing;
    ck_assert_uint_eq(composed_rule_ops(&from), 0);
}
END_TEST

Suite *suite_autograd_attention(void)
{
    Suite *suite = suite_create("autograd/attention");
    TCase *tcase = tcase_create("attention");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_loop_test(tcase, differences, 0, ATTENTION_WIDE);
    tcase_add_loop_test(tcase, the_bits_of_the_loop, 0, ATTENTION_GEOMETRIES);
    tcase_add_test(tcase, blocked_rows_have_exact_zeros);
    tcase_add_test(tcase, only_what_is_wanted_is_made);
    suite_add_tcase(suite, tcase);
    return suite;
}
