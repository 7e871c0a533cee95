/* SPDX-License-Identifier: Apache-2.0
 *
 * Values for named extents: every check is made again with numbers.
 */
#include "graph/graph.h"

#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

static const char *const names[] = {"N", "M", "N", "K"};

static kc_graph_t *named_graph(void)
{
    return graph_of(INPUT_X("[\"N\", 3, 4]") NODE(
        "reshape", "[0]",
        "[\"N\", 12]") ", "
                       "{@, \"op\": \"const\", \"name\": \"b\", \"shape\": "
                       "[12]}" NODE("broadcast_to", "[2]", "[\"N\", 12]") NODE(
                           "add", "[1, 3]",
                           "[\"N\", 12]") ", "
                                          "{@, \"op\": \"rand_uniform\", "
                                          "\"shape\": [\"N\", 12], \"attrs\": "
                                          "{\"seed\": 5}}" NODE("mul_elem",
                                                                "[4, 5]",
                                                                "[\"N\", 12]")
                                              NODE("sum", "[6]", "[]"));
}

START_TEST(names_become_numbers)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = named_graph();
    kc_graph_t *bound = NULL;
    int64_t value = 7;
    kci_tensor_type_t type;
    EXPECT_OK(error, kci_graph_bind(graph, names, &value, 1, &bound, &error));
    ck_assert_uint_eq(bound->dim_name_count, 0);
    ck_assert_uint_eq(bound->node_count, graph->node_count);
    for (uint32_t node = 0; node < bound->node_count; node++) {
        ck_assert_uint_eq(bound->demands[node].is_bound, 1);
    }
    kci_graph_node_type(bound, 4, &type);
    ck_assert(type.shape.dims[0] == 7 && type.shape.dims[1] == 12);
    kci_graph_operand_type(bound, 7, 0, &type);
    ck_assert(type.shape.rank == 1 && type.shape.dims[0] == 84);
    ck_assert_int_eq(kci_graph_attributes(bound, 1)->u.shape.shape[0], 7);
    ck_assert_int_eq(kci_graph_attributes(bound, 3)->u.shape.shape[0], 7);
    ck_assert_int_eq(kci_graph_attributes(bound, 5)->u.random.shape[0], 7);
    ck_assert(kci_graph_attributes(bound, 5)->u.random.key ==
              kci_graph_attributes(graph, 5)->u.random.key);
    ck_assert_int_eq(bound->demands[4].element_max, 84);
    kci_graph_release(bound);
    kci_graph_release(graph);
}
END_TEST

START_TEST(a_bound_graph_is_retained)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = graph_of(INPUT_X("[2]"));
    kc_graph_t *bound = NULL;
    int64_t value = 7;
    EXPECT_OK(error, kci_graph_bind(graph, NULL, NULL, 0, &bound, &error));
    ck_assert_ptr_eq(bound, graph);
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT,
                   "g.json: there is no extent named `N`",
                   kci_graph_bind(graph, names, &value, 1, &bound, &error));
    kci_graph_release(graph);
    kci_graph_release(graph);
}
END_TEST

START_TEST(values_must_fit_the_names)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = named_graph();
    kc_graph_t *bound = NULL;
    int64_t values[] = {1, 2, 3, 4};
    int64_t negative = -1;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT,
                   "g.json: extent N needs a value, found none",
                   kci_graph_bind(graph, NULL, NULL, 0, &bound, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "there is no extent named `M`",
                   kci_graph_bind(graph, names, values, 2, &bound, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT,
                   "extent N: expected 0 or more, found -1",
                   kci_graph_bind(graph, names, &negative, 1, &bound, &error));
    ck_assert_ptr_null(bound);
    kci_graph_release(graph);
}
END_TEST

