/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Which large factors the composed rule of attention may have where keys are
 * blocked. Against the rule itself: tests of autograd. */
#include "exec/composed_products.h"

#include <math.h>

#include "unit/exec/attention_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

/* The mask blocks key 3 for query 1 and nothing else. */
#define QUERY 1
#define KEY   3

static attention_case_t at;

static void begin(void)
{
    attention_begin(&at);
    at.mask.bytes[QUERY * ATTENTION_KEYS + KEY] = 0;
}

static void end(void)
{
    attention_end(&at);
}

static float *row(operand_t *operand, int64_t number)
{
    return operand_f32(operand) + number * ATTENTION_WIDTH;
}

/* y stands for the cotangent. */
static kc_status_t check(size_t input_count)
{
    kc_capsule_record_t capsule = fixture_capsule(
        "torchlean.composed_attention", KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
        "torchlean", KC_DEVICE_CPU);
    kci_operands_t operands = {.op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                               .capsule = &capsule,
                               .inputs = at.inputs,
                               .input_count = input_count};
    return kci_check_composed_products(&operands, &at.y.view, &at.attributes,
                                       &at.error);
}

static void expect_refused(const char *words)
{
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, words, check(4));
}

#define OF_VALUES                                                              \
    "scaled_dot_product_attention: expected products of cotangent and v "      \
    "below 8.51e+37 where keys are blocked, found more for query 1 and key "
#define OF_SCORES                                                              \
    "scaled_dot_product_attention: expected products of q and k below "        \
    "8.51e+37 where keys are blocked, found more for query 1 and key "

START_TEST(a_blocked_value_times_a_cotangent)
{
    row(&at.v, KEY)[0] = 0x1p100F;
    EXPECT_OK(at.error, check(4));
    row(&at.y, QUERY)[0] = -0x1p25F;
    EXPECT_OK(at.error, check(4));
    row(&at.y, QUERY)[0] = -0x1p26F;
    expect_refused(OF_VALUES "3 (the derivative rule of "
                             "torchlean.composed_attention");
    /* Without the mask nothing is blocked; of another query nothing is. */
    EXPECT_OK(at.error, check(3));
    row(&at.y, QUERY)[0] = 0;
    row(&at.y, QUERY + 1)[0] = -0x1p100F;
    EXPECT_OK(at.error, check(4));
    at.attributes.u.attention.causal = 1; /* blocks key 3 for query 2 */
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "query 2 and key 3", check(3));
}
END_TEST

/* The mean of the row is subtracted from blocked entries too. */
START_TEST(an_allowed_value_times_a_cotangent)
{
    row(&at.v, 0)[1] = 0x1p100F;
    row(&at.y, QUERY)[1] = 0x1p100F;
    expect_refused(OF_VALUES "0 ");
    at.mask.bytes[QUERY * ATTENTION_KEYS + KEY] = 1;
    EXPECT_OK(at.error, check(4));
}
END_TEST

START_TEST(a_score_counts_where_it_is_seen)
{
    row(&at.k, KEY)[0] = 0x1p100F;
    row(&at.q, QUERY)[0] = 0x1p100F;
    EXPECT_OK(at.error, check(4));
    row(&at.k, KEY)[0] = 1;
    row(&at.k, 2)[0] = 0x1p100F;
    expect_refused(OF_SCORES "2 ");
    row(&at.q, QUERY)[0] = 1;
    row(&at.q, 0)[0] = 0x1p100F;
    EXPECT_OK(at.error, check(4));
}
END_TEST

/* Scaled after the product: a large scale counts, a small one helps nobody. */
START_TEST(the_scale_of_scores)
{
    row(&at.k, 2)[0] = 0x1p60F;
    row(&at.q, QUERY)[0] = 0x1p60F;
    at.attributes.u.attention.scale = -0x1p4;
    EXPECT_OK(at.error, check(4));
    at.attributes.u.attention.scale = -0x1p7;
    expect_refused(OF_SCORES "2 ");
    at.attributes.u.attention.scale = 0x1p-100;
    EXPECT_OK(at.error, check(4));
    row(&at.q, QUERY)[0] = 0x1p70F;
    expect_refused(OF_SCORES "2 ");
}
END_TEST

/* Terms that cancel do so in one order only. */
START_TEST(signs_do_not_help)
{
    row(&at.v, KEY)[0] = row(&at.v, KEY)[1] = 0x1p100F;
    row(&at.y, QUERY)[0] = 0x1p30F;
    row(&at.y, QUERY)[1] = -0x1p30F;
    expect_refused(OF_VALUES "3 ");
}
END_TEST

START_TEST(doubles_have_their_own_range)
{
    operand_t *const all[] = {&at.q, &at.k, &at.v, &at.y};
    for (int i = 0; i < 4; i++) {
        int64_t rows = i == 0 || i == 3 ? ATTENTION_QUERIES : ATTENTION_KEYS;
        operand_init(all[i], KC_DTYPE_F64, 2, DIMS(rows, ATTENTION_WIDTH));
    }
    double *v = (double *)(void *)at.v.bytes + KEY * ATTENTION_WIDTH;
    double *g = (double *)(void *)at.y.bytes + QUERY * ATTENTION_WIDTH;
    v[1] = 0x1p900;
    g[1] = 0x1p100;
    EXPECT_OK(at.error, check(4));
    g[1] = 0x1p123;
    expect_refused("below 4.49e+307 where keys are blocked");
}
END_TEST

START_TEST(any_strides)
{
    float *elements = operand_f32(&at.v);
    at.v.strides[0] = 2 * ATTENTION_WIDTH;
    at.v.strides[1] = 1;
    for (int i = 0; i < 2 * ATTENTION_KEYS * ATTENTION_WIDTH; i++) {
        elements[i] = i / ATTENTION_WIDTH % 2 == 0 ? 1 : 0x1p100F;
    }
    row(&at.y, QUERY)[0] = 0x1p100F;
    EXPECT_OK(at.error, check(4));
    at.v.strides[0] = ATTENTION_WIDTH;
    expect_refused(OF_VALUES "1 ");
    at.v.view.strides = NULL;
    expect_refused(OF_VALUES "1 ");
}
END_TEST

Suite *suite_exec_composed_products(void)
{
    Suite *suite = suite_create("exec/composed_products");
    TCase *tcase = tcase_create("composed_products");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, a_blocked_value_times_a_cotangent);
    tcase_add_test(tcase, an_allowed_value_times_a_cotangent);
    tcase_add_test(tcase, a_score_counts_where_it_is_seen);
    tcase_add_test(tcase, the_scale_of_scores);
    tcase_add_test(tcase, signs_do_not_help);
    tcase_add_test(tcase, doubles_have_their_own_range);
    tcase_add_test(tcase, any_strides);
    suite_add_tcase(suite, tcase);
    return suite;
}
