/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What is refused before anything runs, who is chosen, and plans that run
 * long or often. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/accept.h"
#include "unit/autograd/gradient_runs.h"
#include "unit/autograd/suites.h"
#include "unit/built_modules.h"
#include "unit/contract_fixture.h"
#include "unit/exec/heap_counter.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

#define OUTPUT_NODES                                                           \
    "{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'},"                     \
    "{'id': 1, 'op': 'add', 'parents': [0, 0], 'shape': [2]},"                 \
    "{'id': 2, 'op': 'add', 'parents': [1, 0], 'shape': [2]}"

START_TEST(a_mode_that_owns_nothing_is_refused)
{
    gradient_case_t at;
    kc_error_t error = KC_ERROR_INIT;
    kc_plan_t *plan = NULL;
    kci_gradient_request_t request = {NODES(0)};
    gradient_case_begin(&at, OUTPUT_NODES, "{'name': 'z', 'node': 2}");
    at.fixture.profile->policy.vjp_mode = KC_VJP_NONE;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT,
                   "profile checked_cpu: expected a VJP mode that owns "
                   "gradients, found none",
                   kci_gradient_plan_create(at.fixture.profile, at.graph,
                                            &request, &plan, &error));
    ck_assert_ptr_null(plan);
    gradient_case_end(&at);
}
END_TEST

START_TEST(named_extents_are_refused)
{
    gradient_case_t at;
    kc_error_t error = KC_ERROR_INIT;
    kc_plan_t *plan = NULL;
    kci_gradient_request_t request = {NODES(0)};
    gradient_case_begin(&at, OUTPUT_NODES, "{'name': 'z', 'node': 2}");
    kc_graph_t *named = gradient_graph(
        "{'id': 0, 'op': 'input', 'shape': ['N', 2], 'name': 'x'},"
        "{'id': 1, 'op': 'relu', 'parents': [0], 'shape': ['N', 2]}",
        "{'name': 'y', 'node': 1}");
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT,
                   "expected every extent as a number, found the name N",
                   kci_gradient_plan_create(at.fixture.profile, named, &request,
                                            &plan, &error));
    kci_graph_release(named);
    gradient_case_end(&at);
}
END_TEST

/* Preferred, but without a gradient: selection takes the reference. Strictly
 * demanded, the plan has a failure and nothing that could run. */
START_TEST(a_capsule_without_gradient_is_never_chosen)
{
    gradient_case_t at;
    kc_error_t error = KC_ERROR_INIT;
    kc_accepted_plan_t *accepted = NULL;
    kci_gradient_request_t request = {NODES(0)};
    gradient_case_begin(&at,
                        "{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'},"
                        "{'id': 1, 'op': 'relu', 'parents': [0], 'shape': [2]}",
                        "{'name': 'y', 'node': 1}");
    kci_profile_release(at.fixture.profile);
    at.fixture.profile = built_profile_with("forward_only", "acme");
    kc_policy_t *policy = &at.fixture.profile->policy;
    policy->preference = KC_PREFERENCE_PREFER;
    memcpy(policy->provider, "acme", sizeof "acme");
    kc_plan_t *plan = gradient_plan(&at.fixture, at.graph, &request);
    ck_assert_str_eq(
        at.fixture.profile->entries[plan->rows[0].entry].capsule->name,
        "reference.relu");
    kci_plan_release(plan);
    policy->preference = KC_PREFERENCE_ONLY;
    plan = gradient_plan(&at.fixture, at.graph, &request);
    ck_assert_uint_eq(plan->failure_count, 1);
    ck_assert_ptr_null(plan->program);
    ck_assert_uint_eq(plan->sub_row_count, 0);
    EXPECT_FAILURE(
        error, KC_ERR_REJECTED,
        "no admissible kernel capsule for op relu on device cpu",
        kci_accept_plan(plan, policy, &accepted, NULL, NULL, &error));
    ck_assert_ptr_null(accepted);
    kci_plan_release(plan);
    gradient_case_end(&at);
}
END_TEST

