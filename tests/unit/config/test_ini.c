/* SPDX-License-Identifier: Apache-2.0
 *
 * The INI reader: what a profile may look like, and that everything else is
 * an error with file and line.
 */
#include "config/ini.h"

#include <stdio.h>
#include <stdlib.h>
#include "unit/config/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

static const char *const good_text = "# a profile\n"
                                     "[profile]\n"
                                     "name = acme_cpu\n"
                                     "provider=prefer:acme\n"
                                     "\n"
                                     "  ; another comment\n"
                                     "[ availability ]\n"
                                     "\tproviders =  acme, reference \t\n"
                                     "empty =\n"
                                     "tolerance = a = b # c\n";

static kc_status_t parse(const char *text, kci_ini_t **out_ini,
                         kc_error_t *error)
{
    return kci_ini_parse(text, strlen(text), "p.ini", out_ini, error);
}

static void expect_value(kci_ini_t *ini, const char *section, const char *key,
                         const char *value, int line)
{
    const kci_ini_entry_t *entry = kci_ini_find(ini, section, key);
    ck_assert_ptr_nonnull(entry);
    ck_assert_str_eq(entry->section, section);
    ck_assert_str_eq(entry->key, key);
    ck_assert_str_eq(entry->value, value);
    ck_assert_int_eq(entry->line, line);
}

static void expect_good(kci_ini_t *ini)
{
    expect_value(ini, "profile", "name", "acme_cpu", 3);
    expect_value(ini, "profile", "provider", "prefer:acme", 4);
    expect_value(ini, "availability", "providers", "acme, reference", 8);
    expect_value(ini, "availability", "empty", "", 9);
    expect_value(ini, "availability", "tolerance", "a = b # c", 10);
}

START_TEST(a_good_text_is_read)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_ini_t *ini = NULL;
    EXPECT_OK(error, parse(good_text, &ini, &error));
    ck_assert_str_eq(kci_ini_name(ini), "p.ini");
    expect_good(ini);
    ck_assert_ptr_null(kci_ini_find(ini, "profile", "device"));
    ck_assert_ptr_null(kci_ini_find(ini, "nowhere", "name"));
    EXPECT_OK(error, kci_ini_check_all_used(ini, &error));
    kci_ini_release(ini);
    kci_ini_release(NULL);
}
END_TEST

START_TEST(carriage_returns_change_nothing)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_ini_t *ini = NULL;
    char text[512];
    size_t length = 0;
    for (const char *byte = good_text; *byte != '\0'; byte++) {
        if (*byte == '\n') {
            text[length++] = '\r';
        }
        text[length++] = *byte;
    }
    EXPECT_OK(error, kci_ini_parse(text, length, "p.ini", &ini, &error));
    expect_good(ini);
    kci_ini_release(ini);
    /* The last line ends where the file does. */
    EXPECT_OK(error, kci_ini_parse(text, length - 1, "p.ini", &ini, &error));
    expect_good(ini);
    kci_ini_release(ini);
}
END_TEST

START_TEST(an_empty_text_has_no_entries)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_ini_t *ini = NULL;
    EXPECT_OK(error, kci_ini_parse(NULL, 0, "p.ini", &ini, &error));
    ck_assert_ptr_null(kci_ini_find(ini, "profile", "name"));
    EXPECT_OK(error, kci_ini_check_all_used(ini, &error));
    kci_ini_release(ini);
    EXPECT_OK(error, parse("\xef\xbb\xbf[a]\nb=1", &ini, &error));
    expect_value(ini, "a", "b", "1", 2);
    kci_ini_release(ini);
}
END_TEST

static const struct bad_text {
    const char *text;
    const char *message;
} bad_texts[] = {
    {"[a]\nb = 1\nc\n", "p.ini:3: expected `key = value`, found `c`"},
    {"b = 1\n", "p.ini:1: expected a `[section]` first"},
    {"[a]\nb = 1\nc = 2\nb = 3\n",
     "p.ini:4: key `b` of section [a] was already set on line 2"},
    {"[a]\nx=1\n[b]\nx=1\n[a]\nx=2\n", "p.ini:6: key `x`"},
    {"[a\n", "p.ini:1: expected `[section]`, found `[a`"},
    {"\n[", "p.ini:2: expected `[section]`"},
    {"[]\n", "p.ini:1: expected a section name"},
    {"[ \t]\n", "p.ini:1: expected a section name"},
    {"[[a]]\n", "p.ini:1: expected a section name"},
    {"[a] b\n", "p.ini:1: expected `[section]`"},
    {"[a]\n= 1\n", "p.ini:2: expected a key"},
    {"[a]\nb = \x01\n", "p.ini:2: expected text, found byte 0x01"},
    {"[a]\nb = 1\rc = 2\n", "p.ini:2: expected text, found byte 0x0d"},
    {"[a]\nb = \xff\n", "p.ini:2: expected text in UTF-8"},
    {"[a]\n# \x1b[2J\n", "p.ini:2: expected text, found byte 0x1b"},
};

