/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The call of a derivative rule: what it sees, masks of the other polarity,
 * workspace, and what becomes of its failure. */
#include "dispatch/call.h"

#include <fenv.h>
#include <string.h>

#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/handler_fixture.h"
#include "unit/operand_fixture.h"

#define INPUT_COUNT 4

/* Attention with everything saved but the output; the cotangents of q and v
 * are wanted. What a rule may look at is read from here. */
static struct vjp_case {
    bound_fixture_t bound;
    kci_call_context_t context;
    kc_attributes_t attributes;
    operand_t operands[INPUT_COUNT];
    operand_t output;
    operand_t cotangent;
    operand_t results[INPUT_COUNT];
    const DLTensor *inputs[INPUT_COUNT];
    DLTensor *cotangents_in[INPUT_COUNT];
    kci_vjp_call_t call;
    kc_error_t error;
    int calls;
    unsigned char mask_seen[6];
} at;

static kc_status_t succeed(const kc_call_t *call)
{
    (void)call;
    at.calls++;
    return KC_OK;
}

static void bind_attention(int32_t polarity, kc_handler_fn vjp)
{
    kc_capsule_record_t capsule =
        fixture_capsule("acme.attention", KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                        "acme", KC_DEVICE_CPU);
    capsule.limits.mask_polarity = polarity;
    kc_handler_t handler =
        handler_for(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "acme", succeed);
    handler.vjp = vjp;
    bound_fixture_begin(&at.bound, &capsule, &handler);
}

static void vjp_begin(int32_t polarity, kc_handler_fn vjp)
{
    memset(&at, 0, sizeof at);
    bind_attention(polarity, vjp);
    at.context = (kci_call_context_t){.host = at.bound.host.host,
                                      .binding = &at.bound.binding,
                                      .numerics = KC_NUMERICS_DETERMINISTIC};
    at.attributes = operand_attributes(KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    operand_init(&at.operands[0], KC_DTYPE_F32, 2, DIMS(2, 4));
    operand_init(&at.operands[1], KC_DTYPE_F32, 2, DIMS(3, 4));
    operand_init(&at.operands[2], KC_DTYPE_F32, 2, DIMS(3, 5));
    operand_init(&at.operands[3], KC_DTYPE_BOOL, 2, DIMS(2, 3));
    operand_init(&at.output, KC_DTYPE_F32, 2, DIMS(2, 5));
    operand_init(&at.cotangent, KC_DTYPE_F32, 2, DIMS(2, 5));
    operand_init(&at.results[0], KC_DTYPE_F32, 2, DIMS(2, 4));
    operand_init(&at.results[2], KC_DTYPE_F32, 2, DIMS(3, 5));
    memcpy(at.operands[3].bytes, "\1\0\1\1\0\0", 6);
    for (int i = 0; i < INPUT_COUNT; i++) {
        at.inputs[i] = &at.operands[i].view;
    }
    at.cotangents_in[0] = &at.results[0].view;
    at.cotangents_in[2] = &at.results[2].view;
    at.call = (kci_vjp_call_t){.run = vjp,
                               .attributes = &at.attributes,
                               .inputs = at.inputs,
                               .input_count = INPUT_COUNT,
                               .cotangent = &at.cotangent.view,
                               .cotangents_in = at.cotangents_in};
    at.error = (kc_error_t)KC_ERROR_INIT;
}

static kc_status_t call_vjp(void)
{
    return kci_call_vjp(&at.context, &at.call, &at.error);
}

static uint64_t allocations(void)
{
    return atomic_load(&at.bound.host.allocator.allocation_count);
}

static kc_status_t look(const kc_call_t *call)
{
    ck_assert_uint_eq(call->struct_size, sizeof(kc_call_t));
    ck_assert_int_eq(call->op, KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    ck_assert_uint_eq(call->numerics, KC_NUMERICS_DETERMINISTIC);
    ck_assert_uint_eq(call->input_count, INPUT_COUNT);
    ck_assert_uint_eq(call->output_count, 1);
    ck_assert_ptr_eq(call->attributes, &at.attributes);
    ck_assert_ptr_eq(call->host, &at.bound.host.host->interface);
    ck_assert_ptr_null(call->stream);
    ck_assert_ptr_null(call->workspace);
    ck_assert_uint_eq(call->workspace_size, 0);
    ck_assert_uint_eq(call->error->struct_size, sizeof(kc_error_t));
    ck_assert_str_eq(call->error->message, "");
    for (int i = 0; i < INPUT_COUNT; i++) {
        ck_assert_ptr_eq(call->inputs[i], at.inputs[i]);
        ck_assert_ptr_eq(call->cotangents_in[i], at.cotangents_in[i]);
    }
    ck_assert_ptr_eq(call->outputs[0], at.call.output);
    ck_assert_ptr_eq(call->cotangents_out[0], &at.cotangent.view);
    ((float *)kc_tensor_data(call->cotangents_in[2]))[14] = 7;
    at.calls++;
    return KC_OK;
}

START_TEST(what_a_rule_gets)
{
    vjp_begin(KC_MASK_TRUE_MAY_ATTEND, look);
    EXPECT_OK(at.error, call_vjp());
    at.call.output = &at.output.view;
    at.inputs[1] = NULL;
    EXPECT_OK(at.error, call_vjp());
    ck_assert_int_eq(at.calls, 2);
    ck_assert_uint_eq(allocations(), 0);
    ck_assert_float_eq(operand_f32(&at.results[2])[14], 7);
    bound_fixture_end(&at.bound);
}
END_TEST

static kc_status_t look_at_mask(const kc_call_t *call)
{
    ck_assert_ptr_eq(call->inputs[0], at.inputs[0]);
    memcpy(at.mask_seen, kc_tensor_data(call->inputs[3]), 6);
    return KC_OK;
}

static kc_status_t look_at_mask_too(const kc_call_t *call)
{
    return look_at_mask(call);
}

START_TEST(masks_are_as_the_capsule_reads_them)
{
    vjp_begin(KC_MASK_TRUE_IS_BLOCKED, look_at_mask);
    EXPECT_OK(at.error, call_vjp());
    ck_assert_mem_eq(at.mask_seen, "\0\1\0\0\1\1", 6);
    ck_assert_mem_eq(at.operands[3].bytes, "\1\0\1\1\0\0", 6);
    ck_assert_uint_eq(allocations(), 1);
    /* A rule of the runtime does not share the capsule's view of masks. */
    at.call.run = look_at_mask_too;
    EXPECT_OK(at.error, call_vjp());
    ck_assert_mem_eq(at.mask_seen, "\1\0\1\1\0\0", 6);
    ck_assert_uint_eq(allocations(), 1);
    at.inputs[3] = NULL;
    at.call.run = look;
    EXPECT_OK(at.error, call_vjp());
    bound_fixture_end(&at.bound);
}
END_TEST

START_TEST(bools_are_canonical)
{
    vjp_begin(KC_MASK_TRUE_MAY_ATTEND, look_at_mask);
    at.operands[3].bytes[2] = 255;
    EXPECT_OK(at.error, call_vjp());
    ck_assert_mem_eq(at.mask_seen, "\1\0\1\1\0\0", 6);
    ck_assert_int_eq(at.operands[3].bytes[2], 255);
    bound_fixture_end(&at.bound);
}
END_TEST

static kc_status_t fail_with_a_line(const kc_call_t *call)
{
    return kc_call_fail(call, KC_ERR_ARGUMENT, "no way\nback");
}

static kc_status_t fail_silently(const kc_call_t *call)
{
    (void)call;
    return 4711;
}

START_TEST(failures_name_capsule_and_part)
{
    vjp_begin(KC_MASK_TRUE_IS_BLOCKED, fail_with_a_line);
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL,
                   "acme.attention backward: no way?back", call_vjp());
    at.call.run = fail_silently;
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL,
                   "acme.attention backward: the handler failed with status "
                   "4711",
                   call_vjp());
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
    vjp_begin(KC_MASK_TRUE_MAY_ATTEND, change_rounding);
    for (int round = 0; round < 3; round++) {
        EXPECT_OK(at.error, call_vjp());
        ck_assert_int_eq(fegetround(), FE_TONEAREST);
    }
    ck_assert_int_eq(at.bound.host.log_count, 1);
    ck_assert_ptr_nonnull(strstr(at.bound.host.log_line,
                                 "capsule acme.attention of module fixture"));
    bound_fixture_end(&at.bound);
}
END_TEST