/* Products in the same order: the same bits as the tape's own rules. */
START_TEST(backward_kernels_of_a_module_run)
{
    gradient_case_t at;
    kci_gradient_request_t request = {NODES(0, 1, 2)};
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [3, 4], 'name': 'x'},"
        "{'id': 1, 'op': 'input', 'shape': [4, 2], 'name': 'w'},"
        "{'id': 2, 'op': 'input', 'shape': [3, 2], 'name': 'z'},"
        "{'id': 3, 'op': 'matmul', 'parents': [0, 1], 'shape': [3, 2]},"
        "{'id': 4, 'op': 'mul_elem', 'parents': [3, 2], 'shape': [3, 2]},"
        "{'id': 5, 'op': 'relu', 'parents': [4], 'shape': [3, 2]}",
        "{'name': 'y', 'node': 5}");
    gradient_result_t expected =
        gradient_of(&at.fixture, &at.values, &request, 9);
    kci_profile_release(at.fixture.profile);
    at.fixture.profile = built_profile_with("own_backward", "acme");
    built_mark_begin();
    at.found = gradient_of(&at.fixture, &at.values, &request, 9);
    ck_assert_str_eq(built_mark(),
                     "relu backward\nmul backward\nmatmul backward\n");
    gradient_check_bits(&at.found, &expected);
    gradient_result_release(&expected);
    gradient_case_end(&at);
}
END_TEST

/* Attention of the provider torchlean beside the reference's operations. */
static kc_profile_t *composing_profile(void)
{
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_capsule_record_t capsule = fixture_capsule(
        "torchlean.attention", KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "torchlean",
        KC_DEVICE_CPU);
    kc_capsule_module_t *modules[] = {fixture_module("composed", &capsule, 1),
                                      built_module("reference")};
    return fixture_profile(&policy, modules, 2);
}

START_TEST(a_composed_capsule_has_a_composed_rule)
{
    gradient_case_t at;
    kci_gradient_request_t request = {OUTPUTS(0), NODES(0, 1, 2)};
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [3, 2], 'name': 'q'},"
        "{'id': 1, 'op': 'input', 'shape': [4, 2], 'name': 'k'},"
        "{'id': 2, 'op': 'input', 'shape': [4, 5], 'name': 'v'},"
        "{'id': 3, 'op': 'scaled_dot_product_attention',"
        " 'parents': [0, 1, 2], 'shape': [3, 5]}",
        "{'name': 'y', 'node': 3}");
    kci_profile_release(at.fixture.profile);
    at.fixture.profile = composing_profile();
    kc_plan_t *plan = gradient_plan(&at.fixture, at.graph, &request);
    const kci_program_t *program = plan->program;
    ck_assert_uint_gt(program->forward_step_count, 1);
    ck_assert_uint_eq(plan->sub_row_count, program->step_count);
    for (size_t i = 0; i < plan->sub_row_count; i++) {
        ck_assert_int_eq(plan->sub_rows[i].role, i < program->forward_step_count
                                                     ? KCI_CALL_INNER_FORWARD
                                                     : KCI_CALL_INNER_VJP);
    }
    ck_assert_uint_eq(program->rule_count, 1);
    ck_assert(program->rules[0].is_composed);
    at.found = gradient_run_plan(&at.fixture, plan, &at.values, 4, false);
    gradient_result_t taped =
        gradient_run_tape(&at.fixture, &at.values, &request, 4);
    gradient_check_bits(&at.found, &taped);
    gradient_result_release(&taped);
    kci_plan_release(plan);
    gradient_case_end(&at);
}
END_TEST

