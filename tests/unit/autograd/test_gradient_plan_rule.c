/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Who owns the rule of a node, and what its steps are given. */
#include "autograd/rule.h"
#include "unit/autograd/gradient_fixture.h"
#include "unit/autograd/suites.h"
#include "unit/built_modules.h"
#include "unit/contract_fixture.h"
#include "unit/expect.h"

#define X "{'id': 0, 'op': 'input', 'shape': [2, 2], 'name': 'x'},"
#define W "{'id': 1, 'op': 'const', 'shape': [2, 2], 'name': 'w'},"
#define Y "{'name': 'y', 'node': 2}"

typedef struct rule_case {
    gradient_fixture_t fixture;
    kc_graph_t *graph;
    kc_plan_t *plan;
    const kci_program_t *program;
    const kci_program_step_t *step; /* the first of the backward */
} rule_case_t;

static void rule_begin(rule_case_t *at, const char *mock, const char *nodes,
                       const char *outputs,
                       const kci_gradient_request_t *request)
{
    gradient_fixture_begin(&at->fixture, 1);
    if (mock != NULL) {
        kci_profile_release(at->fixture.profile);
        at->fixture.profile = built_profile_with(mock, "acme");
    }
    at->graph = gradient_graph(nodes, outputs);
    at->plan = gradient_plan(&at->fixture, at->graph, request);
    at->program = at->plan->program;
    ck_assert_ptr_nonnull(at->program);
    ck_assert_uint_lt(at->program->forward_step_count, at->program->step_count);
    at->step = &at->program->steps[at->program->forward_step_count];
}

static void rule_end(rule_case_t *at)
{
    kci_plan_release(at->plan);
    kci_graph_release(at->graph);
    gradient_fixture_end(&at->fixture);
}

static uint32_t operand(const rule_case_t *at, uint32_t index)
{
    ck_assert_uint_lt(index, at->step->operand_count);
    return at->program->operands[at->step->first_operand + index];
}

static uint32_t result(const rule_case_t *at, uint32_t index)
{
    ck_assert_uint_lt(index, at->step->result_count);
    return at->program->results[at->step->first_result + index];
}

START_TEST(a_backend_rule_gets_what_its_contract_saves)
{
    rule_case_t at;
    kci_gradient_request_t request = {NODES(0)};
    rule_begin(&at, "own_backward",
               X "{'id': 1, 'op': 'relu', 'parents': [0], 'shape': [2, 2]}",
               "{'name': 'y', 'node': 1}", &request);
    ck_assert_int_eq(at.step->role, KCI_CALL_VJP);
    ck_assert(at.step->is_backend);
    ck_assert_uint_eq(at.step->entry, at.plan->rows[0].entry);
    ck_assert_uint_eq(at.step->served, KCI_NO_ENTRY);
    ck_assert_uint_eq(at.step->operand_count, 3);
    ck_assert_uint_eq(operand(&at, 0), KCI_NO_VALUE);
    ck_assert_uint_eq(operand(&at, 1), 1);
    ck_assert_uint_eq(operand(&at, 2), at.program->seeds[0].value);
    ck_assert_uint_eq(at.program->gradients[0].value, result(&at, 0));
    ck_assert_uint_eq(at.plan->sub_row_count, 0);
    rule_end(&at);
}
END_TEST