START_TEST(a_bad_text_is_refused_with_its_line)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_ini_t *ini = NULL;
    EXPECT_FAILURE(error, KC_ERR_CONFIG, bad_texts[_i].message,
                   parse(bad_texts[_i].text, &ini, &error));
    ck_assert_ptr_null(ini);
}
END_TEST

START_TEST(a_nul_byte_is_refused_with_its_line)
{
    static const char text[] = "[a]\nb = 1\0x\n";
    kc_error_t error = KC_ERROR_INIT;
    kci_ini_t *ini = NULL;
    EXPECT_FAILURE(error, KC_ERR_CONFIG,
                   "p.ini:2: expected text, found byte 0x00",
                   kci_ini_parse(text, sizeof text - 1, "p.ini", &ini, &error));
}
END_TEST

START_TEST(what_nobody_asked_for_is_named)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_ini_t *ini = NULL;
    EXPECT_OK(error, parse("[a]\nb = 1\nc = 2\n[z]\n", &ini, &error));
    EXPECT_FAILURE(error, KC_ERR_CONFIG, "p.ini:1: unknown section [a]",
                   kci_ini_check_all_used(ini, &error));
    (void)kci_ini_find(ini, "a", "b");
    EXPECT_FAILURE(error, KC_ERR_CONFIG,
                   "p.ini:3: unknown key `c` in section [a]",
                   kci_ini_check_all_used(ini, &error));
    (void)kci_ini_find(ini, "a", "c");
    EXPECT_FAILURE(error, KC_ERR_CONFIG, "p.ini:4: unknown section [z]",
                   kci_ini_check_all_used(ini, &error));
    (void)kci_ini_find(ini, "z", "any");
    EXPECT_OK(error, kci_ini_check_all_used(ini, &error));
    kci_ini_release(ini);
}
END_TEST

/* A cut file is read or refused; no prefix changes an earlier line. */
START_TEST(every_prefix_is_settled)
{
    const size_t third_line_end =
        (size_t)(strstr(good_text, "acme_cpu") - good_text) +
        strlen("acme_cpu");
    for (size_t length = 0; length < strlen(good_text); length++) {
        kc_error_t error = KC_ERROR_INIT;
        kci_ini_t *ini = NULL;
        char *copy = malloc(length + 1); /* no byte more, for a sanitizer */
        memcpy(copy, good_text, length);
        kc_status_t status = kci_ini_parse(copy, length, "p.ini", &ini, &error);
        free(copy);
        ck_assert(status == KC_OK || status == KC_ERR_CONFIG);
        if (status == KC_OK && length >= third_line_end) {
            expect_value(ini, "profile", "name", "acme_cpu", 3);
        }
        kci_ini_release(ini);
    }
}
END_TEST

START_TEST(many_and_long_lines_are_read)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_ini_t *ini = NULL;
    size_t capacity = 4000000;
    char *text = malloc(capacity);
    size_t length = (size_t)sprintf(text, "[a]\nlong = ");
    memset(text + length, 'x', 1000000);
    length += 1000000;
    for (int i = 0; i < 100000; i++) {
        length += (size_t)snprintf(text + length, capacity - length,
                                   "\nkey%d = %d", i, i);
    }
    EXPECT_OK(error, kci_ini_parse(text, length, "p.ini", &ini, &error));
    free(text);
    ck_assert_uint_eq(strlen(kci_ini_find(ini, "a", "long")->value), 1000000);
    expect_value(ini, "a", "key99999", "99999", 100002);
    kci_ini_release(ini);
}
END_TEST

START_TEST(no_memory_is_a_status)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_ini_t *ini = NULL;
    for (int granted = 0; granted < 6; granted++) {
        failing_heap_break_after(granted);
        EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                       parse(good_text, &ini, &error));
        failing_heap_mend();
        ck_assert_ptr_null(ini);
    }
}
END_TEST

Suite *suite_config_ini(void)
{
    Suite *suite = suite_create("config/ini");
    TCase *tests = tcase_create("ini");
    tcase_add_test(tests, a_good_text_is_read);
    tcase_add_test(tests, carriage_returns_change_nothing);
    tcase_add_test(tests, an_empty_text_has_no_entries);
    tcase_add_loop_test(tests, a_bad_text_is_refused_with_its_line, 0,
                        (int)(sizeof bad_texts / sizeof *bad_texts));
    tcase_add_test(tests, a_nul_byte_is_refused_with_its_line);
    tcase_add_test(tests, what_nobody_asked_for_is_named);
    tcase_add_test(tests, every_prefix_is_settled);
    tcase_add_test(tests, many_and_long_lines_are_read);
    tcase_add_test(tests, no_memory_is_a_status);
    suite_add_tcase(suite, tests);
    return suite;
}
