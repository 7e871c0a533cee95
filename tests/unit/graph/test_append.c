/* SPDX-License-Identifier: Apache-2.0
 *
 * How nodes are stored: shared extents, shared attributes, unique names.
 */
#include "graph/builder_state.h"

#include <string.h>
#include <kcapsule/graph.h>
#include "unit/expect.h"
#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

START_TEST(extents_of_the_first_parent_are_shared)
{
    kc_graph_t *graph = graph_of(INPUT_X("[2, 3]") NODE("relu", "[0]", "[2, 3]")
                                     NODE("tanh", "[1]", "[2, 3]")
                                         NODE("reshape", "[2]", "[6]"));
    ck_assert_uint_eq(graph->dim_pool_count, 3);
    ck_assert_uint_eq(graph->nodes[2].first_dim, graph->nodes[0].first_dim);
    ck_assert_uint_eq(graph->parent_pool_count, 3);
    kci_graph_release(graph);
}
END_TEST

#define SCALE(parent) NODE_WITH("scale", parent, "[2]", "{\"factor\": 2}")

START_TEST(equal_attributes_are_shared)
{
    kc_graph_t *graph = graph_of(INPUT_X("[2]") SCALE("[0]") SCALE("[1]")
                                     NODE("relu", "[2]", "[2]"));
    ck_assert_uint_eq(graph->attribute_pool_count, 1);
    ck_assert_ptr_eq(kci_graph_attributes(graph, 1),
                     kci_graph_attributes(graph, 2));
    ck_assert_ptr_null(kci_graph_attributes(graph, 0));
    ck_assert_ptr_null(kci_graph_attributes(graph, 3));
    kci_graph_release(graph);
}
END_TEST

START_TEST(a_graph_has_a_most_of_nodes)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = NULL;
    kci_node_spec_t spec = {
        .kind = "input", .dtype = KC_DTYPE_F32, .name = "x"};
    EXPECT_OK(error, kci_graph_builder_create("memory", &builder, &error));
    builder->graph->node_count = KC_GRAPH_NODES_MAX;
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "memory: node 16777216 (input, parents []): expected at "
                   "most 16777216 nodes in a graph, found one more",
                   kci_graph_builder_add(builder, &spec, NULL, &error));
    builder->graph->node_count = 0;
    EXPECT_OK(error, kci_graph_builder_add(builder, &spec, NULL, &error));
    kci_graph_builder_destroy(builder);
}
END_TEST

START_TEST(names_are_unique_over_inputs_and_consts)
{
    expect_refused(INPUT_X("[2]") ", " INPUT_X("[2]"),
                   "node 1 (input, parents []): the name `x` is that of node "
                   "0 already");
    expect_refused(INPUT_X("[2]") ", {@, \"op\": \"const\", \"name\": \"x\", "
                                  "\"shape\": [2]}",
                   "node 1 (const, parents []): the name `x` is that of node "
                   "0 already");
}
END_TEST

START_TEST(random_sources_count_those_before_them)
{
    kc_graph_t *graph = graph_of(
        "{@, \"op\": \"rand_uniform\", \"shape\": [2], \"attrs\": {\"seed\": "
        "2026}}, " INPUT_X("[]") ", {@, \"op\": \"bernoulli_mask\", "
                                 "\"parents\": [1], \"shape\": [3], "
                                 "\"attrs\": {\"seed\": 2026}}");
    ck_assert(kci_graph_attributes(graph, 0)->u.random.key ==
              kci_random_key(2026, 0));
    ck_assert(kci_graph_attributes(graph, 2)->u.random.key ==
              kci_random_key(2026, 1));
    ck_assert_int_eq(kci_graph_attributes(graph, 2)->u.random.shape[0], 3);
    kci_graph_release(graph);
}
END_TEST

START_TEST(nodes_carry_their_marks)
{
    kc_graph_t *graph = graph_of(
        INPUT_X("[2]") ", {@, \"op\": \"const\", \"name\": \"a\", \"shape\": "
                       "[2]}, {@, \"op\": \"const\", \"name\": \"b\", "
                       "\"shape\": [2], \"trainable\": false}, {@, \"op\": "
                       "\"const\", \"name\": \"c\", \"shape\": [2], "
                       "\"dtype\": \"f64\"}");
    ck_assert_uint_eq(graph->nodes[0].is_trainable, 0);
    ck_assert_uint_eq(graph->nodes[1].is_trainable, 1);
    ck_assert_uint_eq(graph->nodes[2].is_trainable, 0);
    ck_assert_uint_eq(graph->nodes[3].is_trainable, 0);
    ck_assert_str_eq(graph->names[graph->nodes[2].name], "b");
    ck_assert_int_eq(graph->nodes[3].dtype, KC_DTYPE_F64);
    kci_graph_release(graph);
}
END_TEST

Suite *suite_graph_append(void)
{
    Suite *suite = suite_create("graph/append");
    TCase *tcase = tcase_create("append");
    tcase_add_test(tcase, extents_of_the_first_parent_are_shared);
    tcase_add_test(tcase, equal_attributes_are_shared);
    tcase_add_test(tcase, a_graph_has_a_most_of_nodes);
    tcase_add_test(tcase, names_are_unique_over_inputs_and_consts);
    tcase_add_test(tcase, random_sources_count_those_before_them);
    tcase_add_test(tcase, nodes_carry_their_marks);
    suite_add_tcase(suite, tcase);
    return suite;
}
