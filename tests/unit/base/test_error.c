/* SPDX-License-Identifier: Apache-2.0
 *
 * Error records: one line, never beyond the record's own size, context in
 * front and the first status kept.
 */
#include "base/error.h"

#include <errno.h>
#include <stddef.h>
#include "unit/base/suites.h"
#include "unit/comma_locale.h"
#include "unit/expect.h"

START_TEST(a_failure_has_status_and_message)
{
    kc_error_t error = KC_ERROR_INIT;
    ck_assert_int_eq(kci_fail(&error, KC_ERR_IO, "%s: %d", "file", 7),
                     KC_ERR_IO);
    ck_assert_int_eq(error.status, KC_ERR_IO);
    ck_assert_str_eq(error.message, "file: 7");
    ck_assert_int_eq(kci_fail(NULL, KC_ERR_IO, "nobody asks"), KC_ERR_IO);
    kci_error_prepend(NULL, "nobody asks");
}
END_TEST

START_TEST(control_bytes_and_broken_text_become_marks)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_FAILURE(error, KC_ERR_FORMAT, "a?b?c?d?e",
                   kci_fail(&error, KC_ERR_FORMAT, "%s",
                            "a\nb\rc\x1b"
                            "d\xff"
                            "e"));
}
END_TEST

START_TEST(a_long_message_is_cut)
{
    kc_error_t error = KC_ERROR_INIT;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq(kci_fail(&error, KC_ERR_IO, "%s", text), KC_ERR_IO);
    ck_assert_uint_eq(strlen(error.message), KC_ERROR_MESSAGE_SIZE - 1);
    kci_error_prepend(&error, "front");
    ck_assert_uint_eq(strlen(error.message), KC_ERROR_MESSAGE_SIZE - 1);
    ck_assert_int_eq(strncmp(error.message, "front: xxx", 10), 0);
    kci_error_prepend(&error, "%s", text);
    ck_assert_uint_eq(strlen(error.message), KC_ERROR_MESSAGE_SIZE - 1);
}
END_TEST

START_TEST(context_goes_in_front_and_the_status_stays)
{
    kc_error_t error = KC_ERROR_INIT;
    ck_assert_int_eq(kci_fail(&error, KC_ERR_FORMAT, "bad"), KC_ERR_FORMAT);
    kci_error_prepend(&error, "node %d", 3);
    kci_error_prepend(&error, "graph.json");
    ck_assert_str_eq(error.message, "graph.json: node 3: bad");
    ck_assert_int_eq(error.status, KC_ERR_FORMAT);
}
END_TEST

START_TEST(an_argument_may_be_the_message_itself)
{
    kc_error_t error = KC_ERROR_INIT;
    ck_assert_int_eq(kci_fail(&error, KC_ERR_IO, "inner"), KC_ERR_IO);
    ck_assert_int_eq(
        kci_fail(&error, KC_ERR_MODULE, "outer (%s)", error.message),
        KC_ERR_MODULE);
    ck_assert_str_eq(error.message, "outer (inner)");
}
END_TEST

/* A caller built against a smaller record gets no more than it has. */
START_TEST(a_smaller_record_is_respected)
{
    kc_error_t error = KC_ERROR_INIT;
    memset(error.message, '#', sizeof error.message);
    error.struct_size = offsetof(kc_error_t, message) + 8;
    ck_assert_int_eq(kci_fail(&error, KC_ERR_IO, "0123456789"), KC_ERR_IO);
    ck_assert_str_eq(error.message, "0123456");
    ck_assert_int_eq(error.message[8], '#');
    error.struct_size = 0;
    ck_assert_int_eq(kci_fail(&error, KC_ERR_MODULE, "nothing"), KC_ERR_MODULE);
    ck_assert_str_eq(error.message, "0123456");
    ck_assert_int_eq(error.status, KC_ERR_IO);
}
END_TEST

START_TEST(system_words_do_not_follow_the_locale)
{
    scratch_t scratch = scratch_make();
    (void)comma_locale_begin(&scratch);
    ck_assert_str_eq(kci_errno_text(ENOENT), "No such file or directory");
    comma_locale_end();
    scratch_remove(&scratch);
}
END_TEST

Suite *suite_base_error(void)
{
    Suite *suite = suite_create("base/error");
    TCase *tests = tcase_create("error");
    tcase_add_test(tests, a_failure_has_status_and_message);
    tcase_add_test(tests, control_bytes_and_broken_text_become_marks);
    tcase_add_test(tests, a_long_message_is_cut);
    tcase_add_test(tests, context_goes_in_front_and_the_status_stays);
    tcase_add_test(tests, an_argument_may_be_the_message_itself);
    tcase_add_test(tests, a_smaller_record_is_respected);
    tcase_add_test(tests, system_words_do_not_follow_the_locale);
    suite_add_tcase(suite, tests);
    return suite;
}
