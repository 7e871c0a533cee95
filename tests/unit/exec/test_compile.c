/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Steps and places of values, before there is memory. */
#include <string.h>

#include "exec/executor_state.h"
#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

START_TEST(steps_bindings_and_places)
{
    host_fixture_t host;
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = acme_profile(NULL);
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t sum = graph_binary(builder, "add", x, x);
    uint32_t kept = graph_unary(builder, "detach", sum);
    uint32_t relu = graph_unary(builder, "relu", kept);
    uint32_t last = graph_binary(builder, "add", relu, kept);
    graph_output(builder, "a", last);
    graph_output(builder, "b", last);
    graph_output(builder, "c", x);
    kc_graph_t *graph = graph_end(builder);
    kc_executor_t *executor = compile_graph(host.host, profile, graph, false);
    ck_assert_uint_eq(executor->step_count, 3);
    ck_assert_uint_eq(executor->binding_count, 2);
    ck_assert_uint_eq(executor->steps[0].binding, 0);
    ck_assert_uint_eq(executor->steps[1].binding, 1);
    ck_assert_uint_eq(executor->steps[2].binding, 0);
    ck_assert_str_eq(executor->bindings[0].entry->capsule->name, "acme.add");
    ck_assert_uint_eq(executor->program->values[kept].root, sum);
    ck_assert_int_eq(executor->values[x].place, KCI_PLACE_INPUT);
    ck_assert_int_eq(executor->values[sum].place, KCI_PLACE_BUFFER);
    ck_assert_int_eq(executor->values[last].place, KCI_PLACE_OUTPUT);
    ck_assert_uint_eq(executor->values[last].slot, 0);
    ck_assert_uint_eq(executor->copy_count, 2);
    size_t first = kci_first_output(executor);
    ck_assert_uint_eq(executor->copies[0].port, first + 1);
    ck_assert_uint_eq(executor->copies[1].port, first + 2);
    kci_executor_destroy(executor);
    kci_graph_release(graph);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

/* Binding comes first: a missing handler is told before a missing const. */
START_TEST(everything_is_bound_before_anything_else)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kc_executor_t *executor = NULL;
    kc_capsule_record_t capsule =
        fixture_capsule("memory.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kc_graph_builder_t *builder = graph_begin();
    uint32_t w = graph_const(builder, "w");
    graph_output(builder, "y", graph_unary(builder, "relu", w));
    kc_graph_t *graph = graph_end(builder);
    kc_accepted_plan_t *accepted = accept_graph(profile, graph);
    EXPECT_FAILURE(error, KC_ERR_BINDING,
                   "node 1 (relu): capsule memory.relu (provider acme, "
                   "device cpu)",
                   kci_executor_create(host.host, accepted, NULL, 0, NULL,
                                       &executor, &error));
    ck_assert_ptr_null(executor);
    ck_assert_uint_eq(atomic_load(&host.allocator.allocation_count), 0);
    kci_accepted_plan_release(accepted);
    kci_graph_release(graph);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

Suite *suite_exec_compile(void)
{
    Suite *suite = suite_create("exec/compile");
    TCase *tcase = tcase_create("compile");
    tcase_add_test(tcase, steps_bindings_and_places);
    tcase_add_test(tcase, everything_is_bound_before_anything_else);
    suite_add_tcase(suite, tcase);
    return suite;
}