/* What the forward of a `sum` read has one axis, whatever its parent has. */
START_TEST(a_backend_rule_of_a_sum_gets_what_the_forward_read)
{
    rule_case_t at;
    kci_tensor_type_t type;
    kci_gradient_request_t request = {NODES(0)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_capsule_record_t capsule =
        fixture_capsule("acme.sum", KC_OP_REDUCE_SUM, "acme", KC_DEVICE_CPU);
    fixture_set_vjp(&capsule, KC_VJP_BACKEND);
    capsule.saved_inputs = 1;
    gradient_fixture_begin(&at.fixture, 1);
    kci_profile_release(at.fixture.profile);
    at.fixture.profile = fixture_profile_of(&policy, &capsule, 1);
    at.graph =
        gradient_graph(X "{'id': 1, 'op': 'sum', 'parents': [0], 'shape': []}",
                       "{'name': 'y', 'node': 1}");
    at.plan = gradient_plan(&at.fixture, at.graph, &request);
    at.program = at.plan->program;
    ck_assert_ptr_nonnull(at.program);
    at.step = &at.program->steps[at.program->forward_step_count];
    ck_assert(at.step->is_backend);
    kci_program_value_type(at.program, operand(&at, 0), &type);
    ck_assert_int_eq(type.shape.rank, 1);
    ck_assert_int_eq(type.shape.dims[0], 4);
    ck_assert_uint_eq(at.program->values[operand(&at, 0)].root, 0);
    kci_program_value_type(at.program, at.program->gradients[0].value, &type);
    ck_assert_int_eq(type.shape.rank, 2);
    rule_end(&at);
}
END_TEST

START_TEST(a_rule_of_the_runtime_gets_what_the_catalogue_saves)
{
    rule_case_t at;
    kci_gradient_request_t request = {NODES(0)};
    rule_begin(&at, NULL,
               X "{'id': 1, 'op': 'relu', 'parents': [0], 'shape': [2, 2]}",
               "{'name': 'y', 'node': 1}", &request);
    ck_assert_int_eq(at.step->role, KCI_CALL_VJP);
    ck_assert(!at.step->is_backend);
    ck_assert_uint_eq(at.step->entry, at.plan->rows[0].entry);
    ck_assert_uint_eq(at.step->operand_count, 2);
    ck_assert_uint_eq(operand(&at, 0), 0);
    ck_assert(at.program->kernels[at.step->kernel].run ==
              kci_rule(KC_OP_RELU)->run);
    ck_assert_uint_eq(at.program->rule_count, 1);
    ck_assert(!at.program->rules[0].is_composed);
    rule_end(&at);
}
END_TEST

/* Neither the bias that is not there nor the weight that nobody wants. */
START_TEST(absent_and_unwanted_arguments_are_no_values)
{
    rule_case_t at;
    kci_gradient_request_t request = {NODES(0)};
    rule_begin(&at, NULL,
               "{'id': 0, 'op': 'input', 'shape': [1, 4], 'name': 'x'},"
               "{'id': 1, 'op': 'const', 'shape': [2, 1, 3], 'name': 'w'},"
               "{'id': 2, 'op': 'conv', 'parents': [0, 1], 'shape': [2, 2]}",
               Y, &request);
    ck_assert_int_eq(at.step->op, KC_OP_CONV);
    ck_assert_uint_eq(at.step->operand_count, 4);
    ck_assert_uint_eq(operand(&at, 0), 0);
    ck_assert_uint_eq(operand(&at, 1), 1);
    ck_assert_uint_eq(operand(&at, 2), KCI_NO_VALUE);
    ck_assert_uint_eq(at.step->result_count, 3);
    ck_assert_uint_ne(result(&at, 0), KCI_NO_VALUE);
    ck_assert_uint_eq(result(&at, 1), KCI_NO_VALUE);
    ck_assert_uint_eq(result(&at, 2), KCI_NO_VALUE);
    rule_end(&at);
}
END_TEST

START_TEST(a_composed_rule_becomes_its_operations)
{
    rule_case_t at;
    kci_gradient_request_t request = {NODES(1)};
    rule_begin(&at, NULL,
               X W "{'id': 2, 'op': 'matmul', 'parents': [0, 1],"
                   " 'shape': [2, 2]}",
               Y, &request);
    ck_assert_uint_eq(at.program->rule_count, 1);
    ck_assert(at.program->rules[0].is_composed);
    ck_assert_uint_eq(at.program->rules[0].first_step,
                      at.program->forward_step_count);
    size_t count = at.program->step_count - at.program->forward_step_count;
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(at.plan->sub_row_count, count);
    for (size_t i = 0; i < count; i++) {
        const kci_program_step_t *step = at.step + i;
        ck_assert_int_eq(step->role, KCI_CALL_INNER_VJP);
        ck_assert_uint_eq(step->node, 2);
        ck_assert_uint_eq(step->served, at.plan->rows[0].entry);
        ck_assert_uint_eq(at.plan->sub_rows[i].entry, step->entry);
        ck_assert_uint_eq(at.plan->sub_rows[i].op, step->op);
        ck_assert_uint_eq(at.plan->sub_rows[i].node, 2);
        ck_assert_int_eq(at.plan->sub_rows[i].role, KCI_CALL_INNER_VJP);
    }
    ck_assert_int_eq(at.step[0].op, KC_OP_PERMUTE);
    ck_assert_int_eq(at.step[1].op, KC_OP_MATMUL);
    rule_end(&at);
}
END_TEST

/* Forward capsules of any rank, but a permute and an add of rank 3 only. */
static kc_profile_t *limited_profile(void)
{
    static const int32_t ops[] = {KC_OP_MATMUL, KC_OP_MUL, KC_OP_PERMUTE,
                                  KC_OP_ADD};
    static const char *const names[] = {"acme.matmul", "acme.mul",
                                        "acme.permute", "acme.add"};
    kc_capsule_record_t capsules[4];
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    for (size_t i = 0; i < 4; i++) {
        capsules[i] = fixture_capsule(names[i], ops[i], "acme", KC_DEVICE_CPU);
        capsules[i].limits.ranks = i < 2 ? 0 : 1u << 3;
    }
    return fixture_profile_of(&policy, capsules, 4);
}

static void expect_missing(const char *nodes, const char *outputs,
                           const char *text)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_gradient_request_t request = {NODES(0)};
    kc_profile_t *profile = limited_profile();
    kc_graph_t *graph = gradient_graph(nodes, outputs);
    kc_plan_t *plan = NULL;
    EXPECT_FAILURE(
        error, KC_ERR_NO_CAPSULE, text,
        kci_gradient_plan_create(profile, graph, &request, &plan, &error));
    ck_assert_ptr_null(plan);
    kci_graph_release(graph);
    kci_profile_release(profile);
}

