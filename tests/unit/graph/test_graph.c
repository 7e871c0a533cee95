/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs that exist: shared by count, look-ups, long chains and diamonds.
 */
#include "graph/builder.h"

#include "unit/expect.h"
#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

START_TEST(a_graph_lives_as_long_as_its_holders)
{
    kc_graph_t *graph = graph_of(INPUT_X("[2]"));
    ck_assert_ptr_eq(kci_graph_retain(graph), graph);
    kci_graph_release(graph);
    ck_assert_uint_eq(graph->node_count, 1);
    kci_graph_release(graph);
    kci_graph_release(NULL);
}
END_TEST

START_TEST(an_empty_graph_is_well_formed)
{
    kc_graph_t *graph = graph_of("");
    ck_assert_uint_eq(graph->node_count, 0);
    ck_assert_uint_eq(graph->output_count, 0);
    kci_graph_release(graph);
}
END_TEST

START_TEST(types_are_found)
{
    kc_graph_t *graph = graph_of(INPUT_X("[2, 3]") NODE("sum", "[0]", "[]"));
    kci_tensor_type_t type;
    kci_graph_node_type(graph, 0, &type);
    ck_assert(type.shape.rank == 2 && type.shape.dims[1] == 3);
    kci_graph_node_type(graph, 1, &type);
    ck_assert(type.shape.rank == 0 && type.dtype == KC_DTYPE_F32);
    ck_assert_uint_eq(kci_graph_parents(graph, 1)[0], 0);
    kci_graph_release(graph);
}
END_TEST

/* Nodes may be used many times, twice by one node, or not at all. */
START_TEST(a_diamond_is_well_formed)
{
    kc_graph_t *graph = graph_of(
        INPUT_X("[2]") NODE("relu", "[0]", "[2]") NODE("tanh", "[0]", "[2]")
            NODE("add", "[1, 2]", "[2]") NODE("mul_elem", "[3, 3]", "[2]")
                NODE("exp", "[0]", "[2]"));
    ck_assert_uint_eq(graph->node_count, 6);
    ck_assert_uint_eq(kci_graph_parents(graph, 4)[1], 3);
    kci_graph_release(graph);
}
END_TEST

START_TEST(a_long_chain_is_cheap)
{
    enum { LENGTH = 100000 };
    static const int64_t dims[] = {4};
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = NULL;
    kc_graph_t *graph = NULL;
    kci_node_spec_t spec = {
        .kind = "input", .name = "x", .rank = 1, .dims = dims};
    uint32_t last = 0;
    EXPECT_OK(error, kci_graph_builder_create("chain", &builder, &error));
    EXPECT_OK(error, kci_graph_builder_add(builder, &spec, &last, &error));
    spec = (kci_node_spec_t){
        .kind = "relu", .parent_count = 1, .rank = 1, .dims = dims};
    for (int i = 0; i < LENGTH; i++) {
        uint32_t parent = last;
        spec.parents = &parent;
        EXPECT_OK(error, kci_graph_builder_add(builder, &spec, &last, &error));
    }
    EXPECT_OK(error, kci_graph_builder_finish(builder, &graph, &error));
    ck_assert_uint_eq(graph->node_count, LENGTH + 1);
    ck_assert_uint_eq(graph->dim_pool_count, 1);
    kci_graph_release(graph);
}
END_TEST

Suite *suite_graph_graph(void)
{
    Suite *suite = suite_create("graph/graph");
    TCase *tcase = tcase_create("graph");
    tcase_add_test(tcase, a_graph_lives_as_long_as_its_holders);
    tcase_add_test(tcase, an_empty_graph_is_well_formed);
    tcase_add_test(tcase, types_are_found);
    tcase_add_test(tcase, a_diamond_is_well_formed);
    tcase_add_test(tcase, a_long_chain_is_cheap);
    suite_add_tcase(suite, tcase);
    return suite;
}
