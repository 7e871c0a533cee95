/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The call: what the handler gets, what becomes of its failure, and that
 * nothing of it leaks into the caller. */
#include "dispatch/call.h"

#include <fenv.h>
#include <string.h>

#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/handler_fixture.h"
#include "unit/operand_fixture.h"

typedef struct call_case {
    bound_fixture_t bound;
    kci_call_context_t context;
    kc_attributes_t attributes;
    operand_t x;
    operand_t y;
    const DLTensor *inputs[1];
    kc_error_t error;
} call_case_t;

static void call_begin(call_case_t *at, kc_handler_fn forward,
                       kc_workspace_fn workspace)
{
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_handler_t handler = handler_for(KC_OP_RELU, "acme", forward);
    handler.forward_workspace = workspace;
    bound_fixture_begin(&at->bound, &capsule, &handler);
    at->context = (kci_call_context_t){.host = at->bound.host.host,
                                       .binding = &at->bound.binding,
                                       .numerics = KC_NUMERICS_DETERMINISTIC};
    at->attributes = operand_attributes(KC_OP_RELU);
    operand_floats(&at->x, 1, DIMS(4), FLOATS(-1, 2, -3, 4));
    operand_init(&at->y, KC_DTYPE_F32, 1, DIMS(4));
    at->inputs[0] = &at->x.view;
    at->error = (kc_error_t)KC_ERROR_INIT;
}

static kc_status_t call_checked(call_case_t *at)
{
    return kci_call_checked(&at->context, &at->attributes, at->inputs, 1,
                            &at->y.view, &at->error);
}

static kc_status_t call_compiled(call_case_t *at)
{
    return kci_call_compiled(&at->context, &at->attributes, at->inputs, 1,
                             &at->y.view, &at->error);
}

static kc_status_t look_and_double(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    float *y = kc_tensor_data(call->outputs[0]);
    ck_assert_uint_eq(call->struct_size, sizeof(kc_call_t));
    ck_assert_int_eq(call->op, KC_OP_RELU);
    ck_assert_uint_eq(call->numerics, KC_NUMERICS_DETERMINISTIC);
    ck_assert_uint_eq(call->input_count, 1);
    ck_assert_uint_eq(call->output_count, 1);
    ck_assert_int_eq(call->attributes->op, KC_OP_RELU);
    ck_assert(call->host->allocate != NULL);
    ck_assert_ptr_nonnull(call->error);
    ck_assert_uint_eq(call->error->struct_size, sizeof(kc_error_t));
    ck_assert_ptr_null(call->workspace);
    ck_assert_ptr_null(call->stream);
    ck_assert_ptr_null(call->cotangents_out);
    for (int64_t i = 0; i < kc_tensor_element_count(call->inputs[0]); i++) {
        y[i] = 2 * x[i];
    }
    return KC_OK;
}

START_TEST(what_a_handler_gets)
{
    call_case_t at;
    call_begin(&at, look_and_double, NULL);
    EXPECT_OK(at.error, call_checked(&at));
    ck_assert_float_eq(operand_f32(&at.y)[3], 8);
    memset(at.y.bytes, 0, sizeof at.y.bytes);
    EXPECT_OK(at.error, call_compiled(&at));
    ck_assert_float_eq(operand_f32(&at.y)[3], 8);
    ck_assert_uint_eq(atomic_load(&at.bound.host.allocator.allocation_count),
                      0);
    bound_fixture_end(&at.bound);
}
END_TEST

START_TEST(guards_come_before_the_handler)
{
    call_case_t at;
    call_begin(&at, look_and_double, NULL);
    at.x.view.dtype.bits = 64;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.dtype",
                   call_checked(&at));
    at.x.view.dtype.bits = 32;
    at.y.shape[0] = 3;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.shape",
                   call_checked(&at));
    at.y.shape[0] = 4;
    at.x.strides[0] = -1;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.layout",
                   call_checked(&at));
    at.x.strides[0] = 1;
    at.y.view.data = at.x.bytes;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.alias",
                   call_checked(&at));
    at.y.view.data = at.y.bytes;
    at.bound.binding.limits.extent_max = 3;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.element_count",
                   call_checked(&at));
    ck_assert_float_eq(operand_f32(&at.y)[3], 0);
    ck_assert_int_eq(
        kci_call_checked(&at.context, &at.attributes, at.inputs, 1, NULL, NULL),
        KC_ERR_TENSOR);
    bound_fixture_end(&at.bound);
}
END_TEST

static kc_status_t fail_with_a_line(const kc_call_t *call)
{
    return kc_call_fail(call, KC_ERR_ARGUMENT, "the sky is\nfalling");
}

static kc_status_t fail_silently(const kc_call_t *call)
{
    (void)call;
    return 4711;
}

static kc_status_t fail_without_end(const kc_call_t *call)
{
    memset(call->error->message, 'x', sizeof call->error->message);
    call->error->struct_size = 7;
    return -1;
}

START_TEST(failures_of_handlers)
{
    call_case_t at;
    call_begin(&at, fail_with_a_line, NULL);
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL, "acme.relu: the sky is?falling",
                   call_checked(&at));
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL, "acme.relu: the sky is?falling",
                   call_compiled(&at));
    ck_assert_int_eq(kci_call_checked(&at.context, &at.attributes, at.inputs, 1,
                                      &at.y.view, NULL),
                     KC_ERR_KERNEL);
    bound_fixture_end(&at.bound);
    call_begin(&at, fail_silently, NULL);
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL,
                   "acme.relu: the handler failed with status 4711",
                   call_checked(&at));
    bound_fixture_end(&at.bound);
    call_begin(&at, fail_without_end, NULL);
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL, "acme.relu: xxxx",
                   call_checked(&at));
    ck_assert_uint_eq(at.error.struct_size, sizeof(kc_error_t));
    bound_fixture_end(&at.bound);
}
END_TEST

