/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Eager mode over graphs: values, their release, outputs in every shape. */
#include <string.h>

#include "exec/executor.h"
#include "unit/built_modules.h"
#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

typedef struct eager_case {
    host_fixture_t host;
    kc_profile_t *profile;
    kc_session_t *session;
    operand_t x;
    const DLTensor *inputs[1];
    kc_error_t error;
} eager_case_t;

static void eager_begin(eager_case_t *at, kc_profile_t *profile)
{
    host_fixture_begin(&at->host, 1);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = profile;
    EXPECT_OK(at->error, kci_session_create(at->host.host, at->profile, false,
                                            &at->session, &at->error));
    operand_init(&at->x, KC_DTYPE_F32, 1, DIMS(VECTOR));
    for (int i = 0; i < VECTOR; i++) {
        operand_f32(&at->x)[i] = (float)(i - 8);
    }
    at->inputs[0] = &at->x.view;
}

static void eager_end(eager_case_t *at)
{
    kci_session_destroy(at->session);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

static kc_status_t run(eager_case_t *at, const kc_graph_t *graph,
                       kc_tensor_t **outputs, size_t output_count)
{
    return kci_session_run_graph(at->session, graph, NULL, 0, at->inputs, 1,
                                 outputs, output_count, &at->error);
}

START_TEST(values_go_after_their_last_reader)
{
    eager_case_t at;
    kc_tensor_t *output = NULL;
    eager_begin(&at, acme_profile(NULL));
    kc_graph_builder_t *builder = graph_begin();
    uint32_t node = graph_input(builder, "x");
    for (int i = 0; i < 1000; i++) {
        node = graph_binary(builder, "add", node, node);
        node = graph_unary(builder, "relu", node);
    }
    graph_unary(builder, "relu", node); /* nobody reads this */
    graph_output(builder, "y", node);
    kc_graph_t *graph = graph_end(builder);
    EXPECT_OK(at.error, run(&at, graph, &output, 1));
    ck_assert_int_eq(acme_log.add_count, 1000);
    ck_assert_int_eq(acme_log.relu_count, 1001);
    /* Two values at a time, with their heads. */
    ck_assert_uint_lt(atomic_load(&at.host.allocator.peak_bytes), 4096);
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_uint_eq(record->node_count, 2001);
    ck_assert_uint_eq(record->nodes[0].node, 1);
    ck_assert_int_eq(record->nodes[0].op, KC_OP_ADD);
    ck_assert_str_eq(
        record->profile->entries[record->nodes[1].entry].capsule->name,
        "acme.relu");
    kci_tensor_release(output);
    kci_graph_release(graph);
    eager_end(&at);
}
END_TEST

START_TEST(outputs_of_all_kinds)
{
    eager_case_t at;
    kc_tensor_t *outputs[5] = {NULL};
    eager_begin(&at, acme_profile(NULL));
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t w = graph_const(builder, "w");
    uint32_t relu = graph_unary(builder, "relu", x);
    uint32_t detached = graph_unary(builder, "detach", relu);
    uint32_t sum = graph_binary(builder, "add", detached, w);
    graph_output(builder, "input", x);
    graph_output(builder, "relu", relu);
    graph_output(builder, "detached", detached);
    graph_output(builder, "sum", sum);
    graph_output(builder, "const", w);
    kc_graph_t *graph = graph_end(builder);
    kci_named_tensor_t w_value = {"w",
                                  vector_tensor(&at.host.allocator, 0, 100)};
    EXPECT_OK(at.error,
              kci_session_run_graph(at.session, graph, &w_value, 1, at.inputs,
                                    1, outputs, 5, &at.error));
    kci_tensor_release(w_value.tensor);
    const float expected[] = {7, 7, 7, 107, 100};
    for (int i = 0; i < 5; i++) {
        ck_assert_float_eq(tensor_f32(outputs[i])[15], expected[i]);
        for (int k = 0; k < i; k++) {
            ck_assert_ptr_ne(tensor_f32(outputs[i]), tensor_f32(outputs[k]));
        }
    }
    ck_assert_ptr_ne(tensor_f32(outputs[0]), at.x.view.data);
    for (int i = 0; i < 5; i++) {
        kci_tensor_release(outputs[i]);
    }
    kci_graph_release(graph);
    eager_end(&at);
}
END_TEST

START_TEST(a_failure_leaves_nothing_behind)
{
    eager_case_t at;
    kc_tensor_t *output = NULL;
    eager_begin(&at, acme_profile(NULL));
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t a = graph_unary(builder, "relu", x);
    uint32_t b = graph_binary(builder, "add", a, x);
    graph_output(builder, "y", graph_unary(builder, "relu", b));
    kc_graph_t *graph = graph_end(builder);
    acme_log.fail_at = 2;
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL,
                   "node 2 (add): acme.add: asked to fail",
                   run(&at, graph, &output, 1));
    ck_assert_ptr_null(output);
    ck_assert_uint_eq(atomic_load(&at.host.allocator.live_bytes), 0);
    ck_assert_uint_eq(kci_session_record(at.session)->node_count, 2);
    acme_log.fail_at = 0;
    EXPECT_OK(at.error, run(&at, graph, &output, 1));
    ck_assert_float_eq(tensor_f32(output)[15], 14);
    kci_tensor_release(output);
    kci_graph_release(graph);
    eager_end(&at);
}
END_TEST

