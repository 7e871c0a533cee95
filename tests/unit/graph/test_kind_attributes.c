/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds whose attributes differ from those of their operation.
 */
#include "graph/kind_attributes.h"

#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

static const kc_attributes_t *last_attributes(const kc_graph_t *graph)
{
    return kci_graph_attributes(graph, graph->node_count - 1);
}

START_TEST(transpose_becomes_a_permutation)
{
    kc_graph_t *graph = graph_of(INPUT_X("[2, 3, 4]") NODE_WITH(
        "transpose", "[0]", "[4, 3, 2]", "{\"axes\": [2, 0]}"));
    const kc_permute_attributes_t *permute = &last_attributes(graph)->u.permute;
    ck_assert_int_eq(permute->rank, 3);
    ck_assert(permute->perm[0] == 2 && permute->perm[1] == 1 &&
              permute->perm[2] == 0);
    ck_assert_int_eq(graph->nodes[1].op, KC_OP_PERMUTE);
    kci_graph_release(graph);
}
END_TEST

#define TRANSPOSE(attrs)                                                       \
    INPUT_X("[2, 3]") NODE_WITH("transpose", "[0]", "[3, 2]", attrs)

START_TEST(transpose_takes_two_axes)
{
    expect_refused(TRANSPOSE("{}"), "attribute axes is missing");
    expect_refused(TRANSPOSE("{\"axes\": [0]}"),
                   "attribute axes: expected two axes, found 1");
    expect_refused(TRANSPOSE("{\"axes\": [0, 1, 2]}"), "found 3");
    expect_refused(TRANSPOSE("{\"axes\": [0, 2]}"),
                   "attribute axes: axis 2 is out of range");
    expect_refused(TRANSPOSE("{\"axes\": [-1, 0]}"), "axis -1");
    expect_refused(TRANSPOSE("{\"perm\": [1, 0]}"),
                   "unknown attribute `perm` (known: axes)");
}
END_TEST

START_TEST(the_target_is_the_declared_shape)
{
    kc_graph_t *graph = graph_of(INPUT_X("[2, 3]") NODE("reshape", "[0]", "[6]")
                                     NODE("broadcast_to", "[1]", "[5, 6]")
                                         NODE("flatten", "[2]", "[30]"));
    ck_assert_int_eq(kci_graph_attributes(graph, 1)->u.shape.rank, 1);
    ck_assert_int_eq(kci_graph_attributes(graph, 2)->u.shape.shape[0], 5);
    ck_assert_int_eq(last_attributes(graph)->u.shape.shape[0], 30);
    kci_graph_release(graph);
    expect_refused(INPUT_X("[2, 3]")
                       NODE_WITH("reshape", "[0]", "[6]", "{\"shape\": [6]}"),
                   "unknown attribute `shape` (known: none)");
    expect_refused(INPUT_X("[2, 3]") NODE("reshape", "[0]", "[7]"),
                   "expected equal element counts, found [2, 3] to [7]");
    expect_refused(INPUT_X("[2, 3]") NODE("broadcast_to", "[0]", "[4, 3]"),
                   "found [2, 3] to [4, 3]");
    expect_refused(INPUT_X("[2, 3]") NODE("flatten", "[0]", "[6, 1]"),
                   "parents [0]): reshape: expected one declared axis, found "
                   "rank 2");
    expect_refused(INPUT_X("[2, 3]")
                       NODE_WITH("flatten", "[0]", "[6, 1]", "{\"axis\": 1}"),
                   "node 1 (flatten axis 1, parents [0]): reshape: unknown "
                   "attribute `axis` (known: none)");
}
END_TEST

START_TEST(sum_has_no_attributes)
{
    kc_graph_t *graph = graph_of(INPUT_X("[2, 3]") NODE("sum", "[0]", "[]"));
    ck_assert_int_eq(last_attributes(graph)->u.axis.axis, 0);
    kci_graph_release(graph);
    expect_refused(INPUT_X("[2, 3]")
                       NODE_WITH("sum", "[0]", "[3]", "{\"axis\": 0}"),
                   "unknown attribute `axis`");
}
END_TEST

#define CHANNELS                                                               \
    INPUT_X("[2, 3]")                                                          \
    ", {@, \"op\": \"const\", \"name\": \"g\", \"shape\": [3]}"

START_TEST(the_mode_of_batch_norm_is_its_kind)
{
    kc_graph_t *graph =
        graph_of(CHANNELS NODE_WITH("batch_norm_eval", "[0, 1, 1, 1, 1]",
                                    "[2, 3]", "{\"channel_axis\": 1}"));
    ck_assert_int_eq(last_attributes(graph)->u.batch_norm.mode,
                     KC_BATCH_NORM_EVAL);
    ck_assert(last_attributes(graph)->u.batch_norm.eps == 1e-5);
    kci_graph_release(graph);
    expect_refused(CHANNELS NODE_WITH("batch_norm", "[0, 1, 1]", "[2, 3]",
                                      "{\"channel_axis\": 1, "
                                      "\"mode\": \"eval\"}"),
                   "attribute mode: expected \"sample\" or \"batch\"");
    expect_refused(CHANNELS NODE_WITH("batch_norm_eval", "[0, 1, 1, 1, 1]",
                                      "[2, 3]",
                                      "{\"channel_axis\": 1, "
                                      "\"mode\": \"eval\"}"),
                   "unknown attribute `mode`");
}
END_TEST

Suite *suite_graph_kind_attributes(void)
{
    Suite *suite = suite_create("graph/kind_attributes");
    TCase *tcase = tcase_create("kind_attributes");
    tcase_add_test(tcase, transpose_becomes_a_permutation);
    tcase_add_test(tcase, transpose_takes_two_axes);
    tcase_add_test(tcase, the_target_is_the_declared_shape);
    tcase_add_test(tcase, sum_has_no_attributes);
    tcase_add_test(tcase, the_mode_of_batch_norm_is_its_kind);
    suite_add_tcase(suite, tcase);
    return suite;
}