/* Sums, composed rules, one of the runtime, a view. */
START_TEST(memory_may_run_out_anywhere)
{
    gradient_case_t at;
    kc_status_t status = KC_ERR_MEMORY;
    kci_gradient_request_t request = {NODES(0, 1)};
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [3, 4], 'name': 'x'},"
        "{'id': 1, 'op': 'input', 'shape': [2, 4], 'name': 'w'},"
        "{'id': 2, 'op': 'linear', 'parents': [0, 1], 'shape': [3, 2]},"
        "{'id': 3, 'op': 'relu', 'parents': [2], 'shape': [3, 2]},"
        "{'id': 4, 'op': 'mul_elem', 'parents': [3, 2], 'shape': [3, 2]},"
        "{'id': 5, 'op': 'sum', 'parents': [4], 'shape': []}",
        "{'name': 'y', 'node': 5}");
    int granted = 0;
    for (; status != KC_OK && granted < 10000; granted++) {
        kc_error_t error = KC_ERROR_INIT;
        kc_plan_t *plan = NULL;
        failing_heap_break_after(granted);
        status = kci_gradient_plan_create(at.fixture.profile, at.graph,
                                          &request, &plan, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
        ck_assert((plan != NULL) == (status == KC_OK));
        kci_plan_release(plan);
    }
    ck_assert_int_eq(status, KC_OK);
    ck_assert_int_gt(granted, 20);
    gradient_case_end(&at);
}
END_TEST

static char *chain_text(int length)
{
    size_t size = (size_t)length * 80 + 200;
    char *text = malloc(size);
    ck_assert_ptr_nonnull(text);
    size_t at = (size_t)snprintf(
        text, size, "{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'}");
    for (int i = 1; i <= length; i++) {
        at += (size_t)snprintf(text + at, size - at,
                               ",{'id': %d, 'op': '%s', 'parents': [%d],"
                               " 'shape': [2]}",
                               i, i % 2 != 0 ? "relu" : "sigmoid", i - 1);
    }
    return text;
}

START_TEST(a_long_chain)
{
    enum { LENGTH = 100000 };
    gradient_case_t at;
    char output[64];
    char *nodes = chain_text(LENGTH);
    snprintf(output, sizeof output, "{'name': 'y', 'node': %d}", LENGTH);
    gradient_case_begin(&at, nodes, output);
    free(nodes);
    gradient_fill(&at.values, 0, 1);
    gradient_case_run(&at, &(kci_gradient_request_t){NODES(0, LENGTH - 1)});
    ck_assert_double_gt(gradient_element(&at.found, 1, 0), 0.2);
    ck_assert_double_eq(gradient_element(&at.found, 0, 0), 0);
    gradient_case_end(&at);
}
END_TEST

/* The rule of add is of no operations, and nothing comes after it. */
START_TEST(a_rule_without_operations_is_recorded)
{
    gradient_case_t at;
    gradient_call_t call;
    kc_error_t error = KC_ERROR_INIT;
    kci_gradient_request_t request = {NODES(0)};
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'},"
        "{'id': 1, 'op': 'input', 'shape': [2], 'name': 'w'},"
        "{'id': 2, 'op': 'add', 'parents': [0, 1], 'shape': [2]}",
        "{'name': 'y', 'node': 2}");
    kc_plan_t *plan = gradient_plan(&at.fixture, at.graph, &request);
    kc_executor_t *executor =
        gradient_compile(&at.fixture, plan, &at.values, false);
    gradient_call_begin(&call, &at.fixture, plan, &at.values, 5);
    for (int run = 0; run < 2; run++) {
        EXPECT_OK(error, gradient_call(executor, &call, &error));
    }
    const kci_run_record_t *record = kci_executor_record(executor);
    ck_assert_uint_eq(record->entry_count, 2);
    ck_assert_int_eq(record->entries[0].role, KCI_CALL_FORWARD);
    ck_assert_int_eq(record->entries[1].role, KCI_CALL_VJP);
    ck_assert_uint_eq(record->entries[1].call_count, 2);
    gradient_call_end(&call);
    kci_executor_destroy(executor);
    kci_plan_release(plan);
    gradient_case_end(&at);
}
END_TEST

