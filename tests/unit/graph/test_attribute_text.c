/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of any form in a bounded text.
 */
#include "graph/attribute_text.h"

#include <stdlib.h>
#include <string.h>
#include "unit/graph/suites.h"

static void check_text(const char *json_text, const char *expected)
{
    char text[KCI_ATTRIBUTE_TEXT_SIZE];
    json_t *json = json_loads(json_text, 0, NULL);
    ck_assert_ptr_nonnull(json);
    kci_format_attributes(json, text);
    ck_assert_str_eq(text, expected);
    json_decref(json);
}

START_TEST(values_of_all_types)
{
    check_text("{\"axis\": 0, \"start\": -3}", "axis 0 start -3");
    check_text("{\"a\": 0.5, \"b\": \"inf\", \"c\": null}",
               "a 0.5 b inf c null");
    check_text("{\"a\": true, \"b\": false, \"c\": [1, [2], {}]}",
               "a true b false c [1, [...], {...}]");
    check_text("{\"a\": {\"b\": 1}}", "a {...}");
    check_text("{}", "");
    check_text("[1]", "");
}
END_TEST

START_TEST(long_texts_are_cut)
{
    char text[KCI_ATTRIBUTE_TEXT_SIZE];
    json_t *json = json_object();
    json_t *list = json_array();
    for (int i = 0; i < 100000; i++) {
        json_array_append_new(list, json_integer(i));
    }
    json_object_set_new(json, "kernel", list);
    kci_format_attributes(json, text);
    ck_assert_uint_eq(strlen(text), KCI_ATTRIBUTE_TEXT_SIZE - 1);
    ck_assert(strncmp(text, "kernel [0, 1, 2", 15) == 0);
    json_decref(json);
    kci_format_attributes(NULL, text);
    ck_assert_str_eq(text, "");
}
END_TEST

Suite *suite_graph_attribute_text(void)
{
    Suite *suite = suite_create("graph/attribute_text");
    TCase *tcase = tcase_create("text");
    tcase_add_test(tcase, values_of_all_types);
    tcase_add_test(tcase, long_texts_are_cut);
    suite_add_tcase(suite, tcase);
    return suite;
}
