/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of the checks of one node, and errors that name it.
 */
#include "graph/draft.h"

#include <string.h>
#include "unit/expect.h"
#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

START_TEST(an_error_names_the_node)
{
    expect_refused(INPUT_X("[2, 3]") NODE("matmul", "[0, 0]", "[2, 3]"),
                   "g.json: node 1 (matmul, parents [0, 0]): matmul: expected "
                   "equal inner extents of a and b, found [2, 3] and [2, 3]");
    expect_refused(INPUT_X("[5]")
                       NODE_WITH("slice", "[0]", "[2]",
                                 "{\"axis\": 0, \"start\": 4, \"length\": 2}"),
                   "g.json: node 1 (slice axis 0 start 4 length 2, parents "
                   "[0]): slice: attributes start and length: 4 and 2 reach "
                   "past the extent 5 of axis 0");
    expect_refused(INPUT_X("[2, 3]") NODE("relu", "[0]", "[3, 2]"),
                   "node 1 (relu, parents [0]): declared f32 [3, 2], but "
                   "relu gives f32 [2, 3]");
}
END_TEST

START_TEST(a_wrong_dtype_is_a_wrong_result)
{
    expect_refused(INPUT_X("[2]") ", {@, \"op\": \"relu\", \"parents\": [0], "
                                  "\"shape\": [2], \"dtype\": \"f64\"}",
                   "declared f64 [2], but relu gives f32 [2]");
    expect_refused(INPUT_X("[2]") NODE("detach", "[0]", "[1]"),
                   "declared f32 [1], but detach gives f32 [2]");
    expect_refused("{@, \"op\": \"rand_uniform\", \"shape\": [2], "
                   "\"dtype\": \"f64\"}",
                   "declared f64 [2], but rand_uniform gives f32 [2]");
}
END_TEST

START_TEST(counts_come_before_order)
{
    expect_refused(INPUT_X("[2]") NODE("relu", "[7, 8]", "[2]"),
                   "node 1 (relu, parents [7, 8]): expected 1 parents, "
                   "found 2");
    expect_refused(INPUT_X("[2]") NODE("linear", "[0]", "[2]"),
                   "expected 2 to 3 parents, found 1");
    expect_refused("{@, \"op\": \"input\", \"name\": \"x\", \"shape\": [2], "
                   "\"parents\": [0]}",
                   "node 0 (input, parents [0]): expected 0 parents, found 1");
}
END_TEST

START_TEST(parents_come_first)
{
    const char *self = INPUT_X("[2]") NODE("relu", "[1]", "[2]");
    const char *cycle =
        INPUT_X("[2]") NODE("relu", "[2]", "[2]") NODE("relu", "[1]", "[2]");
    expect_refused(self, "node 1 (relu, parents [1]): expected parents before "
                         "the node, found parent 1");
    expect_refused(cycle, "node 1 (relu, parents [2]): expected parents "
                          "before the node, found parent 2");
    expect_refused(INPUT_X("[2]") NODE("relu", "[4294967295]", "[2]"),
                   "found parent 4294967295");
}
END_TEST

/* Order before attributes, attributes before the declared shape. */
START_TEST(the_first_fault_is_reported)
{
    expect_refused(INPUT_X("[2]")
                       NODE_WITH("softmax", "[1]", "[3]", "{\"axis\": 9}"),
                   "expected parents before the node");
    expect_refused(INPUT_X("[2]")
                       NODE_WITH("softmax", "[0]", "[3]", "{\"axis\": \"a\"}"),
                   "attribute axis: expected an integer");
    expect_refused(INPUT_X("[2]")
                       NODE_WITH("softmax", "[0]", "[3]", "{\"axis\": 9}"),
                   "axis 9 is out of range");
    expect_refused(INPUT_X("[2]")
                       NODE_WITH("softmax", "[0]", "[3]", "{\"axis\": 0}"),
                   "declared f32 [3], but softmax gives f32 [2]");
}
END_TEST

START_TEST(only_operations_have_attributes)
{
    expect_refused("{@, \"op\": \"input\", \"name\": \"x\", \"shape\": [2], "
                   "\"attrs\": {\"axis\": 0}}",
                   "node 0 (input axis 0, parents []): expected no "
                   "attributes");
    kci_graph_release(
        graph_of("{@, \"op\": \"input\", \"name\": \"x\", \"shape\": [2], "
                 "\"attrs\": {}}"));
}
END_TEST