/* A hundred runs after the first one. */
static void expect_no_allocations(gradient_fixture_t *fixture,
                                  const gradient_values_t *values,
                                  const kci_gradient_request_t *request,
                                  size_t gradient_count)
{
    kc_error_t error = KC_ERROR_INIT;
    gradient_call_t call;
    kc_plan_t *plan = gradient_plan(fixture, values->graph, request);
    kc_executor_t *executor = gradient_compile(fixture, plan, values, false);
    gradient_call_begin(&call, fixture, plan, values, 0);
    ck_assert_uint_eq(call.result.count, gradient_count);
    EXPECT_OK(error, gradient_call(executor, &call, &error));
    unsigned long long before = heap_counter_value();
    kc_status_t status = KC_OK;
    for (int i = 0; i < 100; i++) {
        status |= gradient_call(executor, &call, &error);
    }
    unsigned long long after = heap_counter_value();
    ck_assert_int_eq(status, KC_OK);
    if (heap_counter_works()) {
        ck_assert_uint_eq(after - before, 0);
    }
    gradient_call_end(&call);
    kci_executor_destroy(executor);
    kci_plan_release(plan);
}

START_TEST(repeated_runs_allocate_nothing)
{
    gradient_case_t at;
    kci_gradient_request_t request = {NODES(0, 1)};
    gradient_case_begin(
        &at,
        "{'id': 0, 'op': 'input', 'shape': [3, 4], 'name': 'x'},"
        "{'id': 1, 'op': 'input', 'shape': [2, 4], 'name': 'w'},"
        "{'id': 2, 'op': 'input', 'shape': [3, 2], 'name': 't'},"
        "{'id': 3, 'op': 'linear', 'parents': [0, 1], 'shape': [3, 2]},"
        "{'id': 4, 'op': 'relu', 'parents': [3], 'shape': [3, 2]},"
        "{'id': 5, 'op': 'mul_elem', 'parents': [4, 4], 'shape': [3, 2]},"
        "{'id': 6, 'op': 'mse_loss', 'parents': [5, 2], 'shape': []}",
        "{'name': 'y', 'node': 6}");
    expect_no_allocations(&at.fixture, &at.values, &request, 2);
    gradient_case_end(&at);
}
END_TEST

/* The network of the specification, [4] -> [8] -> [1], and its weights. */
START_TEST(a_step_of_the_perceptron_allocates_nothing)
{
    char path[1024];
    const char *folder = getenv("KC_SRCDIR");
    gradient_fixture_t fixture;
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    kci_gradient_request_t request = {0};
    snprintf(path, sizeof path, "%s/tests/graphs/mlp_4_8_1.json",
             folder != NULL ? folder : ".");
    gradient_fixture_begin(&fixture, 1);
    EXPECT_OK(error, kci_graph_read(path, &graph, &error));
    gradient_values_t values = gradient_values(&fixture, graph, 3);
    expect_no_allocations(&fixture, &values, &request, 4);
    gradient_values_release(&values);
    kci_graph_release(graph);
    gradient_fixture_end(&fixture);
}
END_TEST

Suite *suite_autograd_gradient_plan(void)
{
    Suite *suite = suite_create("autograd.gradient_plan");
    TCase *tests = tcase_create("plans");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_mode_that_owns_nothing_is_refused);
    tcase_add_test(tests, named_extents_are_refused);
    tcase_add_test(tests, a_capsule_without_gradient_is_never_chosen);
    tcase_add_test(tests, backward_kernels_of_a_module_run);
    tcase_add_test(tests, a_composed_capsule_has_a_composed_rule);
    tcase_add_test(tests, memory_may_run_out_anywhere);
    tcase_add_test(tests, a_long_chain);
    tcase_add_test(tests, a_rule_without_operations_is_recorded);
    tcase_add_test(tests, repeated_runs_allocate_nothing);
    tcase_add_test(tests, a_step_of_the_perceptron_allocates_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
