/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The order of the backward: rules by falling id, sums in the order in which
 * contributions arise, seeds first, nothing for what is not there. */
#include "unit/autograd/gradient_fixture.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

typedef struct walk_case {
    gradient_fixture_t fixture;
    kc_graph_t *graph;
    kc_plan_t *plan;
    const kci_program_t *program;
} walk_case_t;

static void walk_begin(walk_case_t *at, kc_graph_t *graph,
                       const kci_gradient_request_t *request)
{
    gradient_fixture_begin(&at->fixture, 1);
    at->graph = graph;
    at->plan = gradient_plan(&at->fixture, graph, request);
    ck_assert_uint_eq(at->plan->failure_count, 0);
    at->program = at->plan->program;
    ck_assert_ptr_nonnull(at->program);
}

static void walk_end(walk_case_t *at)
{
    kci_plan_release(at->plan);
    kci_graph_release(at->graph);
    gradient_fixture_end(&at->fixture);
}

static const kci_program_step_t *backward_step(const walk_case_t *at,
                                               size_t index)
{
    size_t place = at->program->forward_step_count + index;
    ck_assert_uint_lt(place, at->program->step_count);
    return &at->program->steps[place];
}

static uint32_t operand(const walk_case_t *at, const kci_program_step_t *step,
                        uint32_t index)
{
    ck_assert_uint_lt(index, step->operand_count);
    return at->program->operands[step->first_operand + index];
}

static uint32_t result_of(const walk_case_t *at, const kci_program_step_t *step)
{
    return at->program->results[step->first_result];
}

/* x feeds relu (2), tanh (3) and is an output itself; both meet in 4. */
START_TEST(seeds_come_first_then_consumers_by_falling_id)
{
    walk_case_t at;
    kci_gradient_request_t request = {NODES(0)};
    walk_begin(
        &at,
        gradient_graph("{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'},"
                       "{'id': 1, 'op': 'relu', 'parents': [0], 'shape': [2]},"
                       "{'id': 2, 'op': 'abs', 'parents': [0], 'shape': [2]},"
                       "{'id': 3, 'op': 'add', 'parents': [1, 2],"
                       " 'shape': [2]}",
                       "{'name': 'y', 'node': 3}, {'name': 'x', 'node': 0}"),
        &request);
    ck_assert_uint_eq(at.program->seed_count, 2);
    uint32_t y_seed = at.program->seeds[0].value;
    uint32_t x_seed = at.program->seeds[1].value;
    ck_assert_uint_eq(at.program->seeds[1].index, 1);
    ck_assert_uint_eq(at.program->step_count - at.program->forward_step_count,
                      4);
    const kci_program_step_t *abs = backward_step(&at, 0);
    ck_assert_int_eq(abs->op, KC_OP_ABS);
    ck_assert_int_eq(abs->role, KCI_CALL_VJP);
    ck_assert(!abs->is_backend);
    ck_assert_uint_eq(operand(&at, abs, abs->operand_count - 1), y_seed);
    const kci_program_step_t *first = backward_step(&at, 1);
    ck_assert_int_eq(first->role, KCI_CALL_SUM);
    ck_assert_int_eq(first->op, KC_OP_ADD);
    ck_assert_uint_eq(first->node, 0);
    ck_assert_uint_eq(first->served, KCI_NO_ENTRY);
    ck_assert_uint_eq(operand(&at, first, 0), x_seed);
    ck_assert_uint_eq(operand(&at, first, 1), result_of(&at, abs));
    const kci_program_step_t *relu = backward_step(&at, 2);
    ck_assert_int_eq(relu->op, KC_OP_RELU);
    const kci_program_step_t *second = backward_step(&at, 3);
    ck_assert_uint_eq(operand(&at, second, 0), result_of(&at, first));
    ck_assert_uint_eq(operand(&at, second, 1), result_of(&at, relu));
    ck_assert_uint_eq(at.program->gradients[0].value, result_of(&at, second));
    /* The composed rule of add was applied and has no step. */
    ck_assert_uint_eq(at.program->rule_count, 3);
    ck_assert_uint_eq(at.program->rules[0].node, 3);
    ck_assert(at.program->rules[0].is_composed);
    ck_assert(!at.program->rules[1].is_composed);
    ck_assert_uint_eq(at.program->rules[2].node, 1);
    ck_assert_uint_eq(at.program->rules[2].first_step,
                      at.program->forward_step_count + 2);
    walk_end(&at);
}
END_TEST

START_TEST(arguments_of_one_consumer_by_rising_place)
{
    walk_case_t at;
    kci_gradient_request_t request = {NODES(0)};
    walk_begin(
        &at,
        gradient_graph("{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'},"
                       "{'id': 1, 'op': 'max_elem', 'parents': [0, 0],"
                       " 'shape': [2]}",
                       "{'name': 'y', 'node': 1}"),
        &request);
    const kci_program_step_t *max = backward_step(&at, 0);
    const kci_program_step_t *sum = backward_step(&at, 1);
    ck_assert_int_eq(sum->role, KCI_CALL_SUM);
    ck_assert_uint_eq(max->result_count, 2);
    for (uint32_t k = 0; k < 2; k++) {
        ck_assert_uint_eq(operand(&at, sum, k),
                          at.program->results[max->first_result + k]);
    }
    ck_assert_uint_eq(at.plan->sub_row_count, 1);
    ck_assert_int_eq(at.plan->sub_rows[0].role, KCI_CALL_SUM);
    ck_assert_uint_eq(at.plan->sub_rows[0].entry, sum->entry);
    ck_assert_uint_eq(at.plan->sub_rows[0].node, 0);
    walk_end(&at);
}
END_TEST

