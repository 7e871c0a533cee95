/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Ports of a graph, its consts by name, and views held against nodes. */
#include "exec/graph_values.h"

#include <string.h>

#include "base/alloc.h"
#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

typedef struct ports_case {
    kc_graph_t *graph;
    kci_graph_ports_t ports;
    kci_host_allocator_t allocator;
    kc_error_t error;
} ports_case_t;

/* Nodes: 0 input x, 1 const w, 2 input y, 3 const v, 4 add(1, 3). */
static void ports_begin(ports_case_t *at)
{
    kc_graph_builder_t *builder = graph_begin();
    graph_input(builder, "x");
    uint32_t w = graph_const(builder, "w");
    graph_input(builder, "y");
    uint32_t v = graph_const(builder, "v");
    graph_output(builder, "out", graph_binary(builder, "add", w, v));
    at->graph = graph_end(builder);
    at->error = (kc_error_t)KC_ERROR_INIT;
    kci_host_allocator_init(&at->allocator, NULL, NULL, NULL);
    EXPECT_OK(at->error,
              kci_graph_ports_create(at->graph, &at->ports, &at->error));
}

static void ports_end(ports_case_t *at)
{
    kci_graph_ports_release(&at->ports);
    kci_graph_release(at->graph);
    ck_assert_uint_eq(atomic_load(&at->allocator.live_bytes), 0);
}

START_TEST(ports_in_node_order)
{
    ports_case_t at;
    ports_begin(&at);
    ck_assert_uint_eq(at.ports.input_count, 2);
    ck_assert_uint_eq(at.ports.inputs[1], 2);
    ck_assert_uint_eq(at.ports.const_count, 2);
    ck_assert_uint_eq(at.ports.consts[0], 1);
    EXPECT_OK(at.error,
              kci_check_port_counts(at.graph, &at.ports, 2, 1, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "expected 2 inputs, found 1",
                   kci_check_port_counts(at.graph, &at.ports, 1, 1, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "expected 1 outputs, found 3",
                   kci_check_port_counts(at.graph, &at.ports, 2, 3, &at.error));
    ports_end(&at);
}
END_TEST

START_TEST(named_extents_cannot_be_executed)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_graph_ports_t ports;
    kc_graph_builder_t *builder = graph_begin();
    kci_node_spec_t spec = {.kind = "input",
                            .dtype = KC_DTYPE_F32,
                            .rank = 2,
                            .dims = DIMS(0, 4),
                            .leading_name = "N",
                            .name = "x"};
    graph_output(builder, "out", graph_node(builder, &spec, NULL));
    kc_graph_t *graph = graph_end(builder);
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "expected every extent as a number, found the name N",
                   kci_graph_ports_create(graph, &ports, &error));
    kci_graph_release(graph);
}
END_TEST

#define TAKE(at, consts, count)                                                \
    kci_graph_take_consts((at).graph, &(at).ports, &(at).allocator, consts,    \
                          count, &taken, &(at).error)

static void release_taken(kc_tensor_t **taken)
{
    kci_tensor_release(taken[0]);
    kci_tensor_release(taken[1]);
    kci_free(taken);
}

START_TEST(consts_are_found_by_name_and_kept)
{
    ports_case_t at;
    ports_begin(&at);
    kc_tensor_t **taken = NULL;
    kci_named_tensor_t consts[] = {
        {"w", vector_tensor(&at.allocator, 1, 0)},
        {"other", vector_tensor(&at.allocator, 5, 0)},
        {"v", vector_tensor(&at.allocator, 2, 0)}};
    EXPECT_OK(at.error, TAKE(at, consts, 3));
    for (int i = 0; i < 3; i++) {
        kci_tensor_release(consts[i].tensor);
    }
    ck_assert_float_eq(tensor_f32(taken[0])[3], 3);
    ck_assert_float_eq(tensor_f32(taken[1])[3], 6);
    release_taken(taken);
    ports_end(&at);
}
END_TEST

/* The graph holds its value: nobody gives one, and each has its own copy. */
START_TEST(literals_need_no_value)
{
    kc_error_t error = KC_ERROR_INIT;
    static const float numbers[] = {7, 8};
    kci_tensor_type_t type = {.dtype = KC_DTYPE_F32,
                              .shape = {.rank = 1, .dims = {2}}};
    kc_graph_builder_t *builder = graph_begin();
    uint32_t w = graph_const(builder, "w");
    uint32_t literal = 0;
    EXPECT_OK(error, kci_graph_builder_literal(builder, &type, numbers,
                                               &literal, &error));
    graph_output(builder, "out", graph_binary(builder, "add", w, w));
    ports_case_t at = {.graph = graph_end(builder), .error = error};
    kci_host_allocator_init(&at.allocator, NULL, NULL, NULL);
    EXPECT_OK(error, kci_graph_ports_create(at.graph, &at.ports, &error));
    ck_assert_uint_eq(at.ports.const_count, 2);
    ck_assert_uint_eq(at.ports.consts[1], literal);
    kc_tensor_t **taken = NULL;
    kci_named_tensor_t consts[] = {{"w", vector_tensor(&at.allocator, 1, 0)}};
    EXPECT_OK(error, TAKE(at, consts, 1));
    kci_tensor_release(consts[0].tensor);
    ck_assert_float_eq(tensor_f32(taken[0])[3], 3);
    ck_assert_mem_eq(tensor_f32(taken[1]), numbers, sizeof numbers);
    ck_assert_ptr_ne(tensor_f32(taken[1]),
                     kci_graph_literal(at.graph, literal)->bytes);
    release_taken(taken);
    ports_end(&at);
}
END_TEST

