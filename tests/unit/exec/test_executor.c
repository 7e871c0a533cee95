/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Whole runs of compiled graphs: shapes of graphs, failures, records. */
#include "exec/executor.h"

#include <string.h>

#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

typedef struct run_case {
    host_fixture_t host;
    kc_profile_t *profile;
    kc_graph_t *graph;
    kc_executor_t *executor;
    operand_t x;
    operand_t y[3];
    const DLTensor *inputs[1];
    DLTensor *outputs[3];
    kc_error_t error;
} run_case_t;

static void run_begin(run_case_t *at, kc_graph_t *graph)
{
    host_fixture_begin(&at->host, 1);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = acme_profile(NULL);
    at->graph = graph;
    at->executor = compile_graph(at->host.host, at->profile, graph, false);
    operand_init(&at->x, KC_DTYPE_F32, 1, DIMS(VECTOR));
    for (int i = 0; i < VECTOR; i++) {
        operand_f32(&at->x)[i] = (float)(i - 8);
    }
    at->inputs[0] = &at->x.view;
    for (int i = 0; i < 3; i++) {
        operand_init(&at->y[i], KC_DTYPE_F32, 1, DIMS(VECTOR));
        at->outputs[i] = &at->y[i].view;
    }
}

static void run_end(run_case_t *at)
{
    kci_executor_destroy(at->executor);
    kci_graph_release(at->graph);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

static kc_status_t run(run_case_t *at)
{
    return kci_executor_run(at->executor, at->inputs, 1, at->outputs,
                            at->graph->output_count, &at->error);
}

/* The same graph in eager mode gives the same bytes. */
static void expect_as_eager(run_case_t *at)
{
    kc_session_t *session = NULL;
    kc_tensor_t *values[3] = {NULL};
    EXPECT_OK(at->error, kci_session_create(at->host.host, at->profile, false,
                                            &session, &at->error));
    EXPECT_OK(at->error, kci_session_run_graph(
                             session, at->graph, NULL, 0, at->inputs, 1, values,
                             at->graph->output_count, &at->error));
    for (uint32_t i = 0; i < at->graph->output_count; i++) {
        ck_assert_int_eq(memcmp(tensor_f32(values[i]), at->y[i].bytes,
                                VECTOR * sizeof(float)),
                         0);
        kci_tensor_release(values[i]);
    }
    kci_session_destroy(session);
}

START_TEST(a_diamond_and_several_readers)
{
    run_case_t at;
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t top = graph_binary(builder, "add", x, x);
    uint32_t left = graph_unary(builder, "relu", top);
    uint32_t right = graph_binary(builder, "add", top, x);
    uint32_t bottom = graph_binary(builder, "add", left, right);
    uint32_t more = graph_binary(builder, "add", top, bottom);
    graph_output(builder, "a", more);
    graph_output(builder, "b", graph_binary(builder, "add", top, more));
    run_begin(&at, graph_end(builder));
    EXPECT_OK(at.error, run(&at));
    /* 14; 14, 21; 35; 49; 63 */
    ck_assert_float_eq(operand_f32(&at.y[0])[15], 49);
    ck_assert_float_eq(operand_f32(&at.y[1])[15], 63);
    expect_as_eager(&at);
    run_end(&at);
}
END_TEST

START_TEST(outputs_of_all_kinds)
{
    run_case_t at;
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t relu = graph_unary(builder, "relu", x);
    graph_output(builder, "input", x);
    graph_output(builder, "relu", relu);
    graph_output(builder, "again", graph_unary(builder, "detach", relu));
    run_begin(&at, graph_end(builder));
    EXPECT_OK(at.error, run(&at));
    ck_assert_float_eq(operand_f32(&at.y[0])[0], -8);
    ck_assert_float_eq(operand_f32(&at.y[1])[0], 0);
    ck_assert_float_eq(operand_f32(&at.y[2])[15], 7);
    ck_assert_int_eq(acme_log.relu_count, 1);
    expect_as_eager(&at);
    run_end(&at);
}
END_TEST

START_TEST(a_long_chain)
{
    enum { LENGTH = 100000 };
    run_case_t at;
    kc_graph_builder_t *builder = graph_begin();
    uint32_t node = graph_input(builder, "x");
    for (int i = 0; i < LENGTH; i++) {
        node = graph_unary(builder, "relu", node);
    }
    graph_output(builder, "y", node);
    run_begin(&at, graph_end(builder));
    EXPECT_OK(at.error, run(&at));
    ck_assert_float_eq(operand_f32(&at.y[0])[15], 7);
    ck_assert_int_eq(acme_log.relu_count, LENGTH);
    ck_assert_uint_eq(kci_executor_buffer_bytes(at.executor),
                      2 * VECTOR * sizeof(float));
    expect_as_eager(&at);
    run_end(&at);
}
END_TEST

START_TEST(a_failure_in_the_middle_leaves_all_usable)
{
    run_case_t at;
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t a = graph_unary(builder, "relu", x);
    uint32_t b = graph_binary(builder, "add", a, x);
    graph_output(builder, "y", graph_unary(builder, "relu", b));
    run_begin(&at, graph_end(builder));
    acme_log.fail_at = 2;
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL,
                   "node 2 (add): acme.add: asked to fail", run(&at));
    const kci_run_record_t *record = kci_executor_record(at.executor);
    ck_assert_uint_eq(record->entry_count, 2);
    ck_assert_uint_eq(record->node_count, 2);
    acme_log.fail_at = 0;
    EXPECT_OK(at.error, run(&at));
    ck_assert_float_eq(operand_f32(&at.y[0])[15], 14);
    ck_assert_uint_eq(record->node_count, 3);
    ck_assert_uint_eq(record->entries[0].call_count, 3);
    ck_assert_uint_eq(record->entries[1].call_count, 2);
    run_end(&at);
}
END_TEST

