/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON out: the exact text, the same under every locale, and read back equal.
 */
#include "base/json.h"

#include <math.h>
#include "base/alloc.h"
#include "unit/base/suites.h"
#include "unit/comma_locale.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

static const char *const formatted = "{\n"
                                     "  \"z\": 0.1,\n"
                                     "  \"a\": [\n"
                                     "    1,\n"
                                     "    -9223372036854775808,\n"
                                     "    2.0,\n"
                                     "    1e-05,\n"
                                     "    \"q\\\"\\\\\\n\xc3\xa9\",\n"
                                     "    true,\n"
                                     "    false,\n"
                                     "    null\n"
                                     "  ],\n"
                                     "  \"empty\": {},\n"
                                     "  \"none\": []\n"
                                     "}\n";

static json_t *parse_formatted(void)
{
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = NULL;
    EXPECT_OK(error, kci_json_parse(formatted, strlen(formatted), "text", &json,
                                    &error));
    return json;
}

START_TEST(the_text_is_exact)
{
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    json_t *json = parse_formatted();
    EXPECT_OK(error, kci_json_format(json, &text, &error));
    ck_assert_str_eq(text, formatted);
    kci_free(text);
    json_decref(json);
}
END_TEST

START_TEST(the_text_is_the_same_under_a_comma_locale)
{
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    scratch_t scratch = scratch_make();
    bool has_comma = comma_locale_begin(&scratch);
    json_t *json = parse_formatted();
    EXPECT_OK(error, kci_json_format(json, &text, &error));
    ck_assert_str_eq(text, formatted);
    ck_assert_int_eq(comma_locale_is_on(), has_comma);
    kci_free(text);
    json_decref(json);
    comma_locale_end();
    scratch_remove(&scratch);
}
END_TEST

START_TEST(values_alone_are_lines)
{
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    json_t *json = json_integer(7);
    EXPECT_OK(error, kci_json_format(json, &text, &error));
    ck_assert_str_eq(text, "7\n");
    kci_free(text);
    json_decref(json);
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "missing",
                   kci_json_format(NULL, &text, &error));
}
END_TEST

/* `levels` arrays, one in the other. */
static json_t *nest(int levels)
{
    json_t *json = json_array();
    for (int i = 1; i < levels; i++) {
        json_t *outer = json_array();
        ck_assert_int_eq(json_array_append_new(outer, json), 0);
        json = outer;
    }
    return json;
}

START_TEST(what_the_parser_refuses_is_not_written)
{
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    json_t *deepest = nest(KCI_JSON_DEPTH_MAX);
    json_t *deeper = nest(KCI_JSON_DEPTH_MAX + 2);
    EXPECT_OK(error, kci_json_format(deepest, &text, &error));
    json_t *again = NULL;
    EXPECT_OK(error,
              kci_json_parse(text, strlen(text), "text", &again, &error));
    ck_assert(json_equal(deepest, again));
    json_decref(again);
    kci_free(text);
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "too deep",
                   kci_json_format(deeper, &text, &error));
    json_decref(deepest);
    json_decref(deeper);
}
END_TEST

START_TEST(doubles_read_back_equal)
{
    static const double values[] = {0.1,
                                    -0.0,
                                    5e-324,
                                    1.7976931348623157e308,
                                    1e22,
                                    1e16,
                                    123456,
                                    0.30000000000000004,
                                    2.2250738585072014e-308,
                                    3.0};
    kc_error_t error = KC_ERROR_INIT;
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        json_array_append_new(list, kci_json_double(values[i]));
    }
    char *text = NULL;
    json_t *again = NULL;
    EXPECT_OK(error, kci_json_format(list, &text, &error));
    EXPECT_OK(error,
              kci_json_parse(text, strlen(text), "text", &again, &error));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double value = json_real_value(json_array_get(again, i));
        ck_assert_mem_eq(&value, &values[i], sizeof value);
    }
    kci_free(text);
    json_decref(list);
    json_decref(again);
}
END_TEST

START_TEST(no_memory_is_a_status)
{
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    json_t *json = parse_formatted();
    for (int granted = 0; granted < 5; granted++) {
        failing_heap_break_after(granted);
        EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                       kci_json_format(json, &text, &error));
        failing_heap_mend();
        ck_assert_ptr_null(text);
    }
    json_decref(json);
}
END_TEST

Suite *suite_base_json_format(void)
{
    Suite *suite = suite_create("base/json_format");
    TCase *tests = tcase_create("json_format");
    tcase_add_test(tests, the_text_is_exact);
    tcase_add_test(tests, the_text_is_the_same_under_a_comma_locale);
    tcase_add_test(tests, values_alone_are_lines);
    tcase_add_test(tests, what_the_parser_refuses_is_not_written);
    tcase_add_test(tests, doubles_read_back_equal);
    tcase_add_test(tests, no_memory_is_a_status);
    suite_add_tcase(suite, tests);
    return suite;
}
