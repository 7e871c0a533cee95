/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Runs with a backward: seeds, rules with one and two results, sums,
 * gradients that are copied. */
#include <stdlib.h>
#include <string.h>

#include "unit/exec/backward_fixture.h"
#include "unit/exec/heap_counter.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

START_TEST(forward_and_backward_in_one_run)
{
    backward_case_t at;
    backward_begin(&at);
    EXPECT_OK(at.base.error, backward_run(&at, 1));
    backward_expect(&at);
    for (int i = 0; i < VECTOR; i++) {
        float x = (float)(i - 8);
        float relu = x + 0.5f > 0 ? x + 0.5f : 0;
        ck_assert_float_eq(operand_f32(&at.y)[i], relu + x);
    }
    ck_assert_uint_eq(rule_log.workspace_size, RELU_RULE_WORKSPACE);
    ck_assert_uint_eq(rule_log.input_count, 2);
    /* The last add wanted one of two. */
    ck_assert(rule_log.has_wanted[0] && !rule_log.has_wanted[1]);
    backward_end(&at);
}
END_TEST

START_TEST(outputs_may_be_left_out)
{
    backward_case_t at;
    backward_begin(&at);
    EXPECT_OK(at.base.error, backward_run(&at, 0));
    backward_expect(&at);
    ck_assert_float_eq(operand_f32(&at.y)[VECTOR - 1], 0);
    EXPECT_OK(at.base.error, backward_run(&at, 1));
    ck_assert_float_eq(operand_f32(&at.y)[VECTOR - 1], 14.5f);
    /* Left out again, what was given before is not written. */
    operand_f32(&at.y)[VECTOR - 1] = -1;
    EXPECT_OK(at.base.error, backward_run(&at, 0));
    ck_assert_float_eq(operand_f32(&at.y)[VECTOR - 1], -1);
    backward_end(&at);
}
END_TEST