START_TEST(the_record_says_what_ran)
{
    run_case_t at;
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t a = graph_binary(builder, "add", x, x);
    uint32_t b = graph_unary(builder, "relu", a);
    graph_output(builder, "y", graph_binary(builder, "add", b, b));
    run_begin(&at, graph_end(builder));
    const kci_run_record_t *record = kci_executor_record(at.executor);
    ck_assert_uint_eq(record->entry_count, 0);
    for (unsigned round = 1; round < 4; round++) {
        EXPECT_OK(at.error, run(&at));
        ck_assert_uint_eq(record->entry_count, 2);
        ck_assert_str_eq(record->entries[0].entry->capsule->name, "acme.add");
        ck_assert_uint_eq(record->entries[0].call_count, 2 * round);
        ck_assert_uint_eq(record->entries[1].call_count, round);
        ck_assert_uint_eq(record->entries[0].time_ns, 0);
        ck_assert_uint_eq(record->node_count, 3);
        ck_assert_uint_eq(record->nodes[1].node, b);
    }
    ck_assert_ptr_eq(record->profile, at.profile);
    ck_assert(!record->has_time);
    run_end(&at);
}
END_TEST

START_TEST(time_is_kept_when_asked)
{
    run_case_t at;
    kc_executor_t *timed = NULL;
    kci_executor_options_t options = {.keep_time = true};
    kc_graph_builder_t *builder = graph_begin();
    graph_output(builder, "y",
                 graph_unary(builder, "relu", graph_input(builder, "x")));
    run_begin(&at, graph_end(builder));
    kc_accepted_plan_t *accepted = accept_graph(at.profile, at.graph);
    EXPECT_OK(at.error, kci_executor_create(at.host.host, accepted, NULL, 0,
                                            &options, &timed, &at.error));
    kci_accepted_plan_release(accepted);
    for (int round = 0; round < 100; round++) {
        EXPECT_OK(at.error, kci_executor_run(timed, at.inputs, 1, at.outputs, 1,
                                             &at.error));
    }
    ck_assert(kci_executor_record(timed)->has_time);
    ck_assert_uint_gt(kci_executor_record(timed)->entries[0].time_ns, 0);
    kci_executor_destroy(timed);
    run_end(&at);
}
END_TEST

START_TEST(a_list_of_operations_is_not_a_graph)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kc_executor_t *executor = NULL;
    const int32_t op = KC_OP_RELU;
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = acme_profile(NULL);
    kc_plan_t *plan = NULL;
    EXPECT_OK(error, kci_plan_ops(profile, &op, 1, &plan, &error));
    kc_accepted_plan_t fake = {.plan = plan};
    atomic_init(&fake.reference_count, 2);
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "expected the plan of a graph",
                   kci_executor_create(host.host, &fake, NULL, 0, NULL,
                                       &executor, &error));
    kci_plan_release(plan);
    kci_profile_release(profile);
    kci_executor_destroy(NULL);
    host_fixture_end(&host);
}
END_TEST

START_TEST(empty_tensors)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = acme_profile(NULL);
    kc_graph_builder_t *builder = graph_begin();
    kci_node_spec_t spec = {.kind = "input",
                            .dtype = KC_DTYPE_F32,
                            .rank = 2,
                            .dims = DIMS(0, 3),
                            .name = "x"};
    uint32_t node = graph_node(builder, &spec, NULL);
    for (int i = 0; i < 2; i++) {
        uint32_t parent = node;
        spec.kind = "relu";
        spec.name = NULL;
        spec.parents = &parent;
        spec.parent_count = 1;
        node = graph_node(builder, &spec, NULL);
    }
    graph_output(builder, "y", node);
    kc_graph_t *graph = graph_end(builder);
    kc_executor_t *executor = compile_graph(host.host, profile, graph, false);
    operand_t x;
    operand_t y;
    operand_init(&x, KC_DTYPE_F32, 2, DIMS(0, 3));
    operand_init(&y, KC_DTYPE_F32, 2, DIMS(0, 3));
    x.view.data = NULL;
    y.view.data = NULL;
    const DLTensor *inputs[] = {&x.view};
    DLTensor *outputs[] = {&y.view};
    EXPECT_OK(error, kci_executor_run(executor, inputs, 1, outputs, 1, &error));
    ck_assert_int_eq(acme_log.relu_count, 2);
    kci_executor_destroy(executor);
    kci_graph_release(graph);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

Suite *suite_exec_executor(void)
{
    Suite *suite = suite_create("exec/executor");
    TCase *tcase = tcase_create("executor");
    tcase_add_test(tcase, a_diamond_and_several_readers);
    tcase_add_test(tcase, outputs_of_all_kinds);
    tcase_add_test(tcase, a_long_chain);
    tcase_add_test(tcase, a_failure_in_the_middle_leaves_all_usable);
    tcase_add_test(tcase, the_record_says_what_ran);
    tcase_add_test(tcase, time_is_kept_when_asked);
    tcase_add_test(tcase, a_list_of_operations_is_not_a_graph);
    tcase_add_test(tcase, empty_tensors);
    suite_add_tcase(suite, tcase);
    return suite;
}
