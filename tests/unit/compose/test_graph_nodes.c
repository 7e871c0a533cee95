/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Compositions as nodes: ordinary ones, all or none. */
#include "compose/graph_nodes.h"

#include <string.h>

#include <kcapsule/graph.h>
#include "compose/compositions.h"
#include "graph/builder_state.h"
#include "unit/compose/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

static kc_graph_builder_t *builder;
static kci_composition_t composition;

static uint32_t add_input(const char *name, int64_t rows, int64_t columns,
                          const char *leading_name)
{
    kc_error_t error = KC_ERROR_INIT;
    const int64_t dims[] = {rows, columns};
    kci_node_spec_t spec = {.kind = "input",
                            .dtype = KC_DTYPE_F32,
                            .rank = 2,
                            .dims = dims,
                            .leading_name = leading_name,
                            .name = name};
    uint32_t id = 0;
    EXPECT_OK(error, kci_graph_builder_add(builder, &spec, &id, &error));
    return id;
}

static void begin(void)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, kci_graph_builder_create("memory", &builder, &error));
    kci_composition_init(&composition);
}

static void end(void)
{
    kci_composition_release(&composition);
    kci_graph_builder_destroy(builder);
}

START_TEST(steps_become_nodes_and_literals_values)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t x = add_input("x", 2, 5, NULL);
    uint32_t result = 0;
    kci_term_t term = kci_compose_node(&composition, builder, x);
    term = kci_compose_rfft(&composition, term);
    EXPECT_OK(error, kci_composition_add_nodes(&composition, builder, &x, term,
                                               &result, &error));
    const kc_graph_t *graph = kci_graph_builder_nodes(builder);
    ck_assert_uint_eq(graph->node_count,
                      1 + composition.literal_count + composition.step_count);
    ck_assert_uint_eq(graph->literal_count, composition.literal_count);
    ck_assert_uint_eq(result, graph->node_count - 1);
    for (size_t i = 0; i < composition.step_count; i++) {
        uint32_t node = (uint32_t)(1 + composition.literal_count + i);
        const kci_composition_step_t *step = &composition.steps[i];
        kci_tensor_type_t type;
        kci_graph_node_type(graph, node, &type);
        ck_assert_int_eq(graph->nodes[node].op, step->op);
        ck_assert(kci_shape_equal(
            &type.shape, &kci_term_type(&composition, step->result)->shape));
    }
}
END_TEST

/* What is composed of nothing is the argument. */
START_TEST(a_result_may_be_an_argument)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t nodes[] = {add_input("x", 2, 5, NULL), add_input("y", 2, 5, NULL)};
    uint32_t result = 0;
    (void)kci_compose_node(&composition, builder, nodes[0]);
    kci_term_t second = kci_compose_node(&composition, builder, nodes[1]);
    EXPECT_OK(error, kci_composition_add_nodes(&composition, builder, nodes,
                                               second, &result, &error));
    ck_assert_uint_eq(result, nodes[1]);
    ck_assert_uint_eq(kci_graph_builder_nodes(builder)->node_count, 2);
}
END_TEST

START_TEST(arguments_are_nodes_with_numbers)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t named = add_input("x", 0, 5, "N");
    ck_assert_uint_eq(kci_compose_node(&composition, builder, 7), KCI_NO_TERM);
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "expected a node that is there, found 7 of 1",
                   kci_composition_status(&composition, &error));
    ck_assert_uint_eq(kci_compose_node(&composition, builder, named),
                      KCI_NO_TERM); /* the first failure stays */
    kci_composition_clear(&composition);
    ck_assert_uint_eq(kci_compose_node(&composition, builder, named),
                      KCI_NO_TERM);
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "node 0: expected extents as numbers, found the name N",
                   kci_composition_status(&composition, &error));
}
END_TEST

/* A composition over one type, given a node of another: its steps fail from
 * the one that reads it on, and those before are taken back. */