START_TEST(a_name_is_bound_once)
{
    static const char *const twice[] = {"N", "N"};
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = named_graph();
    kc_graph_t *bound = NULL;
    int64_t values[] = {1, 2};
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "extent N is given twice, 1 and 2",
                   kci_graph_bind(graph, twice, values, 2, &bound, &error));
    kci_graph_release(graph);
}
END_TEST

START_TEST(checks_are_made_again)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = graph_of(INPUT_X("[\"N\", 3]") NODE_WITH(
        "layernorm", "[0]", "[\"N\", 3]", "{\"axis\": 1}"));
    kc_graph_t *bound = NULL;
    int64_t value = 0;
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "g.json: node 1 (layernorm 1 1e-05, parents [0]): "
                   "layer_norm: x: expected extents above 0, found [0, 3]",
                   kci_graph_bind(graph, names, &value, 1, &bound, &error));
    value = INT64_MAX;
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "node 0 (input, parents []): shape "
                   "[9223372036854775807, 3]: too many elements",
                   kci_graph_bind(graph, names, &value, 1, &bound, &error));
    value = INT64_C(1) << 60;
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "node 0 (input, parents []): shape [1152921504606846976, "
                   "3]: too many elements: 3458764513820540928 of 4 bytes",
                   kci_graph_bind(graph, names, &value, 1, &bound, &error));
    ck_assert_ptr_null(bound);
    value = 1;
    EXPECT_OK(error, kci_graph_bind(graph, names, &value, 1, &bound, &error));
    kci_graph_release(bound);
    kci_graph_release(graph);
}
END_TEST

START_TEST(axes_stay_as_they_were_given)
{
    char text[64];
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = graph_of(INPUT_X("[\"N\", 3, 3]") NODE_WITH(
        "transpose", "[0]", "[\"N\", 3, 3]", "{\"axes\": [2, 1]}"));
    kc_graph_t *bound = NULL;
    int64_t value = 5;
    EXPECT_OK(error, kci_graph_bind(graph, names, &value, 1, &bound, &error));
    kci_graph_describe_node(bound, 1, text, sizeof text);
    ck_assert_str_eq(text, "transpose 2 1");
    kci_graph_release(bound);
    kci_graph_release(graph);
}
END_TEST

START_TEST(two_names_may_have_one_value)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = graph_of(INPUT_X(
        "[\"N\", 3]") ", {@, \"op\": \"input\", \"name\": \"y\", "
                      "\"shape\": [\"M\", 3]}" NODE("sum", "[1]", "[]"));
    kc_graph_t *bound = NULL;
    int64_t values[] = {5, 5};
    EXPECT_OK(error, kci_graph_bind(graph, names, values, 2, &bound, &error));
    ck_assert_int_eq(bound->dims[bound->nodes[1].first_dim], 5);
    kci_graph_release(bound);
    kci_graph_release(graph);
}
END_TEST

START_TEST(no_failed_allocation_hurts)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = named_graph();
    kc_graph_t *bound = NULL;
    int64_t value = 7;
    kc_status_t status = KC_ERR_MEMORY;
    for (int granted = 0; status != KC_OK && granted < 200; granted++) {
        failing_heap_break_after(granted);
        status = kci_graph_bind(graph, names, &value, 1, &bound, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
    }
    EXPECT_OK(error, status);
    kci_graph_release(bound);
    kci_graph_release(graph);
}
END_TEST

Suite *suite_graph_bind(void)
{
    Suite *suite = suite_create("graph/bind");
    TCase *tcase = tcase_create("bind");
    tcase_add_test(tcase, names_become_numbers);
    tcase_add_test(tcase, a_bound_graph_is_retained);
    tcase_add_test(tcase, values_must_fit_the_names);
    tcase_add_test(tcase, a_name_is_bound_once);
    tcase_add_test(tcase, checks_are_made_again);
    tcase_add_test(tcase, axes_stay_as_they_were_given);
    tcase_add_test(tcase, two_names_may_have_one_value);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    suite_add_tcase(suite, tcase);
    return suite;
}
