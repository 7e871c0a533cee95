/* SPDX-License-Identifier: Apache-2.0
 *
 * Building without a file: failures leave the builder as it was, outputs
 * are checked, and no allocation that fails leaves anything behind.
 */
#include "graph/builder_state.h"

#include <string.h>
#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/graph/suites.h"

static const int64_t two_by_three[] = {2, 3};

static kci_node_spec_t input_spec(const char *name)
{
    return (kci_node_spec_t){
        .kind = "input", .rank = 2, .dims = two_by_three, .name = name};
}

static kci_node_spec_t relu_spec(const uint32_t *parent)
{
    return (kci_node_spec_t){.kind = "relu",
                             .parents = parent,
                             .parent_count = 1,
                             .rank = 2,
                             .dims = two_by_three};
}

static kc_graph_builder_t *create(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = NULL;
    EXPECT_OK(error, kci_graph_builder_create("built", &builder, &error));
    return builder;
}

static uint32_t add(kc_graph_builder_t *builder, kci_node_spec_t spec)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t id = 0;
    EXPECT_OK(error, kci_graph_builder_add(builder, &spec, &id, &error));
    return id;
}

START_TEST(a_graph_is_built)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = create();
    kc_graph_t *graph = NULL;
    uint32_t x = add(builder, input_spec("x"));
    uint32_t y = add(builder, relu_spec(&x));
    EXPECT_OK(error, kci_graph_builder_output(builder, "y", y, &error));
    EXPECT_OK(error, kci_graph_builder_finish(builder, &graph, &error));
    ck_assert_uint_eq(graph->node_count, 2);
    ck_assert_uint_eq(graph->output_count, 1);
    ck_assert_str_eq(graph->outputs[0].name, "y");
    ck_assert_uint_eq(graph->outputs[0].node, 1);
    ck_assert_str_eq(graph->source, "built");
    ck_assert_str_eq(graph->sha256, "");
    kci_graph_release(graph);
}
END_TEST

START_TEST(a_failed_node_leaves_no_trace)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = create();
    uint32_t id = 77;
    uint32_t missing = 5;
    (void)add(builder, input_spec("x"));
    kci_node_spec_t again = input_spec("x");
    kci_node_spec_t orphan = relu_spec(&missing);
    kci_node_spec_t unknown = {.kind = "frobnicate"};
    kci_node_spec_t named = input_spec("");
    named.leading_name = "N";
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "built: node 1 (input, parents []): "
                   "the name `x` is that of node 0",
                   kci_graph_builder_add(builder, &again, &id, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "found parent 5",
                   kci_graph_builder_add(builder, &orphan, &id, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "built: node 1: there is no kind `frobnicate`",
                   kci_graph_builder_add(builder, &unknown, &id, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "expected a name, found none",
                   kci_graph_builder_add(builder, &named, &id, &error));
    ck_assert_uint_eq(id, 77);
    ck_assert_uint_eq(builder->graph->node_count, 1);
    ck_assert_uint_eq(builder->graph->name_count, 1);
    ck_assert_uint_eq(builder->graph->dim_name_count, 0);
    ck_assert_uint_eq(add(builder, input_spec("y")), 1);
    kci_graph_builder_destroy(builder);
}
END_TEST

START_TEST(declared_types_are_judged)
{
    static const int64_t negative[] = {-1};
    static const int64_t huge[] = {INT64_C(1) << 32, INT64_C(1) << 32};
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = create();
    kci_node_spec_t spec = {
        .kind = "input", .name = "x", .rank = 1, .dims = negative};
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "shape [-1]: expected an extent >= 0",
                   kci_graph_builder_add(builder, &spec, NULL, &error));
    spec.rank = 2;
    spec.dims = huge;
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "too many elements",
                   kci_graph_builder_add(builder, &spec, NULL, &error));
    spec.rank = INT32_MAX;
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "expected a rank of 0 to 16",
                   kci_graph_builder_add(builder, &spec, NULL, &error));
    spec.rank = -1;
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "expected a rank of 0 to 16",
                   kci_graph_builder_add(builder, &spec, NULL, &error));
    spec.rank = 0;
    spec.leading_name = "N";
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "a name needs an axis, found rank 0",
                   kci_graph_builder_add(builder, &spec, NULL, &error));
    spec.leading_name = NULL;
    spec.dtype = KC_DTYPE_COUNT;
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "dtype: there is no 5",
                   kci_graph_builder_add(builder, &spec, NULL, &error));
    kci_graph_builder_destroy(builder);
}
END_TEST

START_TEST(outputs_are_judged)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = create();
    uint32_t x = add(builder, input_spec("x"));
    (void)add(builder, relu_spec(&x));
    EXPECT_OK(error, kci_graph_builder_output(builder, "y", 1, &error));
    EXPECT_OK(error, kci_graph_builder_output(builder, "x", 0, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "output `y` is node 1 already, found node 0",
                   kci_graph_builder_output(builder, "y", 0, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "output `z`: there is no node 2, the graph has 2",
                   kci_graph_builder_output(builder, "z", 2, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "expected a name, found none",
                   kci_graph_builder_output(builder, "", 0, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "output of node 0: expected a name that can be given as "
                   "NAME=FILE, found one with `=`: `a=b`",
                   kci_graph_builder_output(builder, "a=b", 0, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "output of node 0: expected a name of UTF-8 without "
                   "control characters, found `a?`",
                   kci_graph_builder_output(builder, "a\t", 0, &error));
    ck_assert_uint_eq(builder->graph->output_count, 2);
    kci_graph_builder_destroy(builder);
}
END_TEST

static kc_status_t build_small(kc_graph_t **out_graph, kc_error_t *error)
{
    kc_graph_builder_t *builder = NULL;
    uint32_t x = 0;
    kci_node_spec_t input = input_spec("x");
    kci_node_spec_t relu = relu_spec(&x);
    input.leading_name = "N";
    relu.leading_name = "N";
    kc_status_t status = kci_graph_builder_create("built", &builder, error);
    if (status == KC_OK) {
        status = kci_graph_builder_add(builder, &input, NULL, error);
    }
    if (status == KC_OK) {
        status = kci_graph_builder_add(builder, &relu, NULL, error);
    }
    if (status == KC_OK) {
        status = kci_graph_builder_output(builder, "y", 1, error);
    }
    if (status == KC_OK) {
        return kci_graph_builder_finish(builder, out_graph, error);
    }
    kci_graph_builder_destroy(builder);
    return status;
}

START_TEST(no_failed_allocation_hurts)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    int granted = 0;
    kc_status_t status = KC_ERR_MEMORY;
    for (; status != KC_OK && granted < 100; granted++) {
        failing_heap_break_after(granted);
        status = build_small(&graph, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
    }
    ck_assert_int_gt(granted, 5);
    EXPECT_OK(error, status);
    kci_graph_release(graph);
    kci_graph_builder_destroy(NULL);
}
END_TEST

Suite *suite_graph_builder(void)
{
    Suite *suite = suite_create("graph/builder");
    TCase *tcase = tcase_create("builder");
    tcase_add_test(tcase, a_graph_is_built);
    tcase_add_test(tcase, a_failed_node_leaves_no_trace);
    tcase_add_test(tcase, declared_types_are_judged);
    tcase_add_test(tcase, outputs_are_judged);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    suite_add_tcase(suite, tcase);
    return suite;
}
