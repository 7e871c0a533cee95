/* SPDX-License-Identifier: Apache-2.0
 *
 * Warnings: one line to the application's function, silence without one.
 */
#include "base/log.h"

#include <string.h>
#include "unit/base/suites.h"

typedef struct seen_line {
    int count;
    int32_t level;
    char text[KC_ERROR_MESSAGE_SIZE];
} seen_line_t;

static void remember(void *context, int32_t level, const char *line)
{
    seen_line_t *seen = context;
    seen->count++;
    seen->level = level;
    strcpy(seen->text, line);
}

START_TEST(a_line_arrives)
{
    seen_line_t seen = {0, -1, ""};
    kci_log_t log = {remember, &seen};
    kci_log_write(&log, KC_LOG_WARNING, "%s: %d\n", "file", 3);
    ck_assert_int_eq(seen.count, 1);
    ck_assert_int_eq(seen.level, KC_LOG_WARNING);
    ck_assert_str_eq(seen.text, "file: 3?");
}
END_TEST

START_TEST(a_long_line_is_cut)
{
    char text[2000];
    seen_line_t seen = {0, -1, ""};
    kci_log_t log = {remember, &seen};
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    kci_log_write(&log, KC_LOG_INFO, "%s", text);
    ck_assert_uint_eq(strlen(seen.text), KC_ERROR_MESSAGE_SIZE - 1);
}
END_TEST

START_TEST(no_function_is_silence)
{
    kci_log_t log = {NULL, NULL};
    kci_log_write(&log, KC_LOG_ERROR, "nobody");
    kci_log_write(NULL, KC_LOG_ERROR, "nobody");
}
END_TEST

Suite *suite_base_log(void)
{
    Suite *suite = suite_create("base/log");
    TCase *tests = tcase_create("log");
    tcase_add_test(tests, a_line_arrives);
    tcase_add_test(tests, a_long_line_is_cut);
    tcase_add_test(tests, no_function_is_silence);
    suite_add_tcase(suite, tests);
    return suite;
}
