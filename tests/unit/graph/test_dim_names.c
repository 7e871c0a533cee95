/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of leading extents in files.
 */
#include "graph/builder_state.h"

#include <string.h>
#include "unit/expect.h"
#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

START_TEST(names_get_codes_in_order)
{
    kc_graph_builder_t *builder = NULL;
    kc_error_t error = KC_ERROR_INIT;
    int64_t code = 0;
    EXPECT_OK(error, kci_graph_builder_create("g", &builder, &error));
    EXPECT_OK(error, kci_builder_dim_name(builder, "N", &code, &error));
    ck_assert_int_eq(code, -1);
    EXPECT_OK(error, kci_builder_dim_name(builder, "batch_2", &code, &error));
    ck_assert_int_eq(code, -2);
    EXPECT_OK(error, kci_builder_dim_name(builder, "N", &code, &error));
    ck_assert_int_eq(code, -1);
    ck_assert_ptr_null(builder->graph->dim_names[2]);
    kci_builder_drop_dim_names(builder, 1);
    ck_assert_ptr_null(builder->graph->dim_names[1]);
    EXPECT_OK(error, kci_builder_dim_name(builder, "M", &code, &error));
    ck_assert_int_eq(code, -2);
    kci_graph_builder_destroy(builder);
}
END_TEST

static const char *const bad_names[] = {
    "",
    "2N",
    "N M",
    "N=4",
    "N-1",
    "\\u00e9",
    "abcdefghijklmnopqrstuvwxyzabcdefghijk"};

START_TEST(names_are_identifiers)
{
    char nodes[256];
    snprintf(nodes, sizeof nodes,
             "{@, \"op\": \"input\", \"name\": \"x\", \"shape\": [\"%s\"]}",
             bad_names[_i]);
    expect_refused(nodes,
                   "shape: expected the name of an extent as a letter or _, "
                   "then letters, digits and _, at most 32 in all, found `");
}
END_TEST

START_TEST(only_the_first_extent_has_a_name)
{
    expect_format_error(INPUT_X("[2, \"N\"]"),
                        "shape: expected an integer on axis 1, only the first "
                        "extent may be a name");
}
END_TEST

START_TEST(equal_names_are_equal_extents)
{
    kc_graph_t *graph = graph_of(INPUT_X("[\"N\", 4]") NODE(
        "relu", "[0]", "[\"N\", 4]") NODE_WITH("transpose", "[1]", "[\"N\", 4]",
                                               "{\"axes\": "
                                               "[1, 1]}"));
    ck_assert_uint_eq(graph->dim_name_count, 1);
    ck_assert_str_eq(graph->dim_names[0], "N");
    kci_graph_release(graph);
    expect_refused(INPUT_X("[\"N\", 4]") NODE("relu", "[0]", "[\"M\", 4]"),
                   "declared f32 [M, 4], but relu gives f32 [N, 4]");
    expect_refused(INPUT_X("[\"N\", 4]") NODE("flatten", "[0]", "[4]"),
                   "the name of an extent must lead on both sides, found "
                   "[N, 4] to [4]");
    expect_refused(INPUT_X("[\"N\", 4]") NODE_WITH("transpose", "[0]", "[4]",
                                                   "{\"axes\": [0, 1]}"),
                   "a named extent may only lead, found the result [4, N]");
}
END_TEST

START_TEST(reshape_compares_the_rest)
{
    kci_graph_release(graph_of(INPUT_X("[\"N\", 4, 3]")
                                   NODE("reshape", "[0]", "[\"N\", 12]")));
    expect_refused(INPUT_X("[\"N\", 4]") NODE("reshape", "[0]", "[\"N\", 5]"),
                   "expected equal element counts, found [N, 4] to [N, 5]");
    expect_refused(INPUT_X("[\"N\", 4]") NODE("reshape", "[0]", "[\"M\", 4]"),
                   "must lead on both sides, found [N, 4] to [M, 4]");
}
END_TEST

Suite *suite_graph_dim_names(void)
{
    Suite *suite = suite_create("graph/dim_names");
    TCase *tcase = tcase_create("dim_names");
    tcase_add_test(tcase, names_get_codes_in_order);
    tcase_add_loop_test(tcase, names_are_identifiers, 0,
                        (int)(sizeof bad_names / sizeof *bad_names));
    tcase_add_test(tcase, only_the_first_extent_has_a_name);
    tcase_add_test(tcase, equal_names_are_equal_extents);
    tcase_add_test(tcase, reshape_compares_the_rest);
    suite_add_tcase(suite, tcase);
    return suite;
}
