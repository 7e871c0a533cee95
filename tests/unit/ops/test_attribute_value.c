/* SPDX-License-Identifier: Apache-2.0
 *
 * One value of each kind: what is taken, what is refused and how it is
 * called then.
 */
#include "ops/attribute_table.h"

#include <math.h>
#include "unit/expect.h"
#include "unit/ops/suites.h"

static const char *const words[] = {"one", "two", NULL};
static const kci_op_request_t request = {.op = KC_OP_CONV};

/* Reads `text` as the one entry of a list. */
static kc_status_t read_as(kci_attribute_kind_t kind, const char *text,
                           void *target, int64_t *axis_count, kc_error_t *error)
{
    kci_attribute_info_t info = {"a", kind, 0, NULL, words, "a"};
    kci_attribute_slot_t slot = {&request, &info, target, axis_count};
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    ck_assert_msg(value != NULL, "bad JSON %s", text);
    kc_status_t status = kci_attribute_from_json(&slot, value, error);
    json_decref(value);
    return status;
}

static const struct refused {
    kci_attribute_kind_t kind;
    const char *text;
    const char *message;
} refused[] = {
    {KCI_ATTRIBUTE_NUMBER, "\"1\"", "expected a number"},
    {KCI_ATTRIBUTE_NUMBER, "\"Infinity\"", "found \"Infinity\""},
    {KCI_ATTRIBUTE_NUMBER, "null", "found null"},
    {KCI_ATTRIBUTE_NUMBER, "[1]", "found a list of 1"},
    {KCI_ATTRIBUTE_NUMBER, "{}", "found an object"},
    {KCI_ATTRIBUTE_INTEGER, "1.0",
     "expected an integer, found the real "
     "number 1"},
    {KCI_ATTRIBUTE_INTEGER, "\"1\"", "expected an integer"},
    {KCI_ATTRIBUTE_INTEGER, "true", "found true"},
    {KCI_ATTRIBUTE_SEED, "-1", "from 0 to 2^64-1"},
    {KCI_ATTRIBUTE_SEED, "\"12\"", "\"0x...\", found \"12\""},
    {KCI_ATTRIBUTE_SEED, "\"0x\"", "found \"0x\""},
    {KCI_ATTRIBUTE_SEED, "\"0x10000000000000000\"", "2^64-1"},
    {KCI_ATTRIBUTE_SEED, "1.5", "found the real number 1.5"},
    {KCI_ATTRIBUTE_BOOLEAN, "1", "expected true or false, found 1"},
    {KCI_ATTRIBUTE_BOOLEAN, "\"true\"", "found \"true\""},
    {KCI_ATTRIBUTE_WORD, "\"three\"", "expected \"one\" or \"two\""},
    {KCI_ATTRIBUTE_WORD, "0", "found 0"},
    {KCI_ATTRIBUTE_WORD,
     "\"0123456789012345678901234567890123456789"
     "0123456789012345678901234567890123456789\"",
     "0123456789012345678901234567890123456789"
     "012345678901234567890123...\""},
    {KCI_ATTRIBUTE_INTEGERS, "[1, 2]", "an integer or a list of 3"},
    {KCI_ATTRIBUTE_INTEGERS, "[1, 2, 3.0]", "found the real number 3"},
    {KCI_ATTRIBUTE_INTEGERS, "1.0", "found the real number 1"},
    {KCI_ATTRIBUTE_INTEGERS, "[[1], 2, 3]", "found a list of 1"},
    {KCI_ATTRIBUTE_SHAPE, "3", "a list of at most 16 extents, found 3"},
    {KCI_ATTRIBUTE_SHAPE, "[1, -2]", "extents of 0 or more, found -2"},
    {KCI_ATTRIBUTE_SHAPE, "[\"N\"]", "expected a list of integers"},
    {KCI_ATTRIBUTE_SHAPE, "[4294967296, 4294967296]", "too many elements"},
};

START_TEST(wrong_values_are_refused)
{
    const struct refused *wrong = &refused[_i];
    kc_attributes_t target;
    int64_t axis_count = 3;
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_FAILURE(
        error, KC_ERR_GRAPH, wrong->message,
        read_as(wrong->kind, wrong->text, &target, &axis_count, &error));
    ck_assert(strstr(error.message, "conv: attribute ") != NULL);
}
END_TEST

