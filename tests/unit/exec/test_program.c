/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Programs as they grow: numbers, places, copies. */
#include "exec/program.h"

#include "unit/exec/program_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

/* y = relu(x). */
static kc_graph_t *one_relu(void)
{
    kc_graph_builder_t *builder = graph_begin();
    graph_output(builder, "y",
                 graph_unary(builder, "relu", graph_input(builder, "x")));
    return graph_end(builder);
}

START_TEST(values_keep_their_types)
{
    program_case_t at;
    program_begin(&at, one_relu());
    kci_tensor_type_t wanted = {.dtype = KC_DTYPE_I64,
                                .shape = {.rank = 2, .dims = {3, 0}}};
    kci_tensor_type_t scalar = {.dtype = KC_DTYPE_F64};
    kci_tensor_type_t found;
    uint32_t value = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        EXPECT_OK(at.error, kci_program_add_value(
                                at.program, i % 2 == 0 ? &wanted : &scalar,
                                KCI_VALUE_SEED, i, &value, &at.error));
        ck_assert_uint_eq(value, 2 + i);
    }
    ck_assert_uint_eq(at.program->values[500].slot, 498);
    ck_assert_uint_eq(at.program->values[500].root, 500);
    kci_program_value_type(at.program, 500, &found);
    ck_assert_int_eq(found.dtype, KC_DTYPE_I64);
    ck_assert(kci_shape_equal(&found.shape, &wanted.shape));
    kci_program_value_type(at.program, 501, &found);
    ck_assert_int_eq(found.dtype, KC_DTYPE_F64);
    ck_assert_int_eq(found.shape.rank, 0);
    program_end(&at);
}
END_TEST

START_TEST(steps_tell_their_results_who_makes_them)
{
    program_case_t at;
    program_begin(&at, one_relu());
    uint32_t seed = program_seed(&at, 1, 0);
    uint32_t first = program_relu_rule(&at, 1, seed);
    uint32_t second = program_relu_rule(&at, 1, first);
    ck_assert_uint_eq(at.program->step_count, 3);
    ck_assert_uint_eq(at.program->forward_step_count, 1);
    ck_assert_uint_eq(at.program->values[1].slot, 0);
    ck_assert_uint_eq(at.program->values[second].slot, 2);
    const kci_program_step_t *step = &at.program->steps[2];
    ck_assert_uint_eq(step->operand_count, 3);
    ck_assert_uint_eq(at.program->operands[step->first_operand + 2], first);
    ck_assert_uint_eq(at.program->results[step->first_result], second);
    ck_assert_uint_eq(step->kernel, KCI_NO_VALUE);
    ck_assert_uint_eq(step->attributes, KCI_NO_VALUE);
    program_end(&at);
}
END_TEST

static kc_status_t no_rule(const kc_call_t *call)
{
    (void)call;
    return KC_OK;
}

static kc_status_t no_workspace(const kc_call_t *call, size_t *out_size)
{
    (void)call;
    *out_size = 0;
    return KC_OK;
}

/* Attributes that are not the graph's are copied, so the caller's may go. */
START_TEST(attributes_and_kernels)
{
    program_case_t at;
    program_begin(&at, one_relu());
    kc_attributes_t attributes = operand_axis(KC_OP_SOFTMAX, 5);
    const uint32_t operands[] = {0, KCI_NO_VALUE};
    uint32_t result = program_value(&at, 0, KCI_VALUE_STEP, KCI_NO_VALUE);
    kci_step_spec_t spec = {.step = {.node = 1,
                                     .op = KC_OP_SOFTMAX,
                                     .served = KCI_NO_ENTRY,
                                     .role = KCI_CALL_VJP},
                            .run = no_rule,
                            .workspace = no_workspace,
                            .attributes = &attributes,
                            .operands = operands,
                            .operand_count = 2,
                            .results = &result,
                            .result_count = 1};
    for (int round = 0; round < 2; round++) {
        EXPECT_OK(at.error, kci_program_add_step(at.program, &spec, &at.error));
        attributes.u.axis.axis = 6;
    }
    const kci_program_step_t *first = &at.program->steps[1];
    ck_assert_int_eq(at.program->attributes[first->attributes].u.axis.axis, 5);
    ck_assert_int_eq(at.program->attributes[first[1].attributes].u.axis.axis,
                     6);
    ck_assert(at.program->kernels[first->kernel].run == no_rule);
    ck_assert(at.program->kernels[first->kernel].workspace == no_workspace);
    ck_assert_uint_eq(at.program->operands[first->first_operand + 1],
                      KCI_NO_VALUE);
    program_end(&at);
}
END_TEST

/* Between steps, whose operands stay where they are. */
START_TEST(rules_have_operands_or_none)
{
    program_case_t at;
    program_begin(&at, one_relu());
    uint32_t seed = program_seed(&at, 1, 0);
    const uint32_t operands[] = {0, KCI_NO_VALUE, seed};
    kci_program_rule_t rule = {.node = 1, .op = KC_OP_RELU, .entry = at.relu};
    EXPECT_OK(at.error,
              kci_program_add_rule(at.program, &rule, NULL, 0, &at.error));
    uint32_t result = program_relu_rule(&at, 1, seed);
    rule.is_composed = true;
    EXPECT_OK(at.error,
              kci_program_add_rule(at.program, &rule, operands, 3, &at.error));
    (void)program_relu_rule(&at, 1, result);
    const kci_program_rule_t *rules = at.program->rules;
    ck_assert_uint_eq(at.program->rule_count, 2);
    ck_assert_uint_eq(rules[0].first_step, 1);
    ck_assert_uint_eq(rules[0].operand_count, 0);
    ck_assert(!rules[0].is_composed && rules[1].is_composed);
    ck_assert_uint_eq(rules[1].first_step, 2);
    ck_assert_uint_eq(rules[1].operand_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(at.program->operands[rules[1].first_operand + i],
                          operands[i]);
    }
    const kci_program_step_t *last = &at.program->steps[2];
    ck_assert_uint_eq(last->first_operand, rules[1].first_operand + 3);
    ck_assert_uint_eq(at.program->operands[last->first_operand + 2], result);
    program_end(&at);
}
END_TEST

START_TEST(a_rule_without_code_is_not_bound)
{
    program_case_t at;
    kc_accepted_plan_t *accepted = NULL;
    program_begin(&at, one_relu());
    uint32_t seed = program_seed(&at, 1, 0);
    uint32_t gradient = program_relu_rule(&at, 1, seed);
    at.program->steps[1].is_backend = false;
    program_ports(&at, &(kci_program_port_t){0, seed}, 1,
                  &(kci_program_port_t){0, gradient}, 1);
    EXPECT_OK(at.error, kci_accept_plan(at.plan, &at.profile->policy, &accepted,
                                        NULL, NULL, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_BINDING,
                   "node 1 (relu): capsule acme.relu: expected code for its "
                   "derivative rule, found none",
                   kci_executor_create(at.host.host, accepted, NULL, 0, NULL,
                                       &at.executor, &at.error));
    kci_accepted_plan_release(accepted);
    program_end(&at);
}
END_TEST

Suite *suite_exec_program(void)
{
    Suite *suite = suite_create("exec/program");
    TCase *tcase = tcase_create("program");
    tcase_add_test(tcase, values_keep_their_types);
    tcase_add_test(tcase, steps_tell_their_results_who_makes_them);
    tcase_add_test(tcase, attributes_and_kernels);
    tcase_add_test(tcase, rules_have_operands_or_none);
    tcase_add_test(tcase, a_rule_without_code_is_not_bound);
    suite_add_tcase(suite, tcase);
    return suite;
}