static kc_status_t want_1000_bytes(const kc_call_t *call, size_t *out_size)
{
    for (int i = 0; i < INPUT_COUNT; i++) {
        ck_assert(i == 1 || call->inputs[i]->data == NULL);
    }
    ck_assert_ptr_null(call->inputs[1]);
    ck_assert_int_eq(call->inputs[2]->shape[1], 5);
    ck_assert_ptr_null(call->outputs[0]->data);
    ck_assert_ptr_null(call->cotangents_out[0]->data);
    ck_assert_ptr_null(call->cotangents_in[0]->data);
    ck_assert_ptr_null(call->cotangents_in[1]);
    ck_assert_int_eq(call->cotangents_in[2]->shape[0], 3);
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
    _Alignas(64) static unsigned char block[1000];
    size_t size = 7;
    vjp_begin(KC_MASK_TRUE_MAY_ATTEND, use_workspace);
    EXPECT_OK(at.error,
              kci_call_vjp_workspace(&at.context, &at.call, &size, &at.error));
    ck_assert_uint_eq(size, 0);
    at.call.workspace = want_1000_bytes;
    at.call.output = &at.output.view;
    at.inputs[1] = NULL;
    EXPECT_OK(at.error,
              kci_call_vjp_workspace(&at.context, &at.call, &size, &at.error));
    ck_assert_uint_eq(size, 1000);
    EXPECT_OK(at.error, call_vjp());
    ck_assert_uint_eq(allocations(), 1);
    at.context.workspace = block;
    at.context.workspace_size = sizeof block;
    EXPECT_OK(at.error, call_vjp());
    ck_assert_int_eq(block[999], 1);
    ck_assert_uint_eq(allocations(), 1);
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
    size_t size = 7;
    vjp_begin(KC_MASK_TRUE_MAY_ATTEND, succeed);
    at.call.workspace = refuse_workspace;
    EXPECT_FAILURE(
        at.error, KC_ERR_KERNEL, "acme.attention backward: too large for me",
        kci_call_vjp_workspace(&at.context, &at.call, &size, &at.error));
    ck_assert_uint_eq(size, 7);
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL,
                   "acme.attention backward: too large for me", call_vjp());
    ck_assert_int_eq(at.calls, 0);
    bound_fixture_end(&at.bound);
}
END_TEST

Suite *suite_dispatch_call_vjp(void)
{
    Suite *suite = suite_create("dispatch/call_vjp");
    TCase *tcase = tcase_create("call_vjp");
    tcase_add_test(tcase, what_a_rule_gets);
    tcase_add_test(tcase, masks_are_as_the_capsule_reads_them);
    tcase_add_test(tcase, bools_are_canonical);
    tcase_add_test(tcase, failures_name_capsule_and_part);
    tcase_add_test(tcase, control_words_are_restored_and_reported_once);
    tcase_add_test(tcase, workspaces);
    tcase_add_test(tcase, a_failing_workspace_is_the_kernels);
    suite_add_tcase(suite, tcase);
    return suite;
}