START_TEST(marks_are_for_their_kinds)
{
    expect_refused("{@, \"op\": \"input\", \"shape\": [2]}",
                   "node 0 (input, parents []): expected a name, found none");
    expect_refused("{@, \"op\": \"const\", \"shape\": [2], \"name\": \"\"}",
                   "expected a name, found none");
    expect_refused(INPUT_X("[2]") ", {@, \"op\": \"relu\", \"parents\": [0], "
                                  "\"shape\": [2], \"name\": \"r\"}",
                   "expected no name, found `r`");
    expect_refused("{@, \"op\": \"const\", \"shape\": [2], \"name\": \"c\", "
                   "\"dtype\": \"i64\", \"trainable\": true}",
                   "expected a trainable const of f32 or f64, found i64");
}
END_TEST

/* Ports are given as NAME=FILE, the names of consts are those of a file. */
START_TEST(names_can_be_given)
{
    expect_refused("{@, \"op\": \"input\", \"shape\": [2], \"name\": \"a=b\"}",
                   "node 0 (input, parents []): expected a name that can be "
                   "given as NAME=FILE, found one with `=`: `a=b`");
    expect_refused(
        "{@, \"op\": \"input\", \"shape\": [2], \"name\": \"a\\nb\"}",
        "expected a name of UTF-8 without control characters, "
        "found `a?b`");
    expect_refused(
        "{@, \"op\": \"const\", \"shape\": [2], \"name\": \"\\u007f\"}",
        "expected a name of UTF-8 without control characters");
    kci_graph_release(
        graph_of("{@, \"op\": \"const\", \"shape\": [2], \"name\": \"a=b\"}"));
}
END_TEST

START_TEST(values_have_addresses)
{
    expect_refused(INPUT_X("[2305843009213693952]"),
                   "node 0 (input, parents []): shape [2305843009213693952]: "
                   "too many elements: 2305843009213693952 of 4 bytes cannot "
                   "be addressed");
    expect_refused(INPUT_X("[4]")
                       NODE("broadcast_to", "[0]", "[1152921504606846976, 4]"),
                   "node 1 (broadcast_to, parents [0]): shape "
                   "[1152921504606846976, 4]: too many elements");
    expect_refused(INPUT_X("[\"N\", 2305843009213693952]"),
                   "too many elements");
    kci_graph_release(graph_of(INPUT_X("[2305843009213693951]")));
    kci_graph_release(graph_of(INPUT_X("[0, 2305843009213693952]")));
}
END_TEST

START_TEST(many_parents_are_cut)
{
    char nodes[512] = INPUT_X("[2]") ", {@, \"op\": \"concat\", \"shape\": "
                                     "[9], \"attrs\": {\"axis\": 0}, "
                                     "\"parents\": [0";
    for (int i = 0; i < 20; i++) {
        strcat(nodes, ", 0");
    }
    strcat(nodes, "]}");
    expect_refused(nodes, "node 1 (concat axis 0, parents [0, 0, 0, 0, 0, 0, "
                          "... 21 in all]): declared f32 [9], but concat "
                          "gives f32 [42]");
}
END_TEST

START_TEST(long_sources_keep_their_end)
{
    char path[300];
    char text[KCI_SOURCE_TEXT_SIZE];
    memset(path, 'a', sizeof path);
    strcpy(path + sizeof path - 9, "/x.json");
    kci_format_source(path, text);
    ck_assert_uint_eq(strlen(text), KCI_SOURCE_TEXT_SIZE - 1);
    ck_assert(strncmp(text, "...a", 4) == 0);
    ck_assert(strstr(text, "/x.json") != NULL);
    kci_format_source("g.json", text);
    ck_assert_str_eq(text, "g.json");
}
END_TEST

Suite *suite_graph_draft(void)
{
    Suite *suite = suite_create("graph/draft");
    TCase *tcase = tcase_create("draft");
    tcase_add_test(tcase, an_error_names_the_node);
    tcase_add_test(tcase, a_wrong_dtype_is_a_wrong_result);
    tcase_add_test(tcase, counts_come_before_order);
    tcase_add_test(tcase, parents_come_first);
    tcase_add_test(tcase, the_first_fault_is_reported);
    tcase_add_test(tcase, only_operations_have_attributes);
    tcase_add_test(tcase, marks_are_for_their_kinds);
    tcase_add_test(tcase, names_can_be_given);
    tcase_add_test(tcase, values_have_addresses);
    tcase_add_test(tcase, many_parents_are_cut);
    tcase_add_test(tcase, long_sources_keep_their_end);
    suite_add_tcase(suite, tcase);
    return suite;
}