static double number_of(const char *text)
{
    double value = 0;
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, read_as(KCI_ATTRIBUTE_NUMBER, text, &value, NULL, &error));
    return value;
}

START_TEST(numbers)
{
    ck_assert(number_of("0.5") == 0.5);
    ck_assert(number_of("3") == 3.0);
    ck_assert(number_of("\"inf\"") == (double)INFINITY);
    ck_assert(number_of("\"-inf\"") == -(double)INFINITY);
    ck_assert(isnan(number_of("\"nan\"")));
}
END_TEST

static uint64_t seed_of(const char *text)
{
    uint64_t value = 0;
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, read_as(KCI_ATTRIBUTE_SEED, text, &value, NULL, &error));
    return value;
}

START_TEST(seeds)
{
    ck_assert(seed_of("0") == 0);
    ck_assert(seed_of("9223372036854775807") == (uint64_t)INT64_MAX);
    ck_assert(seed_of("\"0xFFFFFFFFFFFFFFFF\"") == UINT64_MAX);
    ck_assert(seed_of("\"0x1f\"") == 31);
}
END_TEST

START_TEST(words_and_booleans)
{
    int32_t value = -1;
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error,
              read_as(KCI_ATTRIBUTE_WORD, "\"two\"", &value, NULL, &error));
    ck_assert_int_eq(value, 1);
    EXPECT_OK(error,
              read_as(KCI_ATTRIBUTE_BOOLEAN, "true", &value, NULL, &error));
    ck_assert_int_eq(value, 1);
    EXPECT_OK(error,
              read_as(KCI_ATTRIBUTE_BOOLEAN, "false", &value, NULL, &error));
    ck_assert_int_eq(value, 0);
}
END_TEST

START_TEST(lists)
{
    int64_t values[KC_MAX_RANK] = {0};
    int64_t count = -1;
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_FAILURE(
        error, KC_ERR_GRAPH,
        "expected a list of at most 16 integers, one an axis",
        read_as(KCI_ATTRIBUTE_INTEGERS, "7", values, &count, &error));
    EXPECT_OK(error, read_as(KCI_ATTRIBUTE_INTEGERS, "[4, 5]", values, &count,
                             &error));
    ck_assert_int_eq(count, 2);
    EXPECT_OK(error,
              read_as(KCI_ATTRIBUTE_INTEGERS, "7", values, &count, &error));
    ck_assert(values[0] == 7 && values[1] == 7 && values[2] == 0);
    count = -1;
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "found a list of 17",
                   read_as(KCI_ATTRIBUTE_INTEGERS,
                           "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]", values,
                           &count, &error));
}
END_TEST

/* Where the default is a formula, NaN means "not given". */
START_TEST(nan_is_no_value_of_a_formula)
{
    double value = 0;
    kci_attribute_info_t info = {
        "a", KCI_ATTRIBUTE_NUMBER, 0, "1/sqrt(d)", NULL, "a"};
    kci_attribute_slot_t slot = {&request, &info, &value, NULL};
    kc_error_t error = KC_ERROR_INIT;
    json_t *nan = json_string("nan");
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "expected a number, found \"nan\"",
                   kci_attribute_from_json(&slot, nan, &error));
    kci_attribute_set_default(&slot);
    ck_assert(isnan(value));
    json_decref(nan);
}
END_TEST

Suite *suite_ops_attribute_value(void)
{
    Suite *suite = suite_create("ops/attribute_value");
    TCase *tcase = tcase_create("value");
    tcase_add_loop_test(tcase, wrong_values_are_refused, 0,
                        (int)(sizeof refused / sizeof *refused));
    tcase_add_test(tcase, numbers);
    tcase_add_test(tcase, seeds);
    tcase_add_test(tcase, words_and_booleans);
    tcase_add_test(tcase, lists);
    tcase_add_test(tcase, nan_is_no_value_of_a_formula);
    suite_add_tcase(suite, tcase);
    return suite;
}
