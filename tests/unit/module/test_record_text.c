/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts in records: their end, what may stand in them, what follows them.
 */
#include "module/record_text.h"

#include "unit/module/suites.h"
#include "unit/expect.h"

START_TEST(what_follows_the_end_is_made_zero)
{
    kc_error_t error = KC_ERROR_INIT;
    char text[8] = {'a', 'b', 0, 'x', 'y', 'z', 'x', 'y'};
    static const char wanted[8] = {'a', 'b', 0, 0, 0, 0, 0, 0};
    EXPECT_OK(error, kci_record_text_check(text, sizeof text, "f", &error));
    ck_assert_mem_eq(text, wanted, sizeof text);
}
END_TEST

START_TEST(a_text_ends_in_its_array)
{
    kc_error_t error = KC_ERROR_INIT;
    char text[4] = {'a', 'b', 'c', 'd'};
    EXPECT_FAILURE(error, KC_ERR_MODULE,
                   "f: expected a text that ends within 4 bytes",
                   kci_record_text_check(text, sizeof text, "f", &error));
    text[3] = 0;
    EXPECT_OK(error, kci_record_text_check(text, sizeof text, "f", &error));
}
END_TEST

/* Bytes that must not be printed: controls, broken UTF-8, overlong forms,
 * surrogates, C1, separators, direction marks, zero width. */
static const char *const unprintable[] = {
    "\n",           "\x1b[31m",     "\x7f",         "a\tb",
    "\xff",         "\xc3",         "\xc0\xaf",     "\xe0\x80\xaf",
    "\xed\xa0\x80", "\xc2\x85",     "\xe2\x80\xa8", "\xe2\x80\xae",
    "\xe2\x80\x8b", "\xef\xbb\xbf", "\xe2\x81\xa6", "\xf4\x90\x80\x80"};

START_TEST(what_cannot_be_printed_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    char text[16] = {0};
    strcpy(text, unprintable[_i]);
    EXPECT_FAILURE(error, KC_ERR_MODULE, "f: expected printable text",
                   kci_record_text_check(text, sizeof text, "f", &error));
}
END_TEST

START_TEST(names_of_people_are_printable)
{
    kc_error_t error = KC_ERROR_INIT;
    char text[32] = "J\xc3\xbcrgen \xe6\x9d\x8e \xf0\x9f\x99\x82";
    EXPECT_OK(error, kci_record_text_check(text, sizeof text, "f", &error));
}
END_TEST

START_TEST(module_names)
{
    ck_assert(kci_is_module_name("acme"));
    ck_assert(kci_is_module_name("a1_b"));
    ck_assert(!kci_is_module_name(""));
    ck_assert(!kci_is_module_name("1a"));
    ck_assert(!kci_is_module_name("Acme"));
    ck_assert(!kci_is_module_name("a-b"));
    ck_assert(!kci_is_module_name("a.b"));
    ck_assert(!kci_is_module_name("a/../b"));
}
END_TEST

START_TEST(capsule_names)
{
    ck_assert(kci_is_capsule_name("acme.relu"));
    ck_assert(kci_is_capsule_name("Acme/relu-v2"));
    ck_assert(!kci_is_capsule_name(""));
    ck_assert(!kci_is_capsule_name("acme relu"));
    ck_assert(!kci_is_capsule_name("acme,relu"));
    ck_assert(!kci_is_capsule_name("relu\xc3\xbc"));
}
END_TEST

Suite *suite_module_record_text(void)
{
    Suite *suite = suite_create("module/record_text");
    TCase *tests = tcase_create("record_text");
    tcase_add_test(tests, what_follows_the_end_is_made_zero);
    tcase_add_test(tests, a_text_ends_in_its_array);
    tcase_add_loop_test(tests, what_cannot_be_printed_is_refused, 0,
                        (int)(sizeof unprintable / sizeof *unprintable));
    tcase_add_test(tests, names_of_people_are_printable);
    tcase_add_test(tests, module_names);
    tcase_add_test(tests, capsule_names);
    suite_add_tcase(suite, tests);
    return suite;
}
