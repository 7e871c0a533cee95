/* SPDX-License-Identifier: Apache-2.0
 *
 * Names in messages: whole when short, visibly cut when long.
 */
#include "base/short_name.h"

#include <string.h>
#include "unit/base/suites.h"
#include "unit/expect.h"

static void fill(char *out, const char *character, int count)
{
    out[0] = '\0';
    for (int i = 0; i < count; i++) {
        strcat(out, character);
    }
}

START_TEST(short_names_are_whole)
{
    char name[100];
    fill(name, "a", 64);
    ck_assert_str_eq(kci_short_name("").text, "");
    ck_assert_str_eq(kci_short_name("weight").text, "weight");
    ck_assert_str_eq(kci_short_name(name).text, name);
}
END_TEST

START_TEST(long_names_are_cut_and_say_so)
{
    char name[100];
    char expected[100];
    fill(name, "a", 65);
    fill(expected, "a", 64);
    strcat(expected, "...");
    ck_assert_str_eq(kci_short_name(name).text, expected);
}
END_TEST

/* Three bytes each: 21 of them are 63 bytes, the 22nd does not fit. */
START_TEST(no_character_is_cut)
{
    char name[100];
    char expected[100];
    fill(name, "\xe2\x82\xac", 30);
    fill(expected, "\xe2\x82\xac", 21);
    strcat(expected, "...");
    ck_assert_str_eq(kci_short_name(name).text, expected);
    fill(name, "\xff", 99);
    ck_assert_uint_eq(strlen(kci_short_name(name).text), 67);
}
END_TEST

Suite *suite_base_short_name(void)
{
    Suite *suite = suite_create("base/short_name");
    TCase *tests = tcase_create("short_name");
    tcase_add_test(tests, short_names_are_whole);
    tcase_add_test(tests, long_names_are_cut_and_say_so);
    tcase_add_test(tests, no_character_is_cut);
    suite_add_tcase(suite, tests);
    return suite;
}
