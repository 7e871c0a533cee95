/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Graphs on a tape: the values of eager graph runs, gradients through every
 * kind of node, and nothing left of a run that failed. */
#include "autograd/tape_state.h"

#include <stdio.h>
#include <string.h>

#include "graph/graph.h"
#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"

#define HEAD       "{\"format\": \"kcapsule-graph\", \"version\": 1, \"nodes\": ["
#define TAIL(node) "], \"outputs\": [{\"name\": \"y\", \"node\": " #node "}]}"

static kc_graph_t *parse(tape_fixture_t *at, const char *text)
{
    kc_graph_t *graph = NULL;
    EXPECT_OK(at->error,
              kci_graph_parse(text, strlen(text), "test", &graph, &at->error));
    return graph;
}

/* relu(x w + detach(x) w) all summed up, with a transpose, x in [2, 2]. */
static const char sum_text[] = HEAD
    "{\"id\": 0, \"op\": \"input\", \"shape\": [2, 2], \"name\": \"x\"},"
    "{\"id\": 1, \"op\": \"const\", \"shape\": [2, 2], \"name\": \"w\"},"
    "{\"id\": 2, \"op\": \"transpose\", \"parents\": [1], \"shape\": [2, 2],"
    " \"attrs\": {\"axes\": [0, 1]}},"
    "{\"id\": 3, \"op\": \"matmul\", \"parents\": [0, 2], \"shape\": [2, 2]},"
    "{\"id\": 4, \"op\": \"detach\", \"parents\": [0], \"shape\": [2, 2]},"
    "{\"id\": 5, \"op\": \"mul_elem\", \"parents\": [3, 4],"
    " \"shape\": [2, 2]},"
    "{\"id\": 6, \"op\": \"sum\", \"parents\": [5], \"shape\": []}" TAIL(6);

START_TEST(the_nodes_of_a_graph)
{
    tape_fixture_t at;
    kc_variable_t y = {0};
    tape_begin(&at);
    kc_graph_t *graph = parse(&at, sum_text);
    kc_variable_t x = tape_leaf(&at, "x", 2, DIMS(2, 2), FLOATS(1, 2, 3, 4));
    kc_variable_t w = tape_leaf(&at, "w", 2, DIMS(2, 2), FLOATS(5, 6, 7, 8));
    EXPECT_OK(at.error, kci_tape_run_graph(at.tape, graph, &x, 1, &w, 1, &y, 1,
                                           &at.error));
    /* x w^T = [17 23; 39 53], times x: 17 + 46 + 117 + 212. */
    ck_assert_float_eq(*tape_data(&at, y), 392);
    /* `sum` sees its parent as one axis: no reshape runs, there or back. */
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_FORWARD, KC_OP_RESHAPE), 0);
    tape_backward(&at, y);
    /* detach(x) w and detach(x)^T x */
    TAPE_EXPECT(&at, x, 19, 22, 43, 50);
    TAPE_EXPECT(&at, w, 1 + 9, 2 + 12, 2 + 12, 4 + 16);
    ck_assert_uint_eq(tape_calls(&at, KCI_CALL_VJP, KC_OP_MATMUL), 1);
    kci_graph_release(graph);
    tape_end(&at);
}
END_TEST

/* The same values as an eager run without a tape, random ones too, however
 * often the tape has drawn before. */
static const char random_text[] = HEAD
    "{\"id\": 0, \"op\": \"input\", \"shape\": [3], \"name\": \"x\"},"
    "{\"id\": 1, \"op\": \"rand_uniform\", \"shape\": [3],"
    " \"attrs\": {\"seed\": 5}},"
    "{\"id\": 2, \"op\": \"rand_uniform\", \"shape\": [3],"
    " \"attrs\": {\"seed\": 5}},"
    "{\"id\": 3, \"op\": \"mul_elem\", \"parents\": [0, 1], \"shape\": [3]},"
    "{\"id\": 4, \"op\": \"mul_elem\", \"parents\": [3, 2], \"shape\": "
    "[3]}" TAIL(4);

START_TEST(the_values_of_an_eager_run)
{
    tape_fixture_t at;
    kc_variable_t y = {0};
    kc_tensor_t *expected = NULL;
    tape_begin(&at);
    kc_graph_t *graph = parse(&at, random_text);
    kc_tensor_t *tensor = tape_tensor(&at, 1, DIMS(3), FLOATS(1, 2, 3));
    const DLTensor *view = &tensor->view;
    EXPECT_OK(at.error, kci_session_run_graph(at.session, graph, NULL, 0, &view,
                                              1, &expected, 1, &at.error));
    kc_variable_t x = tape_leaf_of(&at, tensor, "x", KC_LEAF_GRADIENT);
    for (int round = 0; round < 2; round++) {
        EXPECT_OK(at.error, kci_tape_run_graph(at.tape, graph, &x, 1, NULL, 0,
                                               &y, 1, &at.error));
        tape_expect_values(expected, tape_data(&at, y), 3);
    }
    kci_tensor_release(expected);
    kci_graph_release(graph);
    tape_end(&at);
}
END_TEST

