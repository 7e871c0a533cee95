/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Values that a graph brings along. */
#include "graph/builder.h"

#include <string.h>

#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/graph/suites.h"

static const float numbers[] = {1, 2, 3, 4, 5, 6};

static kci_tensor_type_t pair_type(int64_t rows)
{
    return (kci_tensor_type_t){.dtype = KC_DTYPE_F32,
                               .shape = {.rank = 2, .dims = {rows, 2}}};
}

static kc_graph_builder_t *new_builder(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = NULL;
    EXPECT_OK(error, kci_graph_builder_create("memory", &builder, &error));
    return builder;
}

static uint32_t add_port(kc_graph_builder_t *builder, const char *kind,
                         const char *name, const char *leading_name)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t id = 0;
    static const int64_t dims[] = {3, 2};
    kci_node_spec_t spec = {.kind = kind,
                            .dtype = KC_DTYPE_F32,
                            .rank = 2,
                            .dims = dims,
                            .leading_name = leading_name,
                            .name = name};
    EXPECT_OK(error, kci_graph_builder_add(builder, &spec, &id, &error));
    return id;
}

static kc_graph_t *finish(kc_graph_builder_t *builder)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_OK(error, kci_graph_builder_finish(builder, &graph, &error));
    return graph;
}

/* Literals between other nodes, one without elements; the elements given may
 * go afterwards. */
static kc_graph_t *literal_graph(const char *leading_name)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = new_builder();
    uint32_t id = 0;
    for (int64_t rows = 0; rows < 3; rows++) {
        kci_tensor_type_t type = pair_type(rows);
        float elements[6];
        memcpy(elements, numbers, sizeof elements);
        EXPECT_OK(error, kci_graph_builder_literal(builder, &type, elements,
                                                   &id, &error));
        ck_assert_uint_eq(id, 2 * rows);
        memset(elements, 0, sizeof elements);
        (void)add_port(builder, rows == 1 ? "const" : "input",
                       rows == 0   ? "x"
                       : rows == 1 ? "w"
                                   : "y",
                       rows == 0 ? leading_name : NULL);
    }
    return finish(builder);
}

static void expect_literals(const kc_graph_t *graph)
{
    ck_assert_uint_eq(graph->node_count, 6);
    ck_assert_uint_eq(graph->literal_count, 3);
    for (uint32_t node = 0; node < 6; node++) {
        const kci_graph_literal_t *literal = kci_graph_literal(graph, node);
        if (node % 2 == 1) {
            ck_assert_ptr_null(literal);
            continue;
        }
        ck_assert_ptr_nonnull(literal);
        ck_assert_uint_eq(literal->node, node);
        ck_assert_uint_eq(literal->size_bytes, node / 2 * 2 * sizeof(float));
        if (literal->size_bytes != 0) {
            ck_assert_mem_eq(literal->bytes, numbers, literal->size_bytes);
        }
        ck_assert_uint_eq(graph->nodes[node].name, KCI_NO_INDEX);
        ck_assert_uint_eq(graph->nodes[node].is_trainable, 0);
    }
}

START_TEST(a_graph_keeps_its_values)
{
    kc_graph_t *graph = literal_graph(NULL);
    expect_literals(graph);
    kci_graph_release(graph);
}
END_TEST

START_TEST(binding_keeps_them_too)
{
    kc_error_t error = KC_ERROR_INIT;
    static const char *const names[] = {"N"};
    static const int64_t value = 5;
    kc_graph_t *graph = literal_graph("N");
    kc_graph_t *bound = NULL;
    EXPECT_OK(error, kci_graph_bind(graph, names, &value, 1, &bound, &error));
    kci_graph_release(graph);
    ck_assert_uint_eq(bound->dim_name_count, 0);
    expect_literals(bound);
    kci_graph_release(bound);
}
END_TEST

START_TEST(it_is_described_as_a_const)
{
    char text[64];
    kc_graph_t *graph = literal_graph(NULL);
    kci_graph_describe_node(graph, 0, text, sizeof text);
    ck_assert_str_eq(text, "const");
    kci_graph_release(graph);
}
END_TEST

START_TEST(a_shape_that_is_none_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = new_builder();
    kci_tensor_type_t type = pair_type(-1);
    uint32_t id = 77;
    EXPECT_FAILURE(
        error, KC_ERR_GRAPH, "memory: node 0 (const",
        kci_graph_builder_literal(builder, &type, numbers, &id, &error));
    ck_assert_uint_eq(id, 77);
    ck_assert_uint_eq(kci_graph_builder_nodes(builder)->node_count, 0);
    kci_graph_builder_destroy(builder);
}
END_TEST

/* A failure leaves the builder usable, and without the node. */
START_TEST(no_failed_allocation_hurts)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = new_builder();
    kci_tensor_type_t type = pair_type(3);
    uint32_t id = 0;
    kc_status_t status = KC_ERR_MEMORY;
    for (int granted = 0; status != KC_OK && granted < 50; granted++) {
        failing_heap_break_after(granted);
        status =
            kci_graph_builder_literal(builder, &type, numbers, &id, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
        ck_assert_uint_eq(kci_graph_builder_nodes(builder)->node_count,
                          status == KC_OK);
    }
    EXPECT_OK(error, status);
    kc_graph_t *graph = finish(builder);
    ck_assert_uint_eq(graph->literal_count, 1);
    ck_assert_mem_eq(kci_graph_literal(graph, 0)->bytes, numbers,
                     sizeof numbers);
    kci_graph_release(graph);
}
END_TEST

Suite *suite_graph_literal(void)
{
    Suite *suite = suite_create("graph/literal");
    TCase *tcase = tcase_create("literal");
    tcase_add_test(tcase, a_graph_keeps_its_values);
    tcase_add_test(tcase, binding_keeps_them_too);
    tcase_add_test(tcase, it_is_described_as_a_const);
    tcase_add_test(tcase, a_shape_that_is_none_is_refused);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    suite_add_tcase(suite, tcase);
    return suite;
}