START_TEST(each_kind_of_run_has_its_executors)
{
    backward_case_t at;
    host_fixture_t host;
    backward_begin(&at);
    EXPECT_FAILURE(at.base.error, KC_ERR_ARGUMENT,
                   "expected a run with gradients (the plan has a backward), "
                   "found one without",
                   kci_executor_run(at.base.executor, at.inputs, 1, at.outputs,
                                    1, &at.base.error));
    EXPECT_FAILURE(at.base.error, KC_ERR_ARGUMENT, "expected 1 seeds, found 0",
                   kci_executor_run_gradients(at.base.executor, at.inputs, 1,
                                              at.seeds, 0, NULL, 0, at.given, 4,
                                              &at.base.error));
    EXPECT_FAILURE(
        at.base.error, KC_ERR_ARGUMENT, "expected 4 gradients, found 3",
        kci_executor_run_gradients(at.base.executor, at.inputs, 1, at.seeds, 1,
                                   NULL, 0, at.given, 3, &at.base.error));
    EXPECT_FAILURE(
        at.base.error, KC_ERR_ARGUMENT, "expected 1 outputs, found 2",
        kci_executor_run_gradients(at.base.executor, at.inputs, 1, at.seeds, 1,
                                   at.outputs, 2, at.given, 4, &at.base.error));
    backward_end(&at);
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = acme_profile(NULL);
    kc_graph_builder_t *builder = graph_begin();
    graph_output(builder, "y",
                 graph_unary(builder, "relu", graph_input(builder, "x")));
    kc_graph_t *graph = graph_end(builder);
    kc_executor_t *executor = compile_graph(host.host, profile, graph, false);
    EXPECT_FAILURE(at.base.error, KC_ERR_ARGUMENT,
                   "expected a run without gradients (the plan has no "
                   "backward), found one with",
                   kci_executor_run_gradients(executor, at.inputs, 1, NULL, 0,
                                              at.outputs, 1, NULL, 0,
                                              &at.base.error));
    kci_executor_destroy(executor);
    kci_graph_release(graph);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

START_TEST(repeated_runs_allocate_nothing)
{
    backward_case_t at;
    backward_begin(&at);
    EXPECT_OK(at.base.error, backward_run(&at, 1));
    unsigned long long host_count =
        atomic_load(&at.base.host.allocator.allocation_count);
    unsigned long long heap_count = heap_counter_value();
    kc_status_t status = KC_OK;
    for (int round = 0; round < 100; round++) {
        status |= backward_run(&at, 1);
    }
    unsigned long long heap_after = heap_counter_value();
    ck_assert_int_eq(status, KC_OK);
    ck_assert_uint_eq(heap_after, heap_count);
    ck_assert(atomic_load(&at.base.host.allocator.allocation_count) ==
              host_count);
    if (getenv("KC_SANITIZERS") == NULL || getenv("KC_SANITIZERS")[0] == 0) {
        ck_assert(heap_counter_works());
    }
    backward_expect(&at);
    backward_end(&at);
}
END_TEST

/* Both results of one rule are alive at once, and their cotangent with them:
 * nothing of the three shares memory. */
START_TEST(results_of_one_rule_lie_apart)
{
    program_case_t at;
    uint32_t of_b[2];
    operand_t x;
    operand_t seed;
    operand_t gradients[2];
    kc_graph_builder_t *builder = graph_begin();
    uint32_t in = graph_input(builder, "x");
    uint32_t a = graph_unary(builder, "relu", in);
    graph_output(builder, "y", graph_binary(builder, "add", a, a));
    program_begin(&at, graph_end(builder));
    uint32_t given = program_seed(&at, 2, 0);
    uint32_t twice = program_sum(&at, 2, given, given);
    program_add_rule(&at, 2, twice, 3, of_b);
    uint32_t both = program_sum(&at, 1, of_b[0], of_b[1]);
    uint32_t result = program_relu_rule(&at, 1, both);
    program_ports(&at, &(kci_program_port_t){0, given}, 1,
                  (const kci_program_port_t[]){{0, result}, {1, KCI_NO_VALUE}},
                  2);
    program_compile(&at, NULL, 0);
    operand_init(&x, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_init(&seed, KC_DTYPE_F32, 1, DIMS(VECTOR));
    for (int i = 0; i < 2; i++) {
        operand_init(&gradients[i], KC_DTYPE_F32, 1, DIMS(VECTOR));
        memset(gradients[i].bytes, 0x5a, sizeof gradients[i].bytes);
    }
    for (int i = 0; i < VECTOR; i++) {
        operand_f32(&x)[i] = 1;
        operand_f32(&seed)[i] = (float)i;
    }
    const DLTensor *inputs[] = {&x.view};
    const DLTensor *seeds[] = {&seed.view};
    DLTensor *wanted[] = {&gradients[0].view, &gradients[1].view};
    EXPECT_OK(at.error,
              kci_executor_run_gradients(at.executor, inputs, 1, seeds, 1, NULL,
                                         0, wanted, 2, &at.error));
    ck_assert_ptr_ne(rule_log.cotangents[0], rule_log.cotangents[1]);
    for (int i = 0; i < VECTOR; i++) {
        ck_assert_float_eq(operand_f32(&gradients[0])[i], (float)(6 * i));
        /* One that nothing reaches is exact zeros. */
        ck_assert_uint_eq(((uint32_t *)(void *)gradients[1].bytes)[i], 0);
    }
    program_end(&at);
}
END_TEST

/* What a contract says of overwriting is about its forward. */
START_TEST(rules_write_over_nothing_they_read)
{
    program_case_t at;
    operand_t x;
    operand_t seed;
    operand_t gradient;
    kc_graph_builder_t *builder = graph_begin();
    uint32_t node = graph_input(builder, "x");
    for (int i = 0; i < 3; i++) {
        node = graph_unary(builder, "relu", node);
    }
    graph_output(builder, "y", node);
    program_begin(&at, graph_end(builder));
    uint32_t given = program_seed(&at, 3, 0);
    uint32_t cotangent = given;
    for (uint32_t i = 3; i >= 1; i--) {
        cotangent = program_relu_rule(&at, i, cotangent);
    }
    program_ports(&at, &(kci_program_port_t){0, given}, 1,
                  &(kci_program_port_t){0, cotangent}, 1);
    program_compile(&at, NULL, 0);
    operand_init(&x, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_init(&seed, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_init(&gradient, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_f32(&x)[3] = 2;
    operand_f32(&seed)[3] = 9;
    operand_f32(&seed)[4] = 9;
    const DLTensor *inputs[] = {&x.view};
    const DLTensor *seeds[] = {&seed.view};
    DLTensor *wanted[] = {&gradient.view};
    EXPECT_OK(at.error,
              kci_executor_run_gradients(at.executor, inputs, 1, seeds, 1, NULL,
                                         0, wanted, 1, &at.error));
    ck_assert_int_eq(rule_log.relu_count, 3);
    ck_assert_int_eq(rule_log.in_place_count, 0);
    ck_assert_float_eq(operand_f32(&gradient)[3], 9);
    ck_assert_float_eq(operand_f32(&gradient)[4], 0);
    program_end(&at);
}
END_TEST

/* A seed that is not given is 1, of the output's dtype. */
START_TEST(a_scalar_needs_no_seed)
{
    program_case_t at;
    operand_t x;
    operand_t gradient;
    kc_graph_builder_t *builder = graph_begin();
    kci_node_spec_t spec = {
        .kind = "input", .dtype = KC_DTYPE_F32, .name = "x"};
    uint32_t in = graph_node(builder, &spec, NULL);
    kci_node_spec_t relu = {.kind = "relu",
                            .parents = &in,
                            .parent_count = 1,
                            .dtype = KC_DTYPE_F32};
    graph_output(builder, "y", graph_node(builder, &relu, NULL));
    program_begin(&at, graph_end(builder));
    uint32_t seed = program_seed(&at, 1, 0);
    uint32_t result = program_relu_rule(&at, 1, seed);
    program_ports(&at, &(kci_program_port_t){0, seed}, 1,
                  &(kci_program_port_t){0, result}, 1);
    program_compile(&at, NULL, 0);
    operand_init(&x, KC_DTYPE_F32, 0, NULL);
    operand_init(&gradient, KC_DTYPE_F32, 0, NULL);
    operand_f32(&x)[0] = 3;
    const DLTensor *inputs[] = {&x.view};
    const DLTensor *seeds[] = {NULL};
    DLTensor *wanted[] = {&gradient.view};
    EXPECT_OK(at.error,
              kci_executor_run_gradients(at.executor, inputs, 1, seeds, 1, NULL,
                                         0, wanted, 1, &at.error));
    ck_assert_float_eq(operand_f32(&gradient)[0], 1);
    operand_t five;
    operand_init(&five, KC_DTYPE_F32, 0, NULL);
    operand_f32(&five)[0] = 5;
    seeds[0] = &five.view;
    EXPECT_OK(at.error,
              kci_executor_run_gradients(at.executor, inputs, 1, seeds, 1, NULL,
                                         0, wanted, 1, &at.error));
    ck_assert_float_eq(operand_f32(&gradient)[0], 5);
    /* A seed that is given no more lies nowhere. */
    seeds[0] = NULL;
    wanted[0] = &five.view;
    EXPECT_OK(at.error,
              kci_executor_run_gradients(at.executor, inputs, 1, seeds, 1, NULL,
                                         0, wanted, 1, &at.error));
    ck_assert_float_eq(operand_f32(&five)[0], 1);
    program_end(&at);
}
END_TEST

/* Inputs, consts and literals reach a gradient by a copy. */
START_TEST(gradients_that_no_kernel_makes)
{
    backward_case_t at;
    uint32_t literal = KCI_NO_VALUE;
    kci_composition_t composition;
    kci_inner_plan_t inner;
    kci_program_step_t step = {.node = C, .served = 1, .role = 3};
    program_begin(&at.base, backward_graph());
    kci_composition_init(&composition);
    kci_tensor_type_t type = {.dtype = KC_DTYPE_F32,
                              .shape = {.rank = 1, .dims = {VECTOR}}};
    double numbers[VECTOR];
    for (int i = 0; i < VECTOR; i++) {
        numbers[i] = 7;
    }
    kci_term_t term = kci_compose_numbers(&composition, &type, numbers);
    EXPECT_OK(at.base.error,
              kci_inner_plan_create(at.base.profile, &at.base.profile->policy,
                                    &inner, &at.base.error));
    EXPECT_OK(at.base.error, kci_program_add_composition(
                                 at.base.program, &composition, NULL, &step,
                                 &inner, &term, 1, &literal, &at.base.error));
    uint32_t seed = program_seed(&at.base, C, 0);
    program_ports(
        &at.base, &(kci_program_port_t){0, seed}, 1,
        (const kci_program_port_t[]){{X, X}, {W, W}, {A, literal}, {C, A}}, 4);
    at.w = vector_tensor(&at.base.host.allocator, 0, 0.5f);
    program_compile(&at.base, &(kci_named_tensor_t){"w", at.w}, 1);
    backward_tensors(&at);
    EXPECT_OK(at.base.error, backward_run(&at, 1));
    for (int i = 0; i < VECTOR; i++) {
        ck_assert_float_eq(operand_f32(&at.gradients[0])[i], (float)(i - 8));
        ck_assert_float_eq(operand_f32(&at.gradients[1])[i], 0.5f);
        ck_assert_float_eq(operand_f32(&at.gradients[2])[i], 7);
        ck_assert_float_eq(operand_f32(&at.gradients[3])[i],
                           (float)(i - 8) + 0.5f);
    }
    kci_inner_plan_release(&inner);
    kci_composition_release(&composition);
    backward_end(&at);
}
END_TEST

START_TEST(a_seed_with_gaps_is_copied)
{
    backward_case_t at;
    backward_begin(&at);
    at.seed.strides[0] = 2;
    for (int i = 0; i < 2 * VECTOR; i++) {
        operand_f32(&at.seed)[i] = i % 2 == 0 ? (float)(i / 2 + 1) : -99;
    }
    EXPECT_OK(at.base.error, backward_run(&at, 1));
    backward_expect(&at);
    backward_end(&at);
}
END_TEST

Suite *suite_exec_run(void)
{
    Suite *suite = suite_create("exec/run");
    TCase *tcase = tcase_create("run");
    tcase_add_test(tcase, forward_and_backward_in_one_run);
    tcase_add_test(tcase, outputs_may_be_left_out);
    tcase_add_test(tcase, each_kind_of_run_has_its_executors);
    tcase_add_test(tcase, repeated_runs_allocate_nothing);
    tcase_add_test(tcase, results_of_one_rule_lie_apart);
    tcase_add_test(tcase, rules_write_over_nothing_they_read);
    tcase_add_test(tcase, a_scalar_needs_no_seed);
    tcase_add_test(tcase, gradients_that_no_kernel_makes);
    tcase_add_test(tcase, a_seed_with_gaps_is_copied);
    suite_add_tcase(suite, tcase);
    return suite;
}