static kc_status_t change_rounding(const kc_call_t *call)
{
    (void)call;
    fesetround(FE_UPWARD);
    return KC_OK;
}

START_TEST(control_words_are_restored_and_reported_once)
{
    call_case_t at;
    call_begin(&at, change_rounding, NULL);
    for (int round = 0; round < 3; round++) {
        EXPECT_OK(at.error, call_checked(&at));
        ck_assert_int_eq(fegetround(), FE_TONEAREST);
        EXPECT_OK(at.error, call_compiled(&at));
        ck_assert_int_eq(fegetround(), FE_TONEAREST);
    }
    ck_assert_int_eq(at.bound.host.log_count, 1);
    ck_assert_int_eq(at.bound.host.log_level, KC_LOG_WARNING);
    ck_assert_ptr_nonnull(
        strstr(at.bound.host.log_line, "capsule acme.relu of module fixture"));
    bound_fixture_end(&at.bound);
}
END_TEST

static kc_status_t want_1000_bytes(const kc_call_t *call, size_t *out_size)
{
    ck_assert_ptr_null(call->inputs[0]->data);
    ck_assert_ptr_null(call->outputs[0]->data);
    ck_assert_int_eq(call->inputs[0]->shape[0], 4);
    *out_size = 1000;
    return KC_OK;
}

static kc_status_t use_workspace(const kc_call_t *call)
{
    ck_assert_uint_eq(call->workspace_size, 1000);
    ck_assert_uint_eq((uintptr_t)call->workspace % 64, 0);
    memset(call->workspace, 1, call->workspace_size);
    return KC_OK;
}

START_TEST(workspaces)
{
    call_case_t at;
    size_t size = 0;
    call_begin(&at, use_workspace, want_1000_bytes);
    kci_host_allocator_t *allocator = &at.bound.host.allocator;
    EXPECT_OK(at.error, call_checked(&at));
    ck_assert_uint_eq(atomic_load(&allocator->allocation_count), 1);
    ck_assert_uint_eq(atomic_load(&allocator->live_bytes), 0);
    EXPECT_OK(at.error,
              kci_call_workspace(&at.context, &at.attributes, at.inputs, 1,
                                 &at.y.view, &size, &at.error));
    ck_assert_uint_eq(size, 1000);
    _Alignas(64) static unsigned char block[1000];
    at.context.workspace = block;
    at.context.workspace_size = sizeof block;
    EXPECT_OK(at.error, call_checked(&at));
    EXPECT_OK(at.error, call_compiled(&at));
    ck_assert_uint_eq(atomic_load(&allocator->allocation_count), 1);
    ck_assert_int_eq(block[999], 1);
    bound_fixture_end(&at.bound);
}
END_TEST

static kc_status_t refuse_workspace(const kc_call_t *call, size_t *out_size)
{
    (void)out_size;
    return kc_call_fail(call, KC_ERR_ARGUMENT, "too large for me");
}

START_TEST(a_failing_workspace_is_the_kernels)
{
    call_case_t at;
    call_begin(&at, use_workspace, refuse_workspace);
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL, "acme.relu: too large for me",
                   call_checked(&at));
    bound_fixture_end(&at.bound);
}
END_TEST

START_TEST(trailing_absent_inputs_do_not_count)
{
    call_case_t at;
    call_begin(&at, look_and_double, NULL);
    const DLTensor *inputs[] = {&at.x.view, NULL, NULL};
    EXPECT_OK(at.error, kci_call_checked(&at.context, &at.attributes, inputs, 3,
                                         &at.y.view, &at.error));
    bound_fixture_end(&at.bound);
}
END_TEST

START_TEST(strided_operands_through_a_dense_kernel)
{
    call_case_t at;
    call_begin(&at, look_and_double, NULL);
    operand_floats(&at.x, 1, DIMS(8), FLOATS(1, 9, 2, 9, 3, 9, 4, 9));
    at.x.shape[0] = 4;
    at.x.strides[0] = 2;
    at.y.strides[0] = 3;
    EXPECT_OK(at.error, call_checked(&at));
    ck_assert_float_eq(operand_f32(&at.y)[0], 2);
    ck_assert_float_eq(operand_f32(&at.y)[1], 0);
    ck_assert_float_eq(operand_f32(&at.y)[9], 8);
    bound_fixture_end(&at.bound);
}
END_TEST

Suite *suite_dispatch_call(void)
{
    Suite *suite = suite_create("dispatch/call");
    TCase *tcase = tcase_create("call");
    tcase_add_test(tcase, what_a_handler_gets);
    tcase_add_test(tcase, guards_come_before_the_handler);
    tcase_add_test(tcase, failures_of_handlers);
    tcase_add_test(tcase, control_words_are_restored_and_reported_once);
    tcase_add_test(tcase, workspaces);
    tcase_add_test(tcase, a_failing_workspace_is_the_kernels);
    tcase_add_test(tcase, trailing_absent_inputs_do_not_count);
    tcase_add_test(tcase, strided_operands_through_a_dense_kernel);
    suite_add_tcase(suite, tcase);
    return suite;
}
