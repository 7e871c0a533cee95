/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON in: positions in errors, and what a stranger's file may not do.
 */
#include "base/json.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "base/alloc.h"
#include "unit/base/suites.h"
#include "unit/comma_locale.h"
#include "unit/expect.h"

#define SMALL_STACK_SIZE (256 * 1024)

static kc_status_t parse(const char *text, json_t **out_json, kc_error_t *error)
{
    return kci_json_parse(text, strlen(text), "x.json", out_json, error);
}

START_TEST(a_good_text_is_parsed)
{
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = NULL;
    EXPECT_OK(error,
              parse(" {\"a\": [1, 0.5, \"\\u00e9\"]}\n ", &json, &error));
    json_t *list = json_object_get(json, "a");
    ck_assert_int_eq(json_integer_value(json_array_get(list, 0)), 1);
    ck_assert_double_eq(json_real_value(json_array_get(list, 1)), 0.5);
    ck_assert_str_eq(json_string_value(json_array_get(list, 2)), "\xc3\xa9");
    json_decref(json);
}
END_TEST

static const struct bad_text {
    const char *text;
    const char *message;
} bad_texts[] = {
    {"", "x.json:1:0: "},
    {"{\n \"a\": 1,\n \"a\": 2}", "x.json:3:"},
    {"{\"a\": 1, \"a\": 2}", "duplicate object key"},
    {"[1] x", "end of file expected"},
    {"[1,]", "x.json:1:4"},
    {"[01]", "x.json:1:"},
    {"{\"a\" 1}", "':' expected"},
    {"[9223372036854775808]", "too big"},
    {"[-9223372036854775809]", "too big negative"},
    {"[1e999]", "overflow"},
    {"[NaN]", "x.json:1:"},
    {"[\"\\u0000\"]", "x.json:1:9: the escape \\u0000 is not allowed"},
    {"{\"\\u0000\": 1}", "the escape \\u0000 is not allowed"},
    {"[\"\xff\"]", "x.json:1:"},
    {"[\"a\nb\"]", "x.json:1:"},
    {"[\"abc", "x.json:1:"},
    {"]", "x.json:1:1"},
    {"7", "x.json:1:1: an object or a list expected near '7'"},
    {"\xef\xbb\xbf[", "x.json:1:1: "},
    {"\xef\xbb\xbf\xef\xbb\xbf[]", "x.json:1:"},
};

START_TEST(a_bad_text_is_refused_with_its_position)
{
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = NULL;
    EXPECT_FAILURE(error, KC_ERR_FORMAT, bad_texts[_i].message,
                   parse(bad_texts[_i].text, &json, &error));
    ck_assert_ptr_null(json);
}
END_TEST

START_TEST(a_byte_order_mark_is_skipped)
{
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = NULL;
    EXPECT_OK(error, parse("\xef\xbb\xbf[7]", &json, &error));
    ck_assert_int_eq(json_integer_value(json_array_get(json, 0)), 7);
    json_decref(json);
}
END_TEST

START_TEST(values_are_called_by_their_kind)
{
    static const char *const kinds[] = {"an object",
                                        "a list",
                                        "a text",
                                        "an integer",
                                        "a number that is no integer",
                                        "true",
                                        "false",
                                        "null"};
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = NULL;
    EXPECT_OK(error, parse("[{}, [], \"\", 1, 1.0, true, false, null]", &json,
                           &error));
    for (size_t i = 0; i < 8; i++) {
        ck_assert_str_eq(kci_json_kind(json_array_get(json, i)), kinds[i]);
    }
    ck_assert_str_eq(kci_json_kind(NULL), "none");
    json_decref(json);
}
END_TEST

START_TEST(a_nul_byte_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = NULL;
    EXPECT_FAILURE(error, KC_ERR_FORMAT, "x.json:1:",
                   kci_json_parse("[1,\0 2]", 7, "x.json", &json, &error));
    EXPECT_FAILURE(error, KC_ERR_FORMAT, "x.json:1:",
                   kci_json_parse("[1]\0", 4, "x.json", &json, &error));
}
END_TEST

/* `opening` and `closing` `count` times each around a one. */
static char *nest(const char *opening, const char *closing, size_t count,
                  bool is_closed)
{
    size_t piece = strlen(opening);
    char *text = calloc(count * (piece + strlen(closing)) + 2, 1);
    ck_assert_ptr_nonnull(text);
    char *end = text;
    for (size_t i = 0; i < count; i++) {
        memcpy(end, opening, piece);
        end += piece;
    }
    *end++ = '1';
    for (size_t i = 0; is_closed && i < count; i++) {
        end = stpcpy(end, closing);
    }
    return text;
}

