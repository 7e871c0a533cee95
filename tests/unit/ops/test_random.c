/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes of random sources and the keys of their streams, with the golden
 * values of the specification.
 */
#include "unit/expect.h"
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static const op_case_t shape_cases[] = {
    {KC_OP_RAND_UNIFORM, "", "{\"shape\": [2, 3]}", "f32[2, 3]", NULL},
    {KC_OP_RAND_UNIFORM, "", "{\"shape\": [], \"seed\": 7}", "f32[]", NULL},
    {KC_OP_RAND_UNIFORM, "", "{\"shape\": [0]}", "f32[0]", NULL},
    {KC_OP_RAND_UNIFORM, "", NULL, NULL, "attribute shape is missing"},
    {KC_OP_RAND_UNIFORM, "", "{\"shape\": [4294967296, 4294967296]}", NULL,
     "attribute shape: too many elements"},
    {KC_OP_RAND_UNIFORM, "", "{\"shape\": [-1]}", NULL,
     "attribute shape: expected extents of 0 or more, found -1"},
    {KC_OP_RAND_UNIFORM, "", "{\"shape\": [2], \"seed\": -1}", NULL,
     "attribute seed: expected an integer from 0 to 2^64-1"},
    {KC_OP_RAND_UNIFORM, "f32[]", "{\"shape\": [2]}", NULL,
     "expected 0 inputs, found 1"},
    {KC_OP_BERNOULLI_MASK, "f32[]", "{\"shape\": [2, 3]}", "f32[2, 3]", NULL},
    {KC_OP_BERNOULLI_MASK, "f64[]", "{\"shape\": [2]}", "f64[2]", NULL},
    {KC_OP_BERNOULLI_MASK, "f32[1]", "{\"shape\": [2]}", NULL,
     "keep_probability: expected a scalar, [], found [1]"},
    {KC_OP_BERNOULLI_MASK, "bool[]", "{\"shape\": [2]}", NULL,
     "keep_probability: expected dtype f32 or f64, found bool"},
    {KC_OP_BERNOULLI_MASK, "", "{\"shape\": [2]}", NULL,
     "expected 1 inputs, found 0"},
};

OP_CASES_TEST(shapes, shape_cases)

START_TEST(keys_are_the_golden_ones)
{
    ck_assert(kci_random_key(0, 0) == UINT64_C(0xe220a8397b1dcdaf));
    ck_assert(kci_random_key(0, 1) == UINT64_C(0x910a2dec89025cc1));
    ck_assert(kci_random_key(1, 0) == UINT64_C(0x910a2dec89025cc1));
    ck_assert(kci_random_key(2026, 0) == UINT64_C(0xdb9c559891948d23));
    ck_assert(kci_random_key(2026, 3) == UINT64_C(0x956b3c7f2686f111));
    ck_assert(kci_random_key(UINT64_MAX, 1) == kci_random_key(0, 0));
}
END_TEST

static kc_random_attributes_t attributes_of(const char *text)
{
    operand_list_t list;
    kc_attributes_t attributes;
    kci_tensor_type_t type;
    kc_error_t error = KC_ERROR_INIT;
    operand_list_parse(&list, KC_OP_RAND_UNIFORM, "");
    EXPECT_OK(error, infer_text(&list, text, &attributes, &type, &error));
    return attributes.u.random;
}

START_TEST(the_key_follows_from_the_seed)
{
    kc_random_attributes_t random = attributes_of("{\"shape\": [2]}");
    ck_assert(random.seed == 0 && random.key == kci_random_key(0, 0));
    random = attributes_of("{\"shape\": [2], \"seed\": 2026}");
    ck_assert(random.key == kci_random_key(2026, 0));
    random =
        attributes_of("{\"shape\": [2], \"seed\": \"0xffffffffffffffff\"}");
    ck_assert(random.seed == UINT64_MAX);
}
END_TEST

Suite *suite_ops_random(void)
{
    Suite *suite = suite_create("ops/random");
    TCase *tcase = tcase_create("random");
    ADD_OP_CASES(tcase, shapes, shape_cases);
    tcase_add_test(tcase, keys_are_the_golden_ones);
    tcase_add_test(tcase, the_key_follows_from_the_seed);
    suite_add_tcase(suite, tcase);
    return suite;
}
