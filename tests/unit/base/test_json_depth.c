/* SPDX-License-Identifier: Apache-2.0
 *
 * How deep a JSON text nests: brackets in strings do not count, positions are
 * lines and characters.
 */
#include "base/json_depth.h"

#include <string.h>
#include "unit/base/suites.h"

static bool is_within(const char *text, size_t depth_max,
                      kci_text_position_t *out_position)
{
    return kci_json_depth_is_within(text, strlen(text), depth_max,
                                    out_position);
}

START_TEST(siblings_do_not_add_up)
{
    kci_text_position_t position = {0, 0};
    ck_assert(is_within("[{},[],{\"a\":[]}]", 3, &position));
    ck_assert(!is_within("[{},[],{\"a\":[]}]", 2, &position));
    ck_assert_uint_eq(position.line, 1);
    ck_assert_uint_eq(position.column, 13);
    ck_assert(is_within("", 0, &position));
}
END_TEST

START_TEST(strings_are_skipped)
{
    kci_text_position_t position = {0, 0};
    ck_assert(is_within("[\"[[[\", \"\\\"[[\", \"\\\\\"]", 1, &position));
    ck_assert(is_within("[\"[[[[[[[[", 1, &position));
    ck_assert(!is_within("[\"\\\\\", [[]]]", 2, &position));
}
END_TEST

START_TEST(positions_count_lines_and_characters)
{
    kci_text_position_t position = {0, 0};
    ck_assert(!is_within("[\n\n  \"\xc3\xa9\xe2\x82\xac\", [", 1, &position));
    ck_assert_uint_eq(position.line, 3);
    ck_assert_uint_eq(position.column, 9);
}
END_TEST

START_TEST(stray_closing_brackets_are_the_parsers_matter)
{
    kci_text_position_t position = {0, 0};
    ck_assert(is_within("]]]][", 1, &position));
    ck_assert(!is_within("]]]][[", 1, &position));
}
END_TEST

Suite *suite_base_json_depth(void)
{
    Suite *suite = suite_create("base/json_depth");
    TCase *tests = tcase_create("json_depth");
    tcase_add_test(tests, siblings_do_not_add_up);
    tcase_add_test(tests, strings_are_skipped);
    tcase_add_test(tests, positions_count_lines_and_characters);
    tcase_add_test(tests, stray_closing_brackets_are_the_parsers_matter);
    suite_add_tcase(suite, tests);
    return suite;
}
