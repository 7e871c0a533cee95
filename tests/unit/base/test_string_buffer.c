/* SPDX-License-Identifier: Apache-2.0
 *
 * A growing text: appended pieces, taken texts, and failure that stays.
 */
#include "base/string_buffer.h"

#include "base/alloc.h"
#include "unit/base/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

START_TEST(pieces_make_a_text)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    char *text = NULL;
    kci_string_append(&buffer, "a");
    kci_string_append_bytes(&buffer, "bcd", 2);
    kci_string_appendf(&buffer, " %d %s", 7, "x");
    kci_string_append(&buffer, "");
    ck_assert_uint_eq(buffer.length, 7);
    EXPECT_OK(error, kci_string_take(&buffer, &text, &error));
    ck_assert_str_eq(text, "abc 7 x");
    ck_assert_ptr_null(buffer.text);
    ck_assert_uint_eq(buffer.length, 0);
    kci_free(text);
}
END_TEST

START_TEST(an_empty_buffer_gives_an_empty_text)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    char *text = NULL;
    EXPECT_OK(error, kci_string_take(&buffer, &text, &error));
    ck_assert_str_eq(text, "");
    kci_free(text);
    kci_string_release(&buffer);
}
END_TEST

START_TEST(a_long_text_grows)
{
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    for (int i = 0; i < 10000; i++) {
        kci_string_appendf(&buffer, "%04d", i);
    }
    ck_assert_uint_eq(buffer.length, 40000);
    ck_assert_uint_eq(strlen(buffer.text), 40000);
    ck_assert_mem_eq(buffer.text + 4 * 1234, "1234", 4);
    kci_string_release(&buffer);
    ck_assert_ptr_null(buffer.text);
}
END_TEST

START_TEST(failure_stays_until_the_end)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    char *text = NULL;
    kci_string_append(&buffer, "abc");
    failing_heap_break_after(0);
    kci_string_append(&buffer, "a text that does not fit any more");
    failing_heap_mend();
    ck_assert(buffer.has_failed);
    kci_string_append(&buffer, "x");
    kci_string_appendf(&buffer, "%d", 1);
    ck_assert_str_eq(buffer.text, "abc");
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                   kci_string_take(&buffer, &text, &error));
    ck_assert_ptr_null(text);
    ck_assert_ptr_null(buffer.text);
    ck_assert(!buffer.has_failed);
}
END_TEST

Suite *suite_base_string_buffer(void)
{
    Suite *suite = suite_create("base/string_buffer");
    TCase *tests = tcase_create("string_buffer");
    tcase_add_test(tests, pieces_make_a_text);
    tcase_add_test(tests, an_empty_buffer_gives_an_empty_text);
    tcase_add_test(tests, a_long_text_grows);
    tcase_add_test(tests, failure_stays_until_the_end);
    suite_add_tcase(suite, tests);
    return suite;
}