/* An input that is the output, in two places of it all. */
START_TEST(an_input_as_output)
{
    tape_fixture_t at;
    kc_variable_t outputs[2] = {{0}};
    tape_begin(&at);
    kc_graph_t *graph =
        parse(&at, HEAD "{\"id\": 0, \"op\": \"input\", \"shape\": [2],"
                        " \"name\": \"x\"}], \"outputs\": ["
                        "{\"name\": \"a\", \"node\": 0},"
                        "{\"name\": \"b\", \"node\": 0}]}");
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(2), FLOATS(1, 2));
    EXPECT_OK(at.error, kci_tape_run_graph(at.tape, graph, &x, 1, NULL, 0,
                                           outputs, 2, &at.error));
    ck_assert_uint_eq(outputs[1].index, x.index);
    tape_backward_filled(&at, outputs[0], 3);
    TAPE_EXPECT(&at, x, 3, 3);
    kci_graph_release(graph);
    tape_end(&at);
}
END_TEST

/* A strided leaf under `sum`: one axis of a copy, the gradient of the leaf's
 * shape. */
START_TEST(the_sum_of_a_strided_leaf)
{
    tape_fixture_t at;
    static float memory[] = {1, 2, 3, 4};
    kc_tensor_t *tensor = NULL;
    kc_variable_t y = {0};
    tape_begin(&at);
    kc_graph_t *graph =
        parse(&at, HEAD "{\"id\": 0, \"op\": \"input\", \"shape\": [2, 2],"
                        " \"name\": \"x\"},"
                        "{\"id\": 1, \"op\": \"sum\", \"parents\": [0],"
                        " \"shape\": []}" TAIL(1));
    EXPECT_OK(at.error, kci_tensor_wrap(&at.allocator, KC_DTYPE_F32, 2,
                                        DIMS(2, 2), DIMS(1, 2), memory, NULL,
                                        NULL, &tensor, &at.error));
    kc_variable_t x = tape_leaf_of(&at, tensor, "x", KC_LEAF_GRADIENT);
    EXPECT_OK(at.error, kci_tape_run_graph(at.tape, graph, &x, 1, NULL, 0, &y,
                                           1, &at.error));
    ck_assert_float_eq(*tape_data(&at, y), 10);
    tape_backward(&at, y);
    TAPE_EXPECT(&at, x, 1, 1, 1, 1);
    kci_graph_release(graph);
    tape_end(&at);
}
END_TEST

START_TEST(refused_runs_leave_nothing)
{
    tape_fixture_t at;
    kc_variable_t y = {0};
    tape_begin(&at);
    kc_graph_t *graph = parse(
        &at, HEAD "{\"id\": 0, \"op\": \"input\", \"shape\": [2, 2],"
                  " \"name\": \"x\"},"
                  "{\"id\": 1, \"op\": \"relu\", \"parents\": [0],"
                  " \"shape\": [2, 2]},"
                  "{\"id\": 2, \"op\": \"const\", \"shape\": [1],"
                  " \"dtype\": \"i64\", \"name\": \"rows\"},"
                  "{\"id\": 3, \"op\": \"gather\", \"parents\": [1, 2],"
                  " \"shape\": [1, 2], \"attrs\": {\"axis\": 0}}" TAIL(3));
    kc_tensor_t *indices = NULL;
    EXPECT_OK(at.error, kci_tensor_create(&at.allocator, KC_DTYPE_I64, 1,
                                          DIMS(1), &indices, &at.error));
    *(int64_t *)kc_tensor_data(&indices->view) = 9;
    kc_variable_t rows = tape_leaf_of(&at, indices, "rows", 0);
    kc_variable_t x = tape_leaf(&at, "x", 2, DIMS(2, 2), FLOATS(1, 2, 3, 4));
    size_t live = at.allocator.live_bytes;
    EXPECT_FAILURE(
        at.error, KC_ERR_TENSOR, "node 3 (gather 0): dispatch.index_range",
        kci_tape_run_graph(at.tape, graph, &x, 1, &rows, 1, &y, 1, &at.error));
    ck_assert_uint_eq(at.tape->variable_count, 2);
    ck_assert_uint_eq(at.tape->node_count, 0);
    ck_assert_uint_eq(at.allocator.live_bytes, live);
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "input x (node 0): expected f32 [2, 2], found i64 [1]",
                   kci_tape_run_graph(at.tape, graph, &rows, 1, &rows, 1, &y, 1,
                                      &at.error));
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "test: expected 1 consts, found 0",
        kci_tape_run_graph(at.tape, graph, &x, 1, NULL, 0, &y, 1, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "test: expected 1 inputs, found 0",
                   kci_tape_run_graph(at.tape, graph, NULL, 0, &rows, 1, &y, 1,
                                      &at.error));
    kc_variable_t foreign = x;
    foreign.tape++;
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "input x (node 0): variable 1 belongs to another tape",
                   kci_tape_run_graph(at.tape, graph, &foreign, 1, &rows, 1, &y,
                                      1, &at.error));
    ck_assert_uint_eq(y.tape, 0);
    kci_graph_release(graph);
    tape_end(&at);
}
END_TEST

Suite *suite_autograd_tape_graph(void)
{
    Suite *suite = suite_create("autograd/tape_graph");
    TCase *tcase = tcase_create("tape_graph");
    tcase_add_test(tcase, the_nodes_of_a_graph);
    tcase_add_test(tcase, the_values_of_an_eager_run);
    tcase_add_test(tcase, an_input_as_output);
    tcase_add_test(tcase, the_sum_of_a_strided_leaf);
    tcase_add_test(tcase, refused_runs_leave_nothing);
    suite_add_tcase(suite, tcase);
    return suite;
}
