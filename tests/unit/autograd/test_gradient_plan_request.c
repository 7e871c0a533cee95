/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Requests: what they leave unsaid, what they may not say, and which nodes
 * lie between outputs and wanted nodes. */
#include "autograd/gradient_plan_parts.h"
#include "unit/autograd/gradient_fixture.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

/* 0 x, 1 w, 2 index, 3 gather(x, index), 4 add(3, w), 5 detach(4),
 * 6 mul(5, w), 7 rand, 8 add(6, 7), 9 frozen, 10 add(8, 9) */
static kc_graph_t *sample_graph(void)
{
    return gradient_graph(
        "{'id': 0, 'op': 'input', 'shape': [3], 'name': 'x'},"
        "{'id': 1, 'op': 'const', 'shape': [2], 'name': 'w'},"
        "{'id': 2, 'op': 'input', 'shape': [2], 'dtype': 'i64',"
        " 'name': 'idx3'},"
        "{'id': 3, 'op': 'gather', 'parents': [0, 2], 'shape': [2],"
        " 'attrs': {'axis': 0}},"
        "{'id': 4, 'op': 'add', 'parents': [3, 1], 'shape': [2]},"
        "{'id': 5, 'op': 'detach', 'parents': [4], 'shape': [2]},"
        "{'id': 6, 'op': 'mul_elem', 'parents': [5, 1], 'shape': [2]},"
        "{'id': 7, 'op': 'rand_uniform', 'shape': [2], 'attrs': {'seed': 1}},"
        "{'id': 8, 'op': 'add', 'parents': [6, 7], 'shape': [2]},"
        "{'id': 9, 'op': 'const', 'shape': [2], 'name': 'frozen',"
        " 'trainable': false},"
        "{'id': 10, 'op': 'add', 'parents': [8, 9], 'shape': [2]}",
        "{'name': 'y', 'node': 10}, {'name': 'index', 'node': 2},"
        "{'name': 'sum', 'node': 4}");
}

static void expect_refused(const kci_gradient_request_t *request,
                           const char *text)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = sample_graph();
    kci_gradient_targets_t targets = {0};
    EXPECT_FAILURE(
        error, KC_ERR_ARGUMENT, text,
        kci_gradient_targets_create(graph, request, &targets, &error));
    ck_assert_ptr_null(targets.outputs);
    kci_graph_release(graph);
}

START_TEST(what_is_unsaid_is_all_float_outputs_and_trainable_consts)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = sample_graph();
    kci_gradient_request_t request = {0};
    kci_gradient_targets_t targets;
    EXPECT_OK(error,
              kci_gradient_targets_create(graph, &request, &targets, &error));
    ck_assert_uint_eq(targets.output_count, 2);
    ck_assert_uint_eq(targets.outputs[0], 0);
    ck_assert_uint_eq(targets.outputs[1], 2);
    ck_assert_uint_eq(targets.node_count, 1);
    ck_assert_uint_eq(targets.nodes[0], 1);
    kci_gradient_targets_release(&targets);
    kci_graph_release(graph);
}
END_TEST

START_TEST(the_order_of_a_request_stays)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = sample_graph();
    kci_gradient_request_t request = {OUTPUTS(2, 0), NODES(8, 0, 7)};
    kci_gradient_targets_t targets;
    EXPECT_OK(error,
              kci_gradient_targets_create(graph, &request, &targets, &error));
    ck_assert_uint_eq(targets.outputs[0], 2);
    ck_assert_uint_eq(targets.outputs[1], 0);
    ck_assert_uint_eq(targets.nodes[0], 8);
    ck_assert_uint_eq(targets.nodes[1], 0);
    ck_assert_uint_eq(targets.nodes[2], 7);
    kci_gradient_targets_release(&targets);
    kci_graph_release(graph);
}
END_TEST

START_TEST(the_way_ends_at_detach_integers_and_random_sources)
{
    static const bool from_x[] = {true,  false, false, true,  true, false,
                                  false, false, false, false, false};
    static const bool from_w[] = {false, true,  false, false, true, false,
                                  true,  false, true,  false, true};
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = sample_graph();
    for (uint32_t leaf = 0; leaf < 2; leaf++) {
        kci_gradient_request_t request = {.nodes = &leaf, .node_count = 1};
        kci_gradient_targets_t targets;
        EXPECT_OK(error, kci_gradient_targets_create(graph, &request, &targets,
                                                     &error));
        for (uint32_t node = 0; node < graph->node_count; node++) {
            ck_assert_msg(targets.is_on_way[node] ==
                              (leaf == 0 ? from_x : from_w)[node],
                          "leaf %u node %u", leaf, node);
        }
        ck_assert(kci_gradient_is_wanted(graph, &targets, 4, leaf));
        ck_assert(!kci_gradient_is_wanted(graph, &targets, 4, 1 - leaf));
        ck_assert(!kci_gradient_is_wanted(graph, &targets, 3, 1));
        kci_gradient_targets_release(&targets);
    }
    kci_graph_release(graph);
}
END_TEST

START_TEST(what_is_not_there_is_refused)
{
    expect_refused(&(kci_gradient_request_t){OUTPUTS(3)},
                   "test: expected an output below 3, found 3");
    expect_refused(&(kci_gradient_request_t){NODES(11)},
                   "test: expected a node below 11, found 11");
    expect_refused(&(kci_gradient_request_t){NODES(UINT32_MAX)},
                   "expected a node below 11");
}
END_TEST

START_TEST(what_comes_twice_is_refused)
{
    expect_refused(&(kci_gradient_request_t){OUTPUTS(2, 0, 2)},
                   "test: expected an output once, found 2 twice");
    expect_refused(&(kci_gradient_request_t){NODES(1, 4, 4)},
                   "test: expected a node once, found 4 twice");
}
END_TEST

START_TEST(integers_have_no_gradient)
{
    expect_refused(&(kci_gradient_request_t){OUTPUTS(1)},
                   "test: expected a floating-point output, found i64 of "
                   "node 2");
    expect_refused(&(kci_gradient_request_t){NODES(0, 2)},
                   "test: expected a floating-point node, found i64 of node 2");
}
END_TEST

START_TEST(nothing_to_differentiate_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_gradient_request_t request = {0};
    kci_gradient_targets_t targets;
    kc_graph_t *graph =
        gradient_graph("{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'}",
                       "{'name': 'y', 'node': 0}");
    EXPECT_FAILURE(
        error, KC_ERR_ARGUMENT, "a trainable const; found neither",
        kci_gradient_targets_create(graph, &request, &targets, &error));
    kci_graph_release(graph);
    graph = gradient_graph("{'id': 0, 'op': 'const', 'shape': [2],"
                           " 'name': 'w'}",
                           "");
    EXPECT_FAILURE(
        error, KC_ERR_ARGUMENT, "a floating-point output to differentiate",
        kci_gradient_targets_create(graph, &request, &targets, &error));
    kci_graph_release(graph);
}
END_TEST

Suite *suite_autograd_gradient_plan_request(void)
{
    Suite *suite = suite_create("autograd.gradient_plan_request");
    TCase *tests = tcase_create("requests");
    tcase_add_test(tests,
                   what_is_unsaid_is_all_float_outputs_and_trainable_consts);
    tcase_add_test(tests, the_order_of_a_request_stays);
    tcase_add_test(tests, the_way_ends_at_detach_integers_and_random_sources);
    tcase_add_test(tests, what_is_not_there_is_refused);
    tcase_add_test(tests, what_comes_twice_is_refused);
    tcase_add_test(tests, integers_have_no_gradient);
    tcase_add_test(tests, nothing_to_differentiate_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
