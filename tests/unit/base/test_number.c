/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers in texts: shortest, exact, and the same under every locale.
 */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "unit/base/suites.h"
#include "unit/comma_locale.h"

static const struct number_text {
    double value;
    const char *text;
} number_texts[] = {
    {0.5, "0.5"},
    {1e-5, "1e-05"},
    {0.0, "0"},
    {-0.0, "-0"},
    {1.0, "1"},
    {0.1, "0.1"},
    {1.0 / 3, "0.3333333333333333"},
    {0.1 + 0.2, "0.30000000000000004"},
    {1e22, "1e+22"},
    {5e-324, "5e-324"},
    {DBL_MAX, "1.7976931348623157e+308"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {INFINITY, "inf"},
    {-INFINITY, "-inf"},
};

static void expect_texts(void)
{
    for (size_t i = 0; i < sizeof number_texts / sizeof *number_texts; i++) {
        char text[32];
        double value = 7;
        kci_format_double(number_texts[i].value, text);
        ck_assert_str_eq(text, number_texts[i].text);
        ck_assert(kci_parse_double(text, &value));
        ck_assert_mem_eq(&value, &number_texts[i].value, sizeof value);
    }
}

START_TEST(shortest_texts_read_back)
{
    expect_texts();
}
END_TEST

START_TEST(texts_do_not_follow_the_locale)
{
    double value = 7;
    scratch_t scratch = scratch_make();
    bool has_comma = comma_locale_begin(&scratch);
    expect_texts();
    ck_assert(!kci_parse_double("0,5", &value));
    ck_assert_int_eq(comma_locale_is_on(), has_comma);
    comma_locale_end();
    scratch_remove(&scratch);
}
END_TEST

START_TEST(random_doubles_read_back)
{
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        char text[32];
        double value = 0;
        double again = 0;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(&value, &state, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        kci_format_double(value, text);
        ck_assert_uint_lt(strlen(text), sizeof text);
        ck_assert(kci_parse_double(text, &again));
        ck_assert_mem_eq(&value, &again, sizeof value);
    }
}
END_TEST

START_TEST(nan_is_a_word)
{
    char text[32];
    double value = 0;
    kci_format_double((double)NAN, text);
    ck_assert_str_eq(text, "nan");
    ck_assert(kci_parse_double("nan", &value));
    ck_assert(isnan(value));
}
END_TEST

START_TEST(what_is_not_wholly_a_double_is_refused)
{
    static const char *const bad[] = {
        "",    " 1",   "1 ",   "1x",    "0x1p3",  "1e",  "1e+",
        ".",   "-",    "+.e1", "1,5",   "1.5.2",  "Inf", "infinity",
        "NAN", "+inf", "-nan", "1e999", "-1e999", "--1", "1_0"};
    double value = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(!kci_parse_double(bad[i], &value), "accepted `%s`",
                      bad[i]);
    }
    ck_assert_double_eq(value, 7);
    ck_assert(kci_parse_double("+.5e1", &value));
    ck_assert_double_eq(value, 5);
    ck_assert(kci_parse_double("1e-999", &value));
    ck_assert_double_eq(value, 0);
}
END_TEST

START_TEST(int64_to_its_ends)
{
    int64_t value = 7;
    ck_assert(kci_parse_int64("9223372036854775807", &value));
    ck_assert_int_eq(value, INT64_MAX);
    ck_assert(kci_parse_int64("-9223372036854775808", &value));
    ck_assert_int_eq(value, INT64_MIN);
    ck_assert(kci_parse_int64("-0", &value));
    ck_assert_int_eq(value, 0);
    ck_assert(kci_parse_int64("+12", &value));
    ck_assert_int_eq(value, 12);
    static const char *const bad[] = {"",
                                      "-",
                                      "+-1",
                                      " 1",
                                      "1 ",
                                      "0x10",
                                      "1.0",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(!kci_parse_int64(bad[i], &value), "accepted `%s`",
                      bad[i]);
    }
    ck_assert_int_eq(value, 12);
}
END_TEST

START_TEST(uint64_to_its_end)
{
    uint64_t value = 7;
    ck_assert(kci_parse_uint64("18446744073709551615", &value));
    ck_assert_uint_eq(value, UINT64_MAX);
    ck_assert(kci_parse_uint64("0xFFFFffffFFFFffff", &value));
    ck_assert_uint_eq(value, UINT64_MAX);
    ck_assert(kci_parse_uint64("0x0", &value));
    ck_assert_uint_eq(value, 0);
    static const char *const bad[] = {"",
                                      "0x",
                                      "-1",
                                      "+1",
                                      "1a",
                                      "0xg",
                                      "0X1",
                                      " 1",
                                      "18446744073709551616",
                                      "0x10000000000000000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(!kci_parse_uint64(bad[i], &value), "accepted `%s`",
                      bad[i]);
    }
}
END_TEST

Suite *suite_base_number(void)
{
    Suite *suite = suite_create("base/number");
    TCase *tests = tcase_create("number");
    tcase_add_test(tests, shortest_texts_read_back);
    tcase_add_test(tests, texts_do_not_follow_the_locale);
    tcase_add_test(tests, random_doubles_read_back);
    tcase_add_test(tests, nan_is_a_word);
    tcase_add_test(tests, what_is_not_wholly_a_double_is_refused);
    tcase_add_test(tests, int64_to_its_ends);
    tcase_add_test(tests, uint64_to_its_end);
    suite_add_tcase(suite, tests);
    return suite;
}