START_TEST(ports_are_checked)
{
    eager_case_t at;
    kc_tensor_t *outputs[2] = {NULL};
    eager_begin(&at, acme_profile(NULL));
    kc_graph_builder_t *builder = graph_begin();
    graph_output(builder, "y",
                 graph_unary(builder, "relu", graph_input(builder, "x")));
    kc_graph_t *graph = graph_end(builder);
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "expected 1 outputs, found 2",
                   run(&at, graph, outputs, 2));
    at.x.shape[0] = 9;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "input x (node 0): expected f32 [16], found f32 [9]",
                   run(&at, graph, outputs, 1));
    ck_assert_ptr_null(outputs[0]);
    kci_graph_release(graph);
    eager_end(&at);
}
END_TEST

/* `sum` sees its parent as one axis, also one with gaps. */
START_TEST(sum_of_a_strided_input)
{
    eager_case_t at;
    kc_tensor_t *output = NULL;
    uint32_t parent = 0;
    eager_begin(&at, built_checked_cpu());
    kc_graph_builder_t *builder = graph_begin();
    graph_input(builder, "x");
    kci_node_spec_t spec = {.kind = "sum",
                            .parents = &parent,
                            .parent_count = 1,
                            .dtype = KC_DTYPE_F32};
    graph_output(builder, "y", graph_node(builder, &spec, NULL));
    kc_graph_t *graph = graph_end(builder);
    for (int i = 0; i < 3 * VECTOR; i++) {
        operand_f32(&at.x)[i] = i % 3 == 0 ? (float)(i / 3) : 1000;
    }
    at.x.strides[0] = 3;
    EXPECT_OK(at.error, run(&at, graph, &output, 1));
    ck_assert_int_eq(output->view.ndim, 0);
    ck_assert_float_eq(tensor_f32(output)[0], 120);
    kci_tensor_release(output);
    kci_graph_release(graph);
    eager_end(&at);
}
END_TEST

Suite *suite_exec_session_graph(void)
{
    Suite *suite = suite_create("exec/session_graph");
    TCase *tcase = tcase_create("session_graph");
    tcase_add_test(tcase, values_go_after_their_last_reader);
    tcase_add_test(tcase, outputs_of_all_kinds);
    tcase_add_test(tcase, a_failure_leaves_nothing_behind);
    tcase_add_test(tcase, ports_are_checked);
    tcase_add_test(tcase, sum_of_a_strided_input);
    suite_add_tcase(suite, tcase);
    return suite;
}
