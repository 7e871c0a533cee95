/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Blocked keys and values of a composition have to be finite, and of its rule
 * queries and the cotangent. */
#include "exec/composed_operands.h"

#include <math.h>

#include "unit/exec/attention_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

static kc_status_t check(attention_case_t *at, size_t input_count)
{
    kc_capsule_record_t capsule = fixture_capsule(
        "torchlean.composed_attention", KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
        "torchlean", KC_DEVICE_CPU);
    kci_operands_t operands = {.op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                               .capsule = &capsule,
                               .inputs = at->inputs,
                               .input_count = input_count,
                               .output = &at->y.view};
    return kci_check_composed_operands(&operands, &at->attributes, &at->error);
}

START_TEST(values_that_are_not_finite_where_something_is_blocked)
{
    static const float bad[] = {INFINITY, -INFINITY, NAN};
    attention_case_t at;
    attention_begin(&at);
    operand_t *const operands[] = {&at.k, &at.v};
    static const char *const names[] = {"k", "v"};
    char expected[64];
    for (int i = 0; i < 2; i++) {
        float *last =
            &operand_f32(operands[i])[ATTENTION_KEYS * ATTENTION_WIDTH - 1];
        float kept = *last;
        *last = bad[_i];
        snprintf(expected, sizeof expected,
                 "scaled_dot_product_attention %s: expected finite", names[i]);
        EXPECT_OK(at.error, check(&at, 3));
        EXPECT_OK(at.error, check(&at, 4));
        at.mask.bytes[7] = 0;
        EXPECT_OK(at.error, check(&at, 3));
        EXPECT_FAILURE(at.error, KC_ERR_TENSOR, expected, check(&at, 4));
        at.mask.bytes[7] = 1;
        at.attributes.u.attention.causal = 1;
        EXPECT_FAILURE(at.error, KC_ERR_TENSOR, expected, check(&at, 3));
        at.attributes.u.attention.causal = 0;
        *last = kept;
    }
    /* In the forward queries may be anything: a blocked score is left out. */
    operand_f32(&at.q)[0] = bad[_i];
    at.mask.bytes[0] = 0;
    EXPECT_OK(at.error, check(&at, 4));
    attention_end(&at);
}
END_TEST

/* Only what the view holds counts, with its strides or without. */
START_TEST(any_strides)
{
    attention_case_t at;
    attention_begin(&at);
    at.mask.bytes[0] = 0;
    at.v.strides[0] = 2 * ATTENTION_WIDTH;
    at.v.strides[1] = 1;
    for (int i = 0; i < 2 * ATTENTION_KEYS * ATTENTION_WIDTH; i++) {
        bool is_seen = i / ATTENTION_WIDTH % 2 == 0;
        operand_f32(&at.v)[i] = is_seen ? 1 : NAN;
    }
    EXPECT_OK(at.error, check(&at, 4));
    at.v.strides[0] = ATTENTION_WIDTH;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "v: expected finite",
                   check(&at, 4));
    at.v.view.strides = NULL;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "v: expected finite",
                   check(&at, 4));
    attention_end(&at);
}
END_TEST

START_TEST(doubles_and_one_key)
{
    attention_case_t at;
    attention_begin(&at);
    operand_init(&at.k, KC_DTYPE_F64, 2, DIMS(1, 1));
    operand_init(&at.v, KC_DTYPE_F64, 2, DIMS(1, 1));
    operand_init(&at.mask, KC_DTYPE_BOOL, 2, DIMS(1, 1));
    *(double *)(void *)at.v.bytes = (double)NAN;
    /* One key is before every query. */
    at.attributes.u.attention.causal = 1;
    EXPECT_OK(at.error, check(&at, 3));
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "v: expected finite",
                   check(&at, 4));
    *(double *)(void *)at.v.bytes = 1e300;
    EXPECT_OK(at.error, check(&at, 4));
    attention_end(&at);
}
END_TEST

static kc_status_t check_rule(attention_case_t *at, size_t input_count)
{
    kc_capsule_record_t capsule = fixture_capsule(
        "torchlean.composed_attention", KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
        "torchlean", KC_DEVICE_CPU);
    kci_operands_t operands = {.op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                               .capsule = &capsule,
                               .inputs = at->inputs,
                               .input_count = input_count};
    return kci_check_composed_rule(&operands, &at->y.view, &at->attributes,
                                   &at->error);
}

/* k and v were looked at in the forward; products: composed_products. */
START_TEST(a_rule_looks_at_queries_and_the_cotangent)
{
    static const float bad[] = {INFINITY, -INFINITY, NAN};
    attention_case_t at;
    attention_begin(&at);
    operand_t *const operands[] = {&at.q, &at.y};
    static const char *const names[] = {"q", "cotangent of the output"};
    char expected[96];
    for (int i = 0; i < 2; i++) {
        float *last =
            &operand_f32(operands[i])[ATTENTION_QUERIES * ATTENTION_WIDTH - 1];
        float kept = *last;
        *last = bad[_i];
        snprintf(expected, sizeof expected,
                 "scaled_dot_product_attention %s: expected finite", names[i]);
        EXPECT_OK(at.error, check_rule(&at, 3));
        EXPECT_OK(at.error, check_rule(&at, 4));
        at.mask.bytes[7] = 0;
        EXPECT_OK(at.error, check_rule(&at, 3));
        EXPECT_FAILURE(at.error, KC_ERR_TENSOR, expected, check_rule(&at, 4));
        EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                       "(the derivative rule of torchlean.composed_attention "
                       "is made of products",
                       check_rule(&at, 4));
        at.mask.bytes[7] = 1;
        at.attributes.u.attention.causal = 1;
        EXPECT_FAILURE(at.error, KC_ERR_TENSOR, expected, check_rule(&at, 3));
        *last = kept;
        EXPECT_OK(at.error, check_rule(&at, 3));
        at.attributes.u.attention.causal = 0;
    }
    attention_end(&at);
}
END_TEST

START_TEST(only_the_rule_of_attention_has_something_to_look_at)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        ck_assert(kci_composed_rule_is_checked(op) ==
                  (op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION));
    }
}
END_TEST

START_TEST(other_operations_are_not_asked)
{
    attention_case_t at;
    attention_begin(&at);
    kci_operands_t operands = {.op = KC_OP_RELU, .inputs = at.inputs};
    operand_f32(&at.q)[0] = NAN;
    EXPECT_OK(at.error, kci_check_composed_operands(&operands, &at.attributes,
                                                    &at.error));
    EXPECT_OK(at.error, kci_check_composed_rule(&operands, &at.q.view,
                                                &at.attributes, &at.error));
    attention_end(&at);
}
END_TEST

Suite *suite_exec_composed_operands(void)
{
    Suite *suite = suite_create("exec/composed_operands");
    TCase *tcase = tcase_create("composed_operands");
    tcase_add_loop_test(
        tcase, values_that_are_not_finite_where_something_is_blocked, 0, 3);
    tcase_add_test(tcase, any_strides);
    tcase_add_test(tcase, doubles_and_one_key);
    tcase_add_loop_test(tcase, a_rule_looks_at_queries_and_the_cotangent, 0, 3);
    tcase_add_test(tcase, only_the_rule_of_attention_has_something_to_look_at);
    tcase_add_test(tcase, other_operations_are_not_asked);
    suite_add_tcase(suite, tcase);
    return suite;
}