START_TEST(a_late_failure_takes_everything_back)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t nodes[] = {add_input("x", 3, 4, NULL), add_input("y", 3, 5, NULL)};
    uint32_t result = 77;
    kci_tensor_type_t type = {.dtype = KC_DTYPE_F32,
                              .shape = {.rank = 2, .dims = {3, 4}}};
    kci_term_t x = kci_compose_argument(&composition, &type);
    kci_term_t y = kci_compose_argument(&composition, &type);
    kci_term_t term = kci_compose_fill(&composition, &type, 2);
    for (int i = 0; i < 4; i++) {
        term = kci_compose_binary(&composition, KC_OP_MUL, term, x);
    }
    term = kci_compose_binary(&composition, KC_OP_ADD, term, y);
    for (int i = 0; i < 3; i++) {
        term = kci_compose_binary(&composition, KC_OP_MUL, term, x);
    }
    ck_assert_uint_eq(composition.step_count, 9);
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "add",
                   kci_composition_add_nodes(&composition, builder, nodes, term,
                                             &result, &error));
    const kc_graph_t *graph = kci_graph_builder_nodes(builder);
    ck_assert_uint_eq(result, 77);
    ck_assert_uint_eq(graph->node_count, 2);
    ck_assert_uint_eq(graph->literal_count, 0);
    nodes[1] = nodes[0];
    EXPECT_OK(error, kci_composition_add_nodes(&composition, builder, nodes,
                                               term, &result, &error));
    ck_assert_uint_eq(result, 2 + 1 + 8);
}
END_TEST

/* Asked before a node is added. */
START_TEST(a_graph_without_room_is_named)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t x = add_input("x", 2, 5, NULL);
    uint32_t result = 77;
    kci_term_t term = kci_compose_node(&composition, builder, x);
    term = kci_compose_unary(&composition, KC_OP_RELU, term);
    term = kci_compose_unary(&composition, KC_OP_TANH, term);
    kc_graph_t *graph = builder->graph;
    graph->node_count = KC_GRAPH_NODES_MAX - 1;
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "memory: expected at most 16777216 nodes in a graph, found "
                   "16777215 and 2 of a composition",
                   kci_composition_add_nodes(&composition, builder, &x, term,
                                             &result, &error));
    graph->node_count = 1;
    ck_assert_uint_eq(result, 77);
    EXPECT_OK(error, kci_composition_add_nodes(&composition, builder, &x, term,
                                               &result, &error));
    ck_assert_uint_eq(result, 2);
}
END_TEST

START_TEST(no_failed_allocation_hurts)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t x = add_input("x", 2, 5, NULL);
    uint32_t result = 0;
    kci_term_t term = kci_compose_node(&composition, builder, x);
    term = kci_compose_rfft(&composition, term);
    kc_status_t status = KC_ERR_MEMORY;
    int failures = -1;
    for (int granted = 0; status != KC_OK && granted < 300; granted++) {
        failing_heap_break_after(granted);
        status = kci_composition_add_nodes(&composition, builder, &x, term,
                                           &result, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
        ck_assert(status == KC_OK ||
                  kci_graph_builder_nodes(builder)->node_count == 1);
        failures++;
    }
    EXPECT_OK(error, status);
    ck_assert_int_gt(failures, 3);
}
END_TEST

Suite *suite_compose_graph_nodes(void)
{
    Suite *suite = suite_create("compose/graph_nodes");
    TCase *tcase = tcase_create("nodes");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, steps_become_nodes_and_literals_values);
    tcase_add_test(tcase, a_result_may_be_an_argument);
    tcase_add_test(tcase, arguments_are_nodes_with_numbers);
    tcase_add_test(tcase, a_late_failure_takes_everything_back);
    tcase_add_test(tcase, a_graph_without_room_is_named);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    suite_add_tcase(suite, tcase);
    return suite;
}
