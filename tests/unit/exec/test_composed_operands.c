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

typedef kc_status_t (*check_fn)(attention_case_t *at, size_t input_count);

static kci_operands_t operands_of(const attention_case_t *at,
                                  size_t input_count,
                                  kc_capsule_record_t *capsule)
{
    *capsule = fixture_capsule("torchlean.composed_attention",
                               KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "torchlean",
                               KC_DEVICE_CPU);
    return (kci_operands_t){.op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                            .capsule = capsule,
                            .inputs = at->inputs,
                            .input_count = input_count,
                            .output = &at->y.view};
}

static kc_status_t check(attention_case_t *at, size_t input_count)
{
    kc_capsule_record_t capsule;
    kci_operands_t operands = operands_of(at, input_count, &capsule);
    return kci_check_composed_operands(&operands, &at->attributes, &at->error);
}

static kc_status_t check_rule(attention_case_t *at, size_t input_count)
{
    kc_capsule_record_t capsule;
    kci_operands_t operands = operands_of(at, input_count, &capsule);
    operands.output = NULL;
    return kci_check_composed_rule(&operands, &at->y.view, &at->attributes,
                                   &at->error);
}

/* The last element of the operand, where nothing is blocked, and where
 * something is: by the mask, by causal order. */
static void expect_asked(attention_case_t *at, check_fn ask, operand_t *operand,
                         int64_t rows, const char *name, float bad)
{
    char expected[96];
    float *last = &operand_f32(operand)[rows * ATTENTION_WIDTH - 1];
    float kept = *last;
    *last = bad;
    snprintf(expected, sizeof expected,
             "scaled_dot_product_attention %s: expected finite", name);
    EXPECT_OK(at->error, ask(at, 3));
    EXPECT_OK(at->error, ask(at, 4));
    at->mask.bytes[7] = 0;
    EXPECT_OK(at->error, ask(at, 3));
    EXPECT_FAILURE(at->error, KC_ERR_TENSOR, expected, ask(at, 4));
    at->mask.bytes[7] = 1;
    at->attributes.u.attention.causal = 1;
    EXPECT_FAILURE(at->error, KC_ERR_TENSOR, expected, ask(at, 3));
    *last = kept;
    EXPECT_OK(at->error, ask(at, 3));
    at->attributes.u.attention.causal = 0;
}

START_TEST(values_that_are_not_finite_where_something_is_blocked)
{
    static const float bad[] = {INFINITY, -INFINITY, NAN};
    attention_case_t at;
    attention_begin(&at);
    expect_asked(&at, check, &at.k, ATTENTION_KEYS, "k", bad[_i]);
    expect_asked(&at, check, &at.v, ATTENTION_KEYS, "v", bad[_i]);
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

START_TEST(doubles_and_few_keys)
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
    /* Of two the first query does not see the second. */
    operand_init(&at.k, KC_DTYPE_F64, 2, DIMS(2, 1));
    operand_init(&at.v, KC_DTYPE_F64, 2, DIMS(2, 1));
    ((double *)(void *)at.v.bytes)[1] = (double)NAN;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "v: expected finite",
                   check(&at, 3));
    attention_end(&at);
}
END_TEST

/* k and v were looked at in the forward; products: composed_products. */
START_TEST(a_rule_looks_at_queries_and_the_cotangent)
{
    static const float bad[] = {INFINITY, -INFINITY, NAN};
    attention_case_t at;
    attention_begin(&at);
    expect_asked(&at, check_rule, &at.q, ATTENTION_QUERIES, "q", bad[_i]);
    expect_asked(&at, check_rule, &at.y, ATTENTION_QUERIES,
                 "cotangent of the output", bad[_i]);
    at.mask.bytes[7] = 0;
    operand_f32(&at.q)[0] = bad[_i];
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "(the derivative rule of torchlean.composed_attention "
                   "is made of products",
                   check_rule(&at, 4));
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
    tcase_add_test(tcase, doubles_and_few_keys);
    tcase_add_loop_test(tcase, a_rule_looks_at_queries_and_the_cotangent, 0, 3);
    tcase_add_test(tcase, only_the_rule_of_attention_has_something_to_look_at);
    tcase_add_test(tcase, other_operations_are_not_asked);
    suite_add_tcase(suite, tcase);
    return suite;
}
