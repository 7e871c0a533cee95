/* SPDX-License-Identifier: Apache-2.0
 *
 * What may stand in a message: valid UTF-8 without controls, nothing moved.
 */
#include "base/one_line.h"

#include <string.h>
#include "unit/base/suites.h"

static const struct cleaned_text {
    const char *text;
    const char *cleaned;
} cleaned_texts[] = {
    {"", ""},
    {"plain text", "plain text"},
    {"a\tb\nc\rd\x7f", "a?b?c?d?"},
    {"\x1b[31mred", "?[31mred"},
    {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
     "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"\xc2\x85 \xe2\x80\xa8", "?? ???"},
    {"\xff\xfe", "??"},
    {"\xc3", "?"},
    {"\xe2\x82", "??"},
    {"\xc0\x80", "??"},
    {"\xed\xa0\x80", "???"},
    {"\xf4\x90\x80\x80", "????"},
    {"\xe0\x9f\xbf", "???"},
};

START_TEST(lines_are_cleaned_in_place)
{
    char text[64];
    strcpy(text, cleaned_texts[_i].text);
    kci_make_one_line(text);
    ck_assert_str_eq(text, cleaned_texts[_i].cleaned);
    ck_assert(kci_is_utf8(text, strlen(text)));
}
END_TEST

START_TEST(what_is_no_line_is_told)
{
    static const char *const others[] = {"a\nb", "\x7f", "\xc2\x85",
                                         "\xe2\x80\xa8", "a\xff"};
    ck_assert(kci_is_one_line(""));
    ck_assert(kci_is_one_line("a name \xe2\x82\xac"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert(!kci_is_one_line(others[i]));
    }
}
END_TEST

START_TEST(utf8_is_told_from_other_bytes)
{
    ck_assert(kci_is_utf8("", 0));
    ck_assert(kci_is_utf8("a\0b", 3));
    ck_assert(kci_is_utf8("\xf4\x8f\xbf\xbf", 4));
    ck_assert(!kci_is_utf8("\xf4\x8f\xbf\xbf", 3));
    ck_assert(!kci_is_utf8("a\x80", 2));
    ck_assert_uint_eq(kci_utf8_character_size("\xe2\x82\xac", 3), 3);
    ck_assert_uint_eq(kci_utf8_character_size("\xe2\x82\xac", 2), 0);
    ck_assert_uint_eq(kci_utf8_character_size("", 0), 0);
}
END_TEST

Suite *suite_base_one_line(void)
{
    Suite *suite = suite_create("base/one_line");
    TCase *tests = tcase_create("one_line");
    tcase_add_loop_test(tests, lines_are_cleaned_in_place, 0,
                        (int)(sizeof cleaned_texts / sizeof *cleaned_texts));
    tcase_add_test(tests, what_is_no_line_is_told);
    tcase_add_test(tests, utf8_is_told_from_other_bytes);
    suite_add_tcase(suite, tests);
    return suite;
}