/* Node 2 does not lead to x, node 3 reaches no chosen output. */
START_TEST(only_nodes_between_outputs_and_wanted_are_visited)
{
    walk_case_t at;
    kci_gradient_request_t request = {OUTPUTS(0), NODES(0)};
    walk_begin(
        &at,
        gradient_graph("{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'},"
                       "{'id': 1, 'op': 'const', 'shape': [2], 'name': 'w'},"
                       "{'id': 2, 'op': 'relu', 'parents': [1], 'shape': [2]},"
                       "{'id': 3, 'op': 'abs', 'parents': [0], 'shape': [2]},"
                       "{'id': 4, 'op': 'mul_elem', 'parents': [0, 2],"
                       " 'shape': [2]}",
                       "{'name': 'y', 'node': 4}, {'name': 'z', 'node': 3}"),
        &request);
    ck_assert_uint_eq(at.program->seed_count, 1);
    ck_assert_uint_eq(at.program->rule_count, 1);
    ck_assert_uint_eq(at.program->rules[0].node, 4);
    ck_assert_uint_eq(at.program->step_count - at.program->forward_step_count,
                      1);
    const kci_program_step_t *mul = backward_step(&at, 0);
    ck_assert_int_eq(mul->role, KCI_CALL_INNER_VJP);
    ck_assert_uint_eq(mul->served, at.program->rules[0].entry);
    ck_assert_uint_eq(mul->node, 4);
    walk_end(&at);
}
END_TEST

/* Two outputs of one value that does not lead to x: their seeds are never
 * added up. */
START_TEST(seeds_that_lead_nowhere_are_left_alone)
{
    walk_case_t at;
    kci_gradient_request_t request = {NODES(0)};
    walk_begin(
        &at,
        gradient_graph("{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'},"
                       "{'id': 1, 'op': 'const', 'shape': [2], 'name': 'w'},"
                       "{'id': 2, 'op': 'abs', 'parents': [1], 'shape': [2]},"
                       "{'id': 3, 'op': 'relu', 'parents': [0], 'shape': [2]}",
                       "{'name': 'y', 'node': 3}, {'name': 'z', 'node': 2},"
                       "{'name': 'u', 'node': 2}"),
        &request);
    ck_assert_uint_eq(at.program->seed_count, 3);
    ck_assert_uint_eq(at.program->step_count - at.program->forward_step_count,
                      1);
    ck_assert_int_eq(backward_step(&at, 0)->role, KCI_CALL_VJP);
    walk_end(&at);
}
END_TEST

START_TEST(what_nothing_reaches_has_no_value)
{
    walk_case_t at;
    kci_gradient_request_t request = {OUTPUTS(0), NODES(0, 1)};
    walk_begin(
        &at,
        gradient_graph("{'id': 0, 'op': 'input', 'shape': [2], 'name': 'x'},"
                       "{'id': 1, 'op': 'const', 'shape': [2], 'name': 'w'},"
                       "{'id': 2, 'op': 'detach', 'parents': [1],"
                       " 'shape': [2]},"
                       "{'id': 3, 'op': 'add', 'parents': [0, 2],"
                       " 'shape': [2]}",
                       "{'name': 'y', 'node': 3}"),
        &request);
    ck_assert_uint_eq(at.program->gradient_count, 2);
    ck_assert_uint_eq(at.program->gradients[0].value,
                      at.program->seeds[0].value);
    ck_assert_uint_eq(at.program->gradients[1].index, 1);
    ck_assert_uint_eq(at.program->gradients[1].value, KCI_NO_VALUE);
    walk_end(&at);
}
END_TEST

/* The parent of a sum has its own shape again, with the same elements. */
START_TEST(the_cotangent_of_a_sum_is_seen_in_the_shape_of_its_parent)
{
    walk_case_t at;
    kci_tensor_type_t type;
    kci_gradient_request_t request = {NODES(0)};
    walk_begin(
        &at,
        gradient_graph("{'id': 0, 'op': 'input', 'shape': [2, 3], 'name': 'x'},"
                       "{'id': 1, 'op': 'sum', 'parents': [0], 'shape': []}",
                       "{'name': 'y', 'node': 1}"),
        &request);
    uint32_t value = at.program->gradients[0].value;
    ck_assert_uint_ne(value, KCI_NO_VALUE);
    kci_program_value_type(at.program, value, &type);
    ck_assert_int_eq(type.shape.rank, 2);
    ck_assert_int_eq(type.shape.dims[1], 3);
    uint32_t root = at.program->values[value].root;
    ck_assert_uint_ne(root, value);
    kci_program_value_type(at.program, root, &type);
    ck_assert_int_eq(type.shape.rank, 1);
    ck_assert_int_eq(type.shape.dims[0], 6);
    walk_end(&at);
}
END_TEST

Suite *suite_autograd_gradient_plan_walk(void)
{
    Suite *suite = suite_create("autograd.gradient_plan_walk");
    TCase *tests = tcase_create("order");
    tcase_add_test(tests, seeds_come_first_then_consumers_by_falling_id);
    tcase_add_test(tests, arguments_of_one_consumer_by_rising_place);
    tcase_add_test(tests, only_nodes_between_outputs_and_wanted_are_visited);
    tcase_add_test(tests, seeds_that_lead_nowhere_are_left_alone);
    tcase_add_test(tests, what_nothing_reaches_has_no_value);
    tcase_add_test(tests,
                   the_cotangent_of_a_sum_is_seen_in_the_shape_of_its_parent);
    suite_add_tcase(suite, tests);
    return suite;
}