START_TEST(consts_that_do_not_fit)
{
    ports_case_t at;
    ports_begin(&at);
    kc_tensor_t **taken = NULL;
    kc_tensor_t *good = vector_tensor(&at.allocator, 1, 0);
    kc_tensor_t *small = NULL;
    kc_tensor_t *wide = NULL;
    EXPECT_OK(at.error, kci_tensor_create(&at.allocator, KC_DTYPE_F32, 1,
                                          DIMS(3), &small, &at.error));
    EXPECT_OK(at.error, kci_tensor_create(&at.allocator, KC_DTYPE_F64, 1,
                                          DIMS(VECTOR), &wide, &at.error));
    kci_named_tensor_t missing[] = {{"w", good}};
    EXPECT_FAILURE(at.error, KC_ERR_NOT_FOUND,
                   "const v (node 3): expected a value, found none",
                   TAKE(at, missing, 1));
    EXPECT_FAILURE(at.error, KC_ERR_NOT_FOUND, "const w (node 1)",
                   TAKE(at, NULL, 0));
    kci_named_tensor_t shape[] = {{"w", good}, {"v", small}};
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "const v (node 3): expected f32 [16], found f32 [3]",
                   TAKE(at, shape, 2));
    kci_named_tensor_t dtype[] = {{"w", wide}, {"v", good}};
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "const w (node 1): expected f32 [16], found f64 [16]",
                   TAKE(at, dtype, 2));
    kci_named_tensor_t twice[] = {{"w", good}, {"v", good}, {"w", good}};
    EXPECT_FAILURE(at.error, KC_ERR_DUPLICATE, "const w is given twice",
                   TAKE(at, twice, 3));
    ck_assert_ptr_null(taken);
    kci_tensor_release(good);
    kci_tensor_release(small);
    kci_tensor_release(wide);
    ports_end(&at);
}
END_TEST

START_TEST(consts_with_gaps_are_copied)
{
    ports_case_t at;
    ports_begin(&at);
    kc_tensor_t **taken = NULL;
    float memory[2 * VECTOR] = {0};
    kc_tensor_t *strided = NULL;
    memory[2 * 5] = 42;
    EXPECT_OK(at.error, kci_tensor_wrap(&at.allocator, KC_DTYPE_F32, 1,
                                        DIMS(VECTOR), DIMS(2), memory, NULL,
                                        NULL, &strided, &at.error));
    kci_named_tensor_t consts[] = {{"w", strided}, {"v", strided}};
    EXPECT_OK(at.error, TAKE(at, consts, 2));
    ck_assert(kci_tensor_is_dense(&taken[0]->view));
    ck_assert_float_eq(tensor_f32(taken[0])[5], 42);
    kci_tensor_release(strided);
    release_taken(taken);
    ports_end(&at);
}
END_TEST

#define CHECK_VIEW(at, view)                                                   \
    kci_check_graph_view((at).graph, 0, "input", "x", view, &(at).error)

START_TEST(views_of_ports)
{
    ports_case_t at;
    operand_t x;
    ports_begin(&at);
    operand_init(&x, KC_DTYPE_F32, 1, DIMS(VECTOR));
    EXPECT_OK(at.error, CHECK_VIEW(at, &x.view));
    x.strides[0] = 2;
    EXPECT_OK(at.error, CHECK_VIEW(at, &x.view));
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "input x (node 0): expected a tensor, found none",
                   CHECK_VIEW(at, NULL));
    x.view.device.device_type = kDLCUDA;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.device: input x",
                   CHECK_VIEW(at, &x.view));
    x.view.device.device_type = kDLCPU;
    x.view.ndim = 99;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "dispatch.shape: input x (node 0): expected f32 [16], "
                   "found f32 of rank 99",
                   CHECK_VIEW(at, &x.view));
    x.view.ndim = 1;
    x.view.dtype.bits = 64;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "dispatch.dtype: input x (node 0): expected f32 [16], "
                   "found f64 [16]",
                   CHECK_VIEW(at, &x.view));
    x.view.dtype.bits = 32;
    x.strides[0] = -1;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.layout: input x",
                   CHECK_VIEW(at, &x.view));
    x.strides[0] = 1;
    x.view.byte_offset = 1;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "not aligned",
                   CHECK_VIEW(at, &x.view));
    x.view.data = NULL;
    x.view.byte_offset = 0;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "found no memory",
                   CHECK_VIEW(at, &x.view));
    ports_end(&at);
}
END_TEST

Suite *suite_exec_graph_values(void)
{
    Suite *suite = suite_create("exec/graph_values");
    TCase *tcase = tcase_create("graph_values");
    tcase_add_test(tcase, ports_in_node_order);
    tcase_add_test(tcase, named_extents_cannot_be_executed);
    tcase_add_test(tcase, consts_are_found_by_name_and_kept);
    tcase_add_test(tcase, literals_need_no_value);
    tcase_add_test(tcase, consts_that_do_not_fit);
    tcase_add_test(tcase, consts_with_gaps_are_copied);
    tcase_add_test(tcase, views_of_ports);
    suite_add_tcase(suite, tcase);
    return suite;
}
