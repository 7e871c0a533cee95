/* SPDX-License-Identifier: Apache-2.0
 *
 * What nodes ask of a kernel.
 */
#include "graph/demand.h"

#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

START_TEST(demands_cover_all_operands)
{
    kc_graph_t *graph = graph_of(INPUT_X(
        "[2, 3]") ", {@, \"op\": \"const\", \"name\": \"w\", "
                  "\"shape\": [3, 100]}" NODE("matmul", "[0, 1]", "[2, 100]"));
    const kci_demand_t *demand = &graph->demands[2];
    ck_assert_int_eq(demand->op, KC_OP_MATMUL);
    ck_assert_int_eq(demand->dtype, KC_DTYPE_F32);
    ck_assert_int_eq(demand->rank, 2);
    ck_assert_int_eq(demand->input_count, 2);
    ck_assert_int_eq(demand->is_bound, 1);
    ck_assert_int_eq(demand->extent_max, 100);
    ck_assert_int_eq(demand->element_max, 300);
    ck_assert_int_eq(graph->demands[0].op, -1);
    kci_graph_release(graph);
}
END_TEST

START_TEST(sources_are_judged_by_their_result)
{
    kc_graph_t *graph =
        graph_of("{@, \"op\": \"rand_uniform\", \"shape\": [4, 5]}");
    ck_assert_int_eq(graph->demands[0].rank, 2);
    ck_assert_int_eq(graph->demands[0].input_count, 0);
    ck_assert_int_eq(graph->demands[0].element_max, 20);
    kci_graph_release(graph);
}
END_TEST

START_TEST(named_extents_are_left_out)
{
    kc_graph_t *graph = graph_of(INPUT_X("[\"N\", 3, 5]") NODE(
        "relu", "[0]", "[\"N\", 3, 5]") NODE("sum", "[0]", "[]"));
    ck_assert_int_eq(graph->demands[1].is_bound, 0);
    ck_assert_int_eq(graph->demands[1].extent_max, 5);
    ck_assert_int_eq(graph->demands[1].element_max, 15);
    ck_assert_int_eq(graph->demands[2].is_bound, 0);
    ck_assert_int_eq(graph->demands[2].rank, 1);
    kci_graph_release(graph);
}
END_TEST

START_TEST(flat_shapes)
{
    kci_shape_t shape = {.rank = 3, .dims = {2, 3, 4}};
    kci_lower_to_flat(&shape);
    ck_assert(shape.rank == 1 && shape.dims[0] == 24);
    kci_shape_t scalar = {.rank = 0};
    kci_lower_to_flat(&scalar);
    ck_assert(scalar.rank == 1 && scalar.dims[0] == 1);
    kci_shape_t empty = {.rank = 3, .dims = {INT64_MAX, 0, 1}};
    kci_lower_to_flat(&empty);
    ck_assert(empty.rank == 1 && empty.dims[0] == 0);
    kci_shape_t named = {.rank = 2, .dims = {-2, 3}};
    kci_lower_to_flat(&named);
    ck_assert(named.rank == 1 && named.dims[0] == -2);
}
END_TEST

START_TEST(sum_sees_one_axis)
{
    kc_graph_t *graph = graph_of(INPUT_X("[2, 3]") NODE("sum", "[0]", "[]"));
    kci_tensor_type_t type;
    ck_assert_int_eq(graph->demands[1].rank, 1);
    ck_assert_int_eq(graph->demands[1].extent_max, 6);
    kci_graph_operand_type(graph, 1, 0, &type);
    ck_assert(type.shape.rank == 1 && type.shape.dims[0] == 6);
    kci_graph_release(graph);
}
END_TEST

Suite *suite_graph_demand(void)
{
    Suite *suite = suite_create("graph/demand");
    TCase *tcase = tcase_create("demand");
    tcase_add_test(tcase, demands_cover_all_operands);
    tcase_add_test(tcase, sources_are_judged_by_their_result);
    tcase_add_test(tcase, named_extents_are_left_out);
    tcase_add_test(tcase, flat_shapes);
    tcase_add_test(tcase, sum_sees_one_axis);
    suite_add_tcase(suite, tcase);
    return suite;
}
