/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Which values share memory, and when a kernel writes over its input. */
#include <string.h>

#include "exec/executor_state.h"
#include "unit/exec/program_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

#define VALUE_BYTES (VECTOR * sizeof(float))

typedef struct live_case {
    host_fixture_t host;
    kc_profile_t *profile;
    kc_graph_t *graph;
    kc_executor_t *executor;
    kc_error_t error;
} live_case_t;

static void live_begin(live_case_t *at, const acme_options_t *options,
                       kc_graph_t *graph, bool no_reuse)
{
    host_fixture_begin(&at->host, 1);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = acme_profile(options);
    at->graph = graph;
    at->executor = compile_graph(at->host.host, at->profile, graph, no_reuse);
}

static void live_end(live_case_t *at)
{
    kci_executor_destroy(at->executor);
    kci_graph_release(at->graph);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

/* Runs x = i - 8 and gives element 15 of the output. */
static float run_for_15(live_case_t *at)
{
    operand_t x;
    operand_t y;
    operand_init(&x, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(VECTOR));
    for (int i = 0; i < VECTOR; i++) {
        operand_f32(&x)[i] = (float)(i - 8);
    }
    const DLTensor *inputs[] = {&x.view};
    DLTensor *outputs[] = {&y.view};
    EXPECT_OK(at->error, kci_executor_run(at->executor, inputs, 1, outputs, 1,
                                          &at->error));
    return operand_f32(&y)[15];
}

/* relu of relu of ... , `count` values before the output. */
static kc_graph_t *relu_chain(int count)
{
    kc_graph_builder_t *builder = graph_begin();
    uint32_t node = graph_input(builder, "x");
    for (int i = 0; i <= count; i++) {
        node = graph_unary(builder, "relu", node);
    }
    graph_output(builder, "y", node);
    return graph_end(builder);
}

START_TEST(a_chain_alternates)
{
    live_case_t at;
    live_begin(&at, NULL, relu_chain(10), false);
    ck_assert_uint_eq(kci_executor_buffer_bytes(at.executor), 2 * VALUE_BYTES);
    ck_assert_float_eq(run_for_15(&at), 7);
    ck_assert_int_eq(acme_log.relu_count, 11);
    ck_assert_int_eq(acme_log.in_place_count, 0);
    live_end(&at);
}
END_TEST

START_TEST(every_value_apart_when_asked)
{
    live_case_t at;
    acme_options_t options = {.relu_overwrites = 1};
    live_begin(&at, &options, relu_chain(10), true);
    ck_assert_uint_eq(kci_executor_buffer_bytes(at.executor), 10 * VALUE_BYTES);
    ck_assert_float_eq(run_for_15(&at), 7);
    ck_assert_int_eq(acme_log.in_place_count, 0);
    live_end(&at);
}
END_TEST

START_TEST(over_the_input_where_the_capsule_allows)
{
    live_case_t at;
    acme_options_t options = {.relu_overwrites = 1};
    live_begin(&at, &options, relu_chain(10), false);
    ck_assert_uint_eq(kci_executor_buffer_bytes(at.executor), VALUE_BYTES);
    ck_assert_float_eq(run_for_15(&at), 7);
    /* Not over the caller's input, nor into the caller's output. */
    ck_assert_int_eq(acme_log.in_place_count, 9);
    ck_assert_int_eq(acme_log.relu_count, 11);
    live_end(&at);
}
END_TEST

START_TEST(never_over_a_value_with_a_later_reader)
{
    live_case_t at;
    acme_options_t options = {.relu_overwrites = 1, .add_overwrites = 1};
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t a = graph_binary(builder, "add", x, x); /* 14 */
    uint32_t b = graph_unary(builder, "relu", a);    /* a is read again */
    uint32_t c = graph_binary(builder, "add", a, b); /* over a: 28 */
    uint32_t d = graph_binary(builder, "add", c, c); /* b not listed: 56 */
    graph_output(builder, "y", graph_unary(builder, "relu", d));
    live_begin(&at, &options, graph_end(builder), false);
    ck_assert_float_eq(run_for_15(&at), 56);
    ck_assert_int_eq(acme_log.in_place_count, 1);
    live_end(&at);
}
END_TEST

START_TEST(both_operands_listed)
{
    live_case_t at;
    acme_options_t options = {.add_overwrites = 3};
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t a = graph_unary(builder, "relu", x);
    uint32_t b = graph_binary(builder, "add", a, a);
    graph_output(builder, "y", graph_unary(builder, "relu", b));
    live_begin(&at, &options, graph_end(builder), false);
    ck_assert_float_eq(run_for_15(&at), 14);
    ck_assert_int_eq(acme_log.in_place_count, 1);
    ck_assert_uint_eq(kci_executor_buffer_bytes(at.executor), VALUE_BYTES);
    live_end(&at);
}
END_TEST

static kc_status_t do_nothing(const kc_call_t *call)
{
    (void)call;
    return KC_OK;
}

/* A relu, and a kernel that says it may write over what it reads. */
static kc_profile_t *resizing_profile(int32_t op)
{
    kc_capsule_record_t capsules[] = {
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.other", op, "acme", KC_DEVICE_CPU)};
    const kc_handler_t handlers[] = {
        handler_for(KC_OP_RELU, "acme", do_nothing),
        handler_for(op, "acme", do_nothing)};
    capsules[1].limits.overwrites = 1;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.vjp_mode = KC_VJP_NONE;
    kc_capsule_module_t *module =
        handler_module("acme", capsules, 2, handlers, 2);
    return fixture_profile(&policy, &module, 1);
}

/* A sum has no use for so much, a broadcast would write past the end. */
START_TEST(never_over_a_value_of_another_size)
{
    live_case_t at = {.error = KC_ERROR_INIT};
    kc_graph_builder_t *builder = graph_begin();
    const bool is_sum = _i == 0;
    const int64_t one[] = {1};
    const int64_t many[] = {VECTOR};
    kci_node_spec_t spec = {.kind = "input",
                            .dtype = KC_DTYPE_F32,
                            .rank = 1,
                            .dims = is_sum ? many : one,
                            .name = "x"};
    uint32_t x = graph_node(builder, &spec, NULL);
    spec = (kci_node_spec_t){.kind = "relu",
                             .parents = &x,
                             .parent_count = 1,
                             .dtype = KC_DTYPE_F32,
                             .rank = 1,
                             .dims = spec.dims};
    uint32_t before = graph_node(builder, &spec, NULL);
    spec.kind = is_sum ? "reduce_sum" : "broadcast_to";
    spec.parents = &before;
    spec.rank = is_sum ? 0 : 1;
    spec.dims = many;
    uint32_t after =
        graph_node(builder, &spec, is_sum ? "{\"axis\": 0}" : NULL);
    spec.kind = "relu";
    spec.parents = &after;
    graph_output(builder, "y", graph_node(builder, &spec, NULL));
    host_fixture_begin(&at.host, 1);
    at.profile = resizing_profile(is_sum ? KC_OP_REDUCE_SUM : KC_OP_BROADCAST);
    at.graph = graph_end(builder);
    at.executor = compile_graph(at.host.host, at.profile, at.graph, false);
    const kci_value_t *values = at.executor->values;
    ck_assert_int_eq(values[before].place, KCI_PLACE_BUFFER);
    ck_assert_int_eq(values[after].place, KCI_PLACE_BUFFER);
    ck_assert_uint_ne(values[before].slot, values[after].slot);
    live_end(&at);
}
END_TEST

/* A reshape is a kernel that runs and is counted, in place or not. */
START_TEST(reshape_runs_also_in_place)
{
    live_case_t at;
    acme_options_t options = {.relu_overwrites = (uint32_t)_i};
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t a = graph_unary(builder, "relu", x);
    kci_node_spec_t square = {.kind = "reshape",
                              .parents = &a,
                              .parent_count = 1,
                              .dtype = KC_DTYPE_F32,
                              .rank = 2,
                              .dims = DIMS(4, 4)};
    uint32_t b = graph_node(builder, &square, NULL);
    kci_node_spec_t flat = {.kind = "flatten",
                            .parents = &b,
                            .parent_count = 1,
                            .dtype = KC_DTYPE_F32,
                            .rank = 1,
                            .dims = DIMS(VECTOR)};
    uint32_t c = graph_node(builder, &flat, NULL);
    graph_output(builder, "y", graph_unary(builder, "relu", c));
    live_begin(&at, &options, graph_end(builder), false);
    ck_assert_float_eq(run_for_15(&at), 7);
    ck_assert_int_eq(acme_log.reshape_count, 2);
    ck_assert_int_eq(acme_log.in_place_count, _i == 1 ? 2 : 0);
    const kci_run_record_t *record = kci_executor_record(at.executor);
    ck_assert_uint_eq(record->node_count, 4);
    ck_assert_uint_eq(record->entries[1].call_count, 2);
    live_end(&at);
}
END_TEST

START_TEST(outputs_have_no_buffers)
{
    live_case_t at;
    live_begin(&at, NULL, relu_chain(0), false);
    ck_assert_uint_eq(kci_executor_buffer_bytes(at.executor), 0);
    ck_assert_float_eq(run_for_15(&at), 7);
    ck_assert_uint_eq(atomic_load(&at.host.allocator.allocation_count), 0);
    live_end(&at);
}
END_TEST

/* A value that nobody reads is still computed, somewhere. */
START_TEST(values_without_readers)
{
    live_case_t at;
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t a = graph_unary(builder, "relu", x);
    graph_binary(builder, "add", a, x);
    graph_binary(builder, "add", x, x);
    graph_output(builder, "y", graph_unary(builder, "relu", a));
    live_begin(&at, NULL, graph_end(builder), false);
    ck_assert_float_eq(run_for_15(&at), 7);
    ck_assert_int_eq(acme_log.add_count, 2);
    ck_assert_uint_eq(kci_executor_buffer_bytes(at.executor), 2 * VALUE_BYTES);
    live_end(&at);
}
END_TEST

/* What is looked at before a rule lives until there, though no step reads
 * it any more. */
START_TEST(operands_of_a_rule_live_until_it_runs)
{
    program_case_t at;
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t a = graph_unary(builder, "relu", x);
    graph_output(builder, "y", graph_unary(builder, "relu", a));
    program_begin(&at, graph_end(builder));
    uint32_t seed = program_seed(&at, 2, 0);
    uint32_t looked_at = program_relu_rule(&at, 2, seed);
    uint32_t read = program_relu_rule(&at, 1, looked_at);
    uint32_t sum = program_sum(&at, 1, read, read);
    const uint32_t operands[] = {KCI_NO_VALUE, looked_at};
    kci_program_rule_t rule = {
        .node = 2, .op = KC_OP_ADD, .entry = at.add, .is_composed = true};
    EXPECT_OK(at.error,
              kci_program_add_rule(at.program, &rule, operands, 2, &at.error));
    uint32_t last = program_sum(&at, 1, sum, sum);
    program_ports(&at, &(kci_program_port_t){0, seed}, 1,
                  &(kci_program_port_t){0, last}, 1);
    program_compile(&at, NULL, 0);
    const kci_value_t *value = &at.executor->values[looked_at];
    ck_assert_int_eq(value->place, KCI_PLACE_BUFFER);
    ck_assert_uint_eq(at.executor->buffers[value->slot].last,
                      at.program->rules[0].first_step);
    program_end(&at);
}
END_TEST

Suite *suite_exec_liveness(void)
{
    Suite *suite = suite_create("exec/liveness");
    TCase *tcase = tcase_create("liveness");
    tcase_add_test(tcase, a_chain_alternates);
    tcase_add_test(tcase, every_value_apart_when_asked);
    tcase_add_test(tcase, over_the_input_where_the_capsule_allows);
    tcase_add_test(tcase, never_over_a_value_with_a_later_reader);
    tcase_add_test(tcase, both_operands_listed);
    tcase_add_loop_test(tcase, never_over_a_value_of_another_size, 0, 2);
    tcase_add_loop_test(tcase, reshape_runs_also_in_place, 0, 2);
    tcase_add_test(tcase, outputs_have_no_buffers);
    tcase_add_test(tcase, values_without_readers);
    tcase_add_test(tcase, operands_of_a_rule_live_until_it_runs);
    suite_add_tcase(suite, tcase);
    return suite;
}
