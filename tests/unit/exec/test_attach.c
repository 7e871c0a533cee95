/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The caller's tensors of a run: what is refused, what is copied. */
#include <string.h>

#include "exec/executor_state.h"
#include "unit/built_modules.h"
#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

typedef struct attach_case {
    host_fixture_t host;
    kc_profile_t *profile;
    kc_graph_t *graph;
    kc_executor_t *executor;
    operand_t x;
    operand_t y;
    operand_t z;
    const DLTensor *inputs[1];
    DLTensor *outputs[2];
    kc_tensor_t *w;
    kc_error_t error;
} attach_case_t;

/* y = relu(x), z = x + w. */
static void attach_begin(attach_case_t *at)
{
    host_fixture_begin(&at->host, 1);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = acme_profile(NULL);
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t w = graph_const(builder, "w");
    graph_output(builder, "y", graph_unary(builder, "relu", x));
    graph_output(builder, "z", graph_binary(builder, "add", x, w));
    at->graph = graph_end(builder);
    at->w = vector_tensor(&at->host.allocator, 1, 0);
    kci_named_tensor_t consts = {"w", at->w};
    kc_accepted_plan_t *accepted = accept_graph(at->profile, at->graph);
    EXPECT_OK(at->error,
              kci_executor_create(at->host.host, accepted, &consts, 1, NULL,
                                  &at->executor, &at->error));
    kci_accepted_plan_release(accepted);
    operand_init(&at->x, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_init(&at->y, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_init(&at->z, KC_DTYPE_F32, 1, DIMS(VECTOR));
    at->inputs[0] = &at->x.view;
    at->outputs[0] = &at->y.view;
    at->outputs[1] = &at->z.view;
}

static void attach_end(attach_case_t *at)
{
    kci_executor_destroy(at->executor);
    kci_tensor_release(at->w);
    kci_graph_release(at->graph);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

static kc_status_t run(attach_case_t *at)
{
    return kci_executor_run(at->executor, at->inputs, 1, at->outputs, 2,
                            &at->error);
}

#define REFUSED(at, text)                                                      \
    do {                                                                       \
        EXPECT_FAILURE((at).error, KC_ERR_TENSOR, text, run(&(at)));           \
        ck_assert_int_eq(acme_call_count(), 0);                                \
    } while (0)

START_TEST(types_of_ports)
{
    attach_case_t at;
    attach_begin(&at);
    at.x.view.dtype.bits = 64;
    REFUSED(at, "dispatch.dtype: input x (node 0)");
    at.x.view.dtype.bits = 32;
    at.z.shape[0] = 4;
    REFUSED(at, "dispatch.shape: output z (node 3)");
    at.z.shape[0] = VECTOR;
    at.y.strides[0] = 2;
    REFUSED(at, "dispatch.layout: output y: expected dense memory");
    at.y.strides[0] = 1;
    at.outputs[0] = NULL;
    REFUSED(at, "output y (node 2): expected a tensor, found none");
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "expected 2 outputs, found 1",
        kci_executor_run(at.executor, at.inputs, 1, at.outputs, 1, &at.error));
    attach_end(&at);
}
END_TEST

START_TEST(outputs_lie_on_nothing_else)
{
    attach_case_t at;
    attach_begin(&at);
    at.y.view.data = at.x.bytes + 4 * (VECTOR - 1);
    REFUSED(at, "dispatch.alias: output y: expected memory of its own, found "
                "it overlaps input x");
    at.y.view.data = at.z.bytes;
    REFUSED(at, "dispatch.alias: output z: expected memory of its own, found "
                "it overlaps output y");
    at.y.view.data = tensor_f32(at.w);
    REFUSED(at, "dispatch.alias: output y: expected memory of its own, found "
                "it overlaps const w");
    at.y.view.data = at.y.bytes;
    EXPECT_OK(at.error, run(&at));
    attach_end(&at);
}
END_TEST

START_TEST(strided_inputs_are_copied_into_kept_memory)
{
    attach_case_t at;
    attach_begin(&at);
    for (int i = 0; i < 2 * VECTOR; i++) {
        operand_f32(&at.x)[i] = i % 2 == 0 ? (float)i : -99;
    }
    at.x.strides[0] = 2;
    EXPECT_OK(at.error, run(&at));
    ck_assert_float_eq(operand_f32(&at.y)[15], 30);
    ck_assert_float_eq(operand_f32(&at.z)[15], 45);
    unsigned long long count = atomic_load(&at.host.allocator.allocation_count);
    operand_f32(&at.x)[30] = 7;
    EXPECT_OK(at.error, run(&at));
    ck_assert_float_eq(operand_f32(&at.y)[15], 7);
    ck_assert(atomic_load(&at.host.allocator.allocation_count) == count);
    at.x.strides[0] = 1;
    EXPECT_OK(at.error, run(&at));
    ck_assert_float_eq(operand_f32(&at.y)[2], 2);
    attach_end(&at);
}
END_TEST

START_TEST(strides_may_be_left_out)
{
    attach_case_t at;
    attach_begin(&at);
    operand_f32(&at.x)[4] = 6;
    at.x.view.strides = NULL;
    at.y.view.strides = NULL;
    EXPECT_OK(at.error, run(&at));
    ck_assert_float_eq(operand_f32(&at.y)[4], 6);
    attach_end(&at);
}
END_TEST

/* F04 and F01 in graph mode: any byte but 0 is true, also from an input. */
START_TEST(masks_in_graph_mode)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    operand_t q;
    operand_t v;
    operand_t mask;
    operand_t y;
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = built_checked_cpu();
    kc_graph_builder_t *builder = graph_begin();
    const char *const names[] = {"q", "v", "mask"};
    for (int i = 0; i < 3; i++) {
        kci_node_spec_t input = {.kind = "input",
                                 .dtype = i == 2 ? KC_DTYPE_BOOL : KC_DTYPE_F32,
                                 .rank = 2,
                                 .dims = i == 2 ? DIMS(2, 2) : DIMS(2, 1),
                                 .name = names[i]};
        graph_node(builder, &input, NULL);
    }
    kci_node_spec_t attention = {.kind = "scaled_dot_product_attention",
                                 .parents = (const uint32_t[]){0, 0, 1, 2},
                                 .parent_count = 4,
                                 .dtype = KC_DTYPE_F32,
                                 .rank = 2,
                                 .dims = DIMS(2, 1)};
    graph_output(builder, "y", graph_node(builder, &attention, NULL));
    kc_graph_t *graph = graph_end(builder);
    kc_executor_t *executor = compile_graph(host.host, profile, graph, false);
    operand_floats(&q, 2, DIMS(2, 1), FLOATS(1, 1));
    operand_floats(&v, 2, DIMS(2, 1), FLOATS(10, 20));
    operand_init(&mask, KC_DTYPE_BOOL, 2, DIMS(2, 2));
    operand_init(&y, KC_DTYPE_F32, 2, DIMS(2, 1));
    memcpy(mask.bytes, "\x40\x00\x00\x00", 4);
    const DLTensor *inputs[] = {&q.view, &v.view, &mask.view};
    DLTensor *outputs[] = {&y.view};
    EXPECT_OK(error, kci_executor_run(executor, inputs, 3, outputs, 1, &error));
    ck_assert_float_eq(operand_f32(&y)[0], 10);
    ck_assert_float_eq(operand_f32(&y)[1], 0);
    mask.view.dtype = q.view.dtype;
    EXPECT_FAILURE(error, KC_ERR_TENSOR,
                   "dispatch.dtype: input mask (node 2): expected bool "
                   "[2, 2], found f32 [2, 2]",
                   kci_executor_run(executor, inputs, 3, outputs, 1, &error));
    kci_executor_destroy(executor);
    kci_graph_release(graph);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

static kc_status_t gather_one(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    const int32_t *index = kc_tensor_data(call->inputs[1]);
    *(float *)kc_tensor_data(call->outputs[0]) = x[*index];
    return KC_OK;
}

static kc_profile_t *gather_profile(void)
{
    kc_capsule_record_t capsule =
        fixture_capsule("acme.gather", KC_OP_GATHER, "acme", KC_DEVICE_CPU);
    kc_handler_t handler = handler_for(KC_OP_GATHER, "acme", gather_one);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.vjp_mode = KC_VJP_NONE; /* its rule would need scatter_add */
    kc_capsule_module_t *module =
        handler_module("acme", &capsule, 1, &handler, 1);
    return fixture_profile(&policy, &module, 1);
}

START_TEST(indices_are_looked_at_in_every_run)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    operand_t x;
    operand_t indices;
    operand_t y;
    host_fixture_begin(&host, 1);
    kc_profile_t *profile = gather_profile();
    kc_graph_builder_t *builder = graph_begin();
    graph_input(builder, "x");
    kci_node_spec_t input = {.kind = "input",
                             .dtype = KC_DTYPE_I32,
                             .rank = 1,
                             .dims = DIMS(1),
                             .name = "i"};
    graph_node(builder, &input, NULL);
    kci_node_spec_t gather = {.kind = "gather",
                              .parents = (const uint32_t[]){0, 1},
                              .parent_count = 2,
                              .dtype = KC_DTYPE_F32,
                              .rank = 1,
                              .dims = DIMS(1)};
    graph_output(builder, "y", graph_node(builder, &gather, "{\"axis\": 0}"));
    kc_graph_t *graph = graph_end(builder);
    kc_executor_t *executor = compile_graph(host.host, profile, graph, false);
    operand_init(&x, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_f32(&x)[5] = 55;
    operand_init(&indices, KC_DTYPE_I32, 1, DIMS(1));
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(1));
    const DLTensor *inputs[] = {&x.view, &indices.view};
    DLTensor *outputs[] = {&y.view};
    for (int round = 0; round < 2; round++) {
        indices.bytes[0] = 5;
        EXPECT_OK(error,
                  kci_executor_run(executor, inputs, 2, outputs, 1, &error));
        ck_assert_float_eq(operand_f32(&y)[0], 55);
        indices.bytes[0] = VECTOR;
        EXPECT_FAILURE(
            error, KC_ERR_TENSOR,
            "node 2 (gather 0): dispatch.index_range: gather indices",
            kci_executor_run(executor, inputs, 2, outputs, 1, &error));
    }
    kci_executor_destroy(executor);
    kci_graph_release(graph);
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

Suite *suite_exec_attach(void)
{
    Suite *suite = suite_create("exec/attach");
    TCase *tcase = tcase_create("attach");
    tcase_add_test(tcase, types_of_ports);
    tcase_add_test(tcase, outputs_lie_on_nothing_else);
    tcase_add_test(tcase, strided_inputs_are_copied_into_kept_memory);
    tcase_add_test(tcase, strides_may_be_left_out);
    tcase_add_test(tcase, masks_in_graph_mode);
    tcase_add_test(tcase, indices_are_looked_at_in_every_run);
    suite_add_tcase(suite, tcase);
    return suite;
}