static void expect_nesting(size_t count, bool is_closed, kc_status_t wanted)
{
    static const char *const brackets[][2] = {{"[", "]"}, {"{\"a\":", "}"}};
    for (int i = 0; i < 2; i++) {
        kc_error_t error = KC_ERROR_INIT;
        json_t *json = NULL;
        char *text = nest(brackets[i][0], brackets[i][1], count, is_closed);
        kc_status_t status = parse(text, &json, &error);
        free(text);
        json_decref(json);
        ck_assert_msg(status == wanted, "%zu levels: status %d: %s", count,
                      status, error.message);
        if (count > KCI_JSON_DEPTH_MAX) {
            ck_assert_ptr_nonnull(strstr(error.message, "x.json:1:"));
            ck_assert_ptr_nonnull(strstr(error.message, "128 levels"));
        }
    }
}

static void *check_nesting(void *context)
{
    (void)context;
    expect_nesting(64, true, KC_OK);
    expect_nesting(KCI_JSON_DEPTH_MAX, true, KC_OK);
    expect_nesting(KCI_JSON_DEPTH_MAX + 1, true, KC_ERR_FORMAT);
    expect_nesting(100000, true, KC_ERR_FORMAT);
    expect_nesting(100000, false, KC_ERR_FORMAT);
    return NULL;
}

START_TEST(deep_nesting_needs_no_stack)
{
    pthread_attr_t attributes;
    pthread_t thread;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, SMALL_STACK_SIZE),
                     0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, check_nesting, NULL),
                     0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}
END_TEST

START_TEST(a_point_is_a_point_under_a_comma_locale)
{
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = NULL;
    scratch_t scratch = scratch_make();
    bool has_comma = comma_locale_begin(&scratch);
    EXPECT_OK(error, parse("[0.5, 1e-3]", &json, &error));
    ck_assert_double_eq(json_real_value(json_array_get(json, 0)), 0.5);
    ck_assert_double_eq(json_real_value(json_array_get(json, 1)), 1e-3);
    json_decref(json);
    json = NULL;
    EXPECT_FAILURE(error, KC_ERR_FORMAT,
                   "x.json:1:", parse("[0,5,]", &json, &error));
    ck_assert_int_eq(comma_locale_is_on(), has_comma);
    comma_locale_end();
    scratch_remove(&scratch);
}
END_TEST

START_TEST(unknown_keys_are_named)
{
    static const char *const known[] = {"id", "op", NULL};
    kc_error_t error = KC_ERROR_INIT;
    json_t *good = json_pack("{s:i,s:i}", "op", 1, "id", 2);
    json_t *bad = json_pack("{s:i,s:i}", "op", 1, "idd", 2);
    json_t *list = json_array();
    EXPECT_OK(error, kci_json_check_keys(good, known, "node 3", &error));
    EXPECT_FAILURE(error, KC_ERR_FORMAT,
                   "node 3: unknown key `idd` (known: id, op)",
                   kci_json_check_keys(bad, known, "node 3", &error));
    EXPECT_FAILURE(error, KC_ERR_FORMAT, "node 3: expected an object",
                   kci_json_check_keys(list, known, "node 3", &error));
    EXPECT_FAILURE(error, KC_ERR_FORMAT, "node 3: expected an object",
                   kci_json_check_keys(NULL, known, "node 3", &error));
    json_decref(good);
    json_decref(bad);
    json_decref(list);
}
END_TEST

static void *no_memory(size_t size)
{
    (void)size;
    return NULL;
}

START_TEST(no_memory_is_a_status)
{
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = NULL;
    json_set_alloc_funcs(no_memory, free);
    kc_status_t status = parse("{\"a\": 1}", &json, &error);
    json_set_alloc_funcs(malloc, free);
    ck_assert_msg(status == KC_ERR_MEMORY || status == KC_ERR_FORMAT,
                  "status %d", status);
    ck_assert_ptr_null(json);
}
END_TEST

START_TEST(numbers_outside_of_json_are_words)
{
    json_t *value = kci_json_double(-(double)INFINITY);
    ck_assert_str_eq(json_string_value(value), "-inf");
    json_decref(value);
    value = kci_json_double((double)INFINITY);
    ck_assert_str_eq(json_string_value(value), "inf");
    json_decref(value);
    value = kci_json_double((double)NAN);
    ck_assert_str_eq(json_string_value(value), "nan");
    json_decref(value);
    value = kci_json_double(0.1);
    ck_assert_double_eq(json_real_value(value), 0.1);
    json_decref(value);
}
END_TEST

Suite *suite_base_json(void)
{
    Suite *suite = suite_create("base/json");
    TCase *tests = tcase_create("json");
    tcase_add_test(tests, a_good_text_is_parsed);
    tcase_add_loop_test(tests, a_bad_text_is_refused_with_its_position, 0,
                        (int)(sizeof bad_texts / sizeof *bad_texts));
    tcase_add_test(tests, a_byte_order_mark_is_skipped);
    tcase_add_test(tests, values_are_called_by_their_kind);
    tcase_add_test(tests, a_nul_byte_is_refused);
    tcase_add_test(tests, deep_nesting_needs_no_stack);
    tcase_add_test(tests, a_point_is_a_point_under_a_comma_locale);
    tcase_add_test(tests, unknown_keys_are_named);
    tcase_add_test(tests, no_memory_is_a_status);
    tcase_add_test(tests, numbers_outside_of_json_are_words);
    suite_add_tcase(suite, tests);
    return suite;
}
