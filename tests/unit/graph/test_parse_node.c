/* SPDX-License-Identifier: Apache-2.0
 *
 * The form of one node: keys, JSON types, ranges.
 */
#include "graph/parse_node.h"

#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

#define INPUT(rest) "{@, \"op\": \"input\", \"name\": \"x\", " rest "}"

static const struct bad_node {
    const char *nodes;
    const char *words;
} bad_forms[] = {
    {"7", "node 0: expected an object"},
    {"[]", "node 0: expected an object"},
    {"{}", "node 0: id: expected the integer 0"},
    {"{\"id\": \"0\"}", "id: expected the integer 0"},
    {"{\"id\": 0.0}", "id: expected the integer 0"},
    {"{@}", "node 0: op: expected a text, found none"},
    {"{@, \"op\": 3}", "node 0: op: expected a text"},
    {"{@, \"op\": \"input\", \"name\": 3}", "node 0 (input): name: expected "
                                            "a text"},
    {"{@, \"op\": \"input\", \"colour\": 3}", "unknown key `colour`"},
    {"{@, \"op\": \"input\", \"name\": \"x\"}",
     "node 0 (input): shape: expected a list, found none"},
    {INPUT("\"shape\": 3"), "shape: expected a list"},
    {INPUT("\"shape\": [2.0]"), "shape: expected an integer or a name on "
                                "axis 0"},
    {INPUT("\"shape\": [null]"), "shape: expected an integer or a name"},
    {INPUT("\"shape\": [2, 3.5]"), "shape: expected an integer on axis 1"},
    {INPUT("\"shape\": [-1]"), "shape [-1]: expected an extent >= 0 on axis 0, "
                               "found -1"},
    {INPUT("\"shape\": [4294967296, 4294967296]"), "too many elements"},
    {INPUT("\"shape\": [2147483648, 2, 2147483648]"), "too many elements"},
    {INPUT("\"shape\": [0, 9223372036854775807, 4]"), "too many elements"},
    {INPUT("\"shape\": [\"N\", 9223372036854775807, 4]"), "too many elements"},
    {INPUT("\"shape\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
     "shape: expected a rank of 0 to 16, found 17"},
    {INPUT("\"shape\": [2], \"dtype\": \"float\""),
     "dtype: expected one of f32, f64, bool, i32, i64, found `float`"},
    {INPUT("\"shape\": [2], \"dtype\": 0"), "dtype: expected a text"},
    {INPUT("\"shape\": [2], \"parents\": 0"), "parents: expected a list of "
                                              "ids"},
    {INPUT("\"shape\": [2], \"parents\": [\"0\"]"), "parents: expected a "
                                                    "list of ids"},
    {INPUT("\"shape\": [2], \"parents\": [0.0]"), "parents: expected a list "
                                                  "of ids"},
    {INPUT("\"shape\": [2], \"attrs\": []"), "attrs: expected an object"},
    {INPUT("\"shape\": [2], \"trainable\": true"),
     "trainable: only a const has it, not `input`"},
    {"{@, \"op\": \"const\", \"name\": \"c\", \"shape\": [2], "
     "\"trainable\": 1}",
     "trainable: expected true or false"},
};

START_TEST(bad_forms_are_format_errors)
{
    expect_format_error(bad_forms[_i].nodes, bad_forms[_i].words);
}
END_TEST

START_TEST(ids_are_places)
{
    expect_refused("{\"id\": 1}", "node 0: id: nodes come in order of their "
                                  "ids, expected 0, found 1");
    expect_refused(INPUT_X("[2]") ", {\"id\": 0}",
                   "node 1: id: nodes come in order of their ids, expected 1, "
                   "found 0");
    expect_refused(INPUT_X("[2]") ", {\"id\": -1}", "found -1");
    expect_refused("{\"id\": 4294967296}", "found 4294967296");
}
END_TEST

START_TEST(parents_are_ids)
{
    expect_refused(INPUT_X("[2]") NODE("relu", "[-1]", "[2]"),
                   "node 1 (relu): parents: there is no node -1");
    expect_refused(INPUT_X("[2]") NODE("relu", "[4294967296]", "[2]"),
                   "there is no node 4294967296");
}
END_TEST

/* A product over 32 bits is fine as long as 64 bits hold it. */
START_TEST(large_shapes_are_legal)
{
    kc_graph_t *graph = graph_of(INPUT(
        "\"shape\": [65536, 65536]") ", "
                                     "{@, \"op\": \"softmax\", \"parents\": "
                                     "[0], \"shape\": [65536, "
                                     "65536], \"attrs\": {\"axis\": 1}}");
    ck_assert(graph->demands[1].element_max == INT64_C(4294967296));
    kci_graph_release(graph);
    kci_graph_release(graph_of(INPUT("\"shape\": []")));
    kci_graph_release(graph_of(INPUT("\"shape\": [0, 9223372036854775807]")));
}
END_TEST

START_TEST(dtypes_have_labels)
{
    kc_graph_t *graph = graph_of(INPUT(
        "\"shape\": [2], \"dtype\": \"bool\"") ", {@, \"op\": "
                                               "\"const\", \"name\": \"i\", "
                                               "\"shape\": [3], \"dtype\": "
                                               "\"i64\"}, "
                                               "{@, \"op\": \"gather\", "
                                               "\"parents\": [0, 1], "
                                               "\"shape\": [3], "
                                               "\"dtype\": \"bool\", "
                                               "\"attrs\": {\"axis\": 0}}");
    ck_assert_int_eq(graph->nodes[0].dtype, KC_DTYPE_BOOL);
    ck_assert_int_eq(graph->nodes[1].dtype, KC_DTYPE_I64);
    ck_assert_uint_eq(graph->nodes[1].is_trainable, 0);
    kci_graph_release(graph);
}
END_TEST

Suite *suite_graph_parse_node(void)
{
    Suite *suite = suite_create("graph/parse_node");
    TCase *tcase = tcase_create("parse_node");
    tcase_add_loop_test(tcase, bad_forms_are_format_errors, 0,
                        (int)(sizeof bad_forms / sizeof *bad_forms));
    tcase_add_test(tcase, ids_are_places);
    tcase_add_test(tcase, parents_are_ids);
    tcase_add_test(tcase, large_shapes_are_legal);
    tcase_add_test(tcase, dtypes_have_labels);
    suite_add_tcase(suite, tcase);
    return suite;
}
