/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of words.
 */
#include "registry/word_list.h"

#include "unit/expect.h"
#include "unit/registry/suites.h"

static const struct {
    const char *text;
    size_t count;
    const char *last;
} lists[] = {
    {"a", 1, "a"},     {"a,b", 2, "b"},     {" a ,\tb ", 2, "b"},
    {"a b", 1, "a b"}, {"a, b, c", 3, "c"},
};

START_TEST(words_between_commas)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_word_list_t list;
    EXPECT_OK(error, kci_word_list_parse(lists[_i].text, &list, &error));
    ck_assert_uint_eq(list.count, lists[_i].count);
    ck_assert_str_eq(list.words[list.count - 1], lists[_i].last);
    kci_word_list_release(&list);
}
END_TEST

static const char *const bad_lists[] = {"",   " ",    ",",    "a,",
                                        ",a", "a,,b", "a, ,b"};

START_TEST(an_empty_word_is_an_error)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_word_list_t list = {NULL, NULL, 7};
    EXPECT_FAILURE(error, KC_ERR_CONFIG, "found nothing",
                   kci_word_list_parse(bad_lists[_i], &list, &error));
    ck_assert_uint_eq(list.count, 7);
}
END_TEST

Suite *suite_registry_word_list(void)
{
    Suite *suite = suite_create("registry/word_list");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, words_between_commas, 0,
                        sizeof lists / sizeof *lists);
    tcase_add_loop_test(tcase, an_empty_word_is_an_error, 0,
                        sizeof bad_lists / sizeof *bad_lists);
    suite_add_tcase(suite, tcase);
    return suite;
}
