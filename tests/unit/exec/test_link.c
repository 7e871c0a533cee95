/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operands of steps, workspaces and the one block of memory. */
#include <string.h>

#include "exec/executor_state.h"
#include "unit/built_modules.h"
#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

START_TEST(one_block_with_the_largest_workspace)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    operand_t x;
    operand_t y;
    acme_options_t options = {.relu_workspace = 12345};
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = acme_profile(&options);
    kc_graph_builder_t *builder = graph_begin();
    uint32_t a = graph_unary(builder, "relu", graph_input(builder, "x"));
    uint32_t b = graph_unary(builder, "relu", a);
    graph_output(builder, "y", graph_unary(builder, "relu", b));
    kc_graph_t *graph = graph_end(builder);
    kc_executor_t *executor = compile_graph(host.host, profile, graph, false);
    ck_assert_uint_eq(atomic_load(&host.allocator.allocation_count), 1);
    ck_assert_uint_eq(atomic_load(&host.allocator.live_bytes),
                      2 * VECTOR * sizeof(float) + 12345);
    operand_init(&x, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_f32(&x)[3] = 5;
    const DLTensor *inputs[] = {&x.view};
    DLTensor *outputs[] = {&y.view};
    EXPECT_OK(error, kci_executor_run(executor, inputs, 1, outputs, 1, &error));
    ck_assert_float_eq(operand_f32(&y)[3], 5);
    ck_assert_uint_eq(acme_log.workspace_size, 12345);
    ck_assert_uint_eq(atomic_load(&host.allocator.allocation_count), 1);
    kci_executor_destroy(executor);
    kci_graph_release(graph);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

START_TEST(absent_operands_and_attributes)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = built_checked_cpu();
    kc_graph_builder_t *builder = graph_begin();
    kci_node_spec_t input = {.kind = "input",
                             .dtype = KC_DTYPE_F32,
                             .rank = 2,
                             .dims = DIMS(2, 2),
                             .name = "x"};
    uint32_t x = graph_node(builder, &input, NULL);
    kci_node_spec_t attention = {.kind = "scaled_dot_product_attention",
                                 .parents = (const uint32_t[]){x, x, x},
                                 .parent_count = 3,
                                 .dtype = KC_DTYPE_F32,
                                 .rank = 2,
                                 .dims = DIMS(2, 2)};
    uint32_t a = graph_node(builder, &attention, NULL);
    kci_node_spec_t relu = {.kind = "relu",
                            .parents = &a,
                            .parent_count = 1,
                            .dtype = KC_DTYPE_F32,
                            .rank = 2,
                            .dims = DIMS(2, 2)};
    graph_output(builder, "y", graph_node(builder, &relu, NULL));
    kc_graph_t *graph = graph_end(builder);
    kc_executor_t *executor = compile_graph(host.host, profile, graph, false);
    ck_assert_uint_eq(executor->steps[0].operand_count, 3);
    ck_assert_ptr_null(executor->steps[0].operands[3]);
    ck_assert_int_eq(executor->steps[0].attributes->op,
                     KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    ck_assert_int_eq(executor->steps[1].attributes->op, KC_OP_RELU);
    ck_assert_uint_eq(executor->steps[1].attributes->struct_size,
                      sizeof(kc_attributes_t));
    (void)error;
    kci_executor_destroy(executor);
    kci_graph_release(graph);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

/* `sum` of a matrix reads its memory as one axis, in buffer and input. */
START_TEST(flat_views_follow_their_values)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    operand_t x;
    operand_t outputs_of[2];
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = built_checked_cpu();
    kc_graph_builder_t *builder = graph_begin();
    uint32_t in = graph_input(builder, "x");
    uint32_t twice = graph_binary(builder, "add", in, in);
    const uint32_t parents[] = {in, twice};
    for (int i = 0; i < 2; i++) {
        kci_node_spec_t sum = {.kind = "sum",
                               .parents = &parents[i],
                               .parent_count = 1,
                               .dtype = KC_DTYPE_F32};
        graph_output(builder, i == 0 ? "a" : "b",
                     graph_node(builder, &sum, NULL));
    }
    kc_graph_t *graph = graph_end(builder);
    kc_executor_t *executor = compile_graph(host.host, profile, graph, false);
    for (int round = 1; round < 4; round++) {
        operand_init(&x, KC_DTYPE_F32, 1, DIMS(VECTOR));
        operand_init(&outputs_of[0], KC_DTYPE_F32, 0, NULL);
        operand_init(&outputs_of[1], KC_DTYPE_F32, 0, NULL);
        operand_f32(&x)[2] = (float)round;
        operand_f32(&x)[VECTOR - 1] = 1;
        const DLTensor *inputs[] = {&x.view};
        DLTensor *outputs[] = {&outputs_of[0].view, &outputs_of[1].view};
        EXPECT_OK(error,
                  kci_executor_run(executor, inputs, 1, outputs, 2, &error));
        ck_assert_float_eq(operand_f32(&outputs_of[0])[0], (float)(round + 1));
        ck_assert_float_eq(operand_f32(&outputs_of[1])[0],
                           (float)(2 * round + 2));
    }
    kci_executor_destroy(executor);
    kci_graph_release(graph);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

/* Values of 2^62 bytes, one after the other: two of them are more than an
 * allocator gives, four are no size. */
static kc_graph_t *huge_chain(int count)
{
    kci_node_spec_t spec = {.kind = "rand_uniform",
                            .dtype = KC_DTYPE_F32,
                            .rank = 1,
                            .dims = DIMS(INT64_C(1) << 60)};
    kc_graph_builder_t *builder = graph_begin();
    uint32_t node = graph_node(builder, &spec, NULL);
    spec.kind = "relu";
    for (int i = 0; i < count; i++) {
        uint32_t parent = node;
        spec.parents = &parent;
        spec.parent_count = 1;
        node = graph_node(builder, &spec, NULL);
    }
    graph_output(builder, "y", node);
    return graph_end(builder);
}

START_TEST(memory_that_is_not_there_names_the_largest)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kci_executor_options_t options = {.no_reuse = true};
    kc_executor_t *executor = NULL;
    const char *message =
        _i == 1 ? "node 0 (rand_uniform 0): out of memory: 9223372036854775808 "
                  "bytes"
                : "node 0 (rand_uniform 0): out of memory: the values of the "
                  "graph together";
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = built_checked_cpu();
    kc_graph_t *graph = huge_chain(2 * _i);
    kc_accepted_plan_t *accepted = accept_graph(profile, graph);
    EXPECT_FAILURE(error, KC_ERR_MEMORY, message,
                   kci_executor_create(host.host, accepted, NULL, 0, &options,
                                       &executor, &error));
    ck_assert_ptr_null(executor);
    kci_accepted_plan_release(accepted);
    kci_graph_release(graph);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

Suite *suite_exec_link(void)
{
    Suite *suite = suite_create("exec/link");
    TCase *tcase = tcase_create("link");
    tcase_add_test(tcase, one_block_with_the_largest_workspace);
    tcase_add_test(tcase, absent_operands_and_attributes);
    tcase_add_loop_test(tcase, memory_that_is_not_there_names_the_largest, 1,
                        3);
    tcase_add_test(tcase, flat_views_follow_their_values);
    suite_add_tcase(suite, tcase);
    return suite;
}