START_TEST(a_missing_inner_operation_names_node_rule_and_operation)
{
    expect_missing(X W "{'id': 2, 'op': 'matmul', 'parents': [0, 1],"
                       " 'shape': [2, 2]}",
                   Y,
                   "node 2 (matmul): the rule of matmul: no admissible kernel "
                   "capsule for op permute on device cpu");
}
END_TEST

START_TEST(a_missing_sum_names_the_node)
{
    expect_missing(X "{'id': 1, 'op': 'mul_elem', 'parents': [0, 0],"
                     " 'shape': [2, 2]}",
                   "{'name': 'y', 'node': 1}",
                   "the sum of its cotangents: no admissible kernel capsule "
                   "for op add on device cpu");
}
END_TEST

Suite *suite_autograd_gradient_plan_rule(void)
{
    Suite *suite = suite_create("autograd.gradient_plan_rule");
    TCase *tests = tcase_create("rules");
    tcase_add_test(tests, a_backend_rule_gets_what_its_contract_saves);
    tcase_add_test(tests, a_backend_rule_of_a_sum_gets_what_the_forward_read);
    tcase_add_test(tests, a_rule_of_the_runtime_gets_what_the_catalogue_saves);
    tcase_add_test(tests, absent_and_unwanted_arguments_are_no_values);
    tcase_add_test(tests, a_composed_rule_becomes_its_operations);
    tcase_add_test(tests,
                   a_missing_inner_operation_names_node_rule_and_operation);
    tcase_add_test(tests, a_missing_sum_names_the_node);
    suite_add_tcase(suite, tests);
    return suite;
}
