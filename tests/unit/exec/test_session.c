/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The eager session over the built reference module and over mocks. */
#include "exec/session.h"

#include <string.h>

#include "unit/built_modules.h"
#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

typedef struct session_case {
    host_fixture_t host;
    kc_profile_t *profile;
    kc_session_t *session;
    kc_error_t error;
} session_case_t;

static void session_begin(session_case_t *at, kc_profile_t *profile)
{
    host_fixture_begin(&at->host, 2);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = profile;
    EXPECT_OK(at->error, kci_session_create(at->host.host, profile, false,
                                            &at->session, &at->error));
}

static void session_end(session_case_t *at)
{
    kci_session_destroy(at->session);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

START_TEST(creation_refuses)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kc_session_t *session = NULL;
    host_fixture_begin(&host, 1);
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_METAL);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    EXPECT_FAILURE(
        error, KC_ERR_NO_CAPSULE,
        "profile fixture has no capsule for its device metal",
        kci_session_create(host.host, profile, false, &session, &error));
    ck_assert_ptr_null(session);
    kci_profile_release(profile);
    kci_session_destroy(NULL);
    host_fixture_end(&host);
}
END_TEST

START_TEST(run_and_apply)
{
    operand_t a;
    operand_t b;
    operand_t y;
    session_case_t at;
    kc_tensor_t *tensor = NULL;
    session_begin(&at, built_checked_cpu());
    operand_floats(&a, 2, DIMS(2, 2), FLOATS(1, 2, 3, 4));
    operand_floats(&b, 2, DIMS(2, 2), FLOATS(1, 0, 0, 2));
    operand_init(&y, KC_DTYPE_F32, 2, DIMS(2, 2));
    const DLTensor *inputs[] = {&a.view, &b.view};
    EXPECT_OK(at.error, kci_session_run(at.session, KC_OP_MATMUL, NULL, inputs,
                                        2, &y.view, &at.error));
    ck_assert_float_eq(operand_f32(&y)[1], 4);
    ck_assert_float_eq(operand_f32(&y)[2], 3);
    kc_attributes_t attributes = operand_axis(KC_OP_REDUCE_SUM, 1);
    EXPECT_OK(at.error,
              kci_session_apply(at.session, KC_OP_REDUCE_SUM, &attributes,
                                inputs, 1, &tensor, &at.error));
    ck_assert_int_eq(tensor->view.ndim, 1);
    ck_assert_float_eq(tensor_f32(tensor)[1], 7);
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_int_eq(record->policy.vjp_mode, KC_VJP_NONE);
    ck_assert_uint_eq(record->thread_count, 2);
    ck_assert_uint_eq(record->entry_count, 2);
    ck_assert_str_eq(record->entries[0].entry->capsule->name,
                     "reference.matmul");
    ck_assert_uint_eq(record->entries[1].call_count, 1);
    ck_assert_uint_eq(record->entries[1].time_ns, 0);
    kci_tensor_release(tensor);
    session_end(&at);
}
END_TEST

START_TEST(bad_requests)
{
    operand_t x;
    operand_t y;
    session_case_t at;
    kc_tensor_t *tensor = NULL;
    session_begin(&at, built_checked_cpu());
    operand_init(&x, KC_DTYPE_F32, 2, DIMS(2, 2));
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(2));
    const DLTensor *inputs[] = {&x.view};
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "expected 0 to 46, found 47",
                   kci_session_run(at.session, KC_OP_COUNT, NULL, inputs, 1,
                                   &y.view, &at.error));
    EXPECT_FAILURE(
        at.error, KC_ERR_ARGUMENT, "found -1",
        kci_session_apply(at.session, -1, NULL, inputs, 1, &tensor, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "concat: expected at most 64 inputs, found 65",
                   kci_session_run(at.session, KC_OP_CONCAT, NULL, inputs, 65,
                                   &y.view, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT,
                   "reduce_sum: expected attributes, found none",
                   kci_session_run(at.session, KC_OP_REDUCE_SUM, NULL, inputs,
                                   1, &y.view, &at.error));
    kc_attributes_t attributes = operand_axis(KC_OP_REDUCE_SUM, 7);
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.shape: reduce_sum",
                   kci_session_run(at.session, KC_OP_REDUCE_SUM, &attributes,
                                   inputs, 1, &y.view, &at.error));
    attributes.struct_size = 2;
    EXPECT_FAILURE(at.error, KC_ERR_ARGUMENT, "a record without size",
                   kci_session_run(at.session, KC_OP_REDUCE_SUM, &attributes,
                                   inputs, 1, &y.view, &at.error));
    ck_assert_ptr_null(tensor);
    ck_assert_uint_eq(kci_session_record(at.session)->entry_count, 0);
    session_end(&at);
}
END_TEST

/* Its one attribute follows from the operands: none has to be given. */
START_TEST(attributes_that_the_rule_resolves)
{
    operand_t x;
    operand_t mask;
    session_case_t at;
    kc_tensor_t *tensor = NULL;
    session_begin(&at, built_checked_cpu());
    operand_floats(&x, 2, DIMS(1, 2), FLOATS(3, 9));
    operand_init(&mask, KC_DTYPE_BOOL, 2, DIMS(1, 2));
    mask.bytes[1] = 1;
    const DLTensor *inputs[] = {&x.view, &mask.view};
    EXPECT_OK(at.error, kci_session_apply(at.session, KC_OP_HARD_MASKED_SOFTMAX,
                                          NULL, inputs, 2, &tensor, &at.error));
    ck_assert_float_eq(tensor_f32(tensor)[0], 0);
    ck_assert_float_eq(tensor_f32(tensor)[1], 1);
    kci_tensor_release(tensor);
    session_end(&at);
}
END_TEST

/* F01: a query that may attend to nothing gets zeros, never NaN. */
START_TEST(a_blocked_row_is_zero)
{
    operand_t q;
    operand_t v;
    operand_t mask;
    session_case_t at;
    kc_tensor_t *tensor = NULL;
    session_begin(&at, built_checked_cpu());
    operand_floats(&q, 3, DIMS(1, 2, 1), FLOATS(1, 1));
    operand_floats(&v, 3, DIMS(1, 2, 1), FLOATS(3, 5));
    operand_init(&mask, KC_DTYPE_BOOL, 2, DIMS(2, 2));
    memcpy(mask.bytes, "\x01\x01\x00\x00", 4);
    const DLTensor *inputs[] = {&q.view, &q.view, &v.view, &mask.view};
    kc_attributes_t attributes =
        operand_attributes(KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    attributes.u.attention.scale = 1;
    EXPECT_OK(at.error,
              kci_session_apply(at.session, KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                                &attributes, inputs, 4, &tensor, &at.error));
    ck_assert_float_eq(tensor_f32(tensor)[0], 4);
    ck_assert_float_eq(tensor_f32(tensor)[1], 0);
    kci_tensor_release(tensor);
    /* F04: row 0 sees key 0 only; any byte but 0 is true. */
    operand_floats(&v, 3, DIMS(1, 2, 1), FLOATS(10, 20));
    memcpy(mask.bytes, "\x80\x00\x01\xff", 4);
    EXPECT_OK(at.error,
              kci_session_apply(at.session, KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                                &attributes, inputs, 4, &tensor, &at.error));
    ck_assert_float_eq(tensor_f32(tensor)[0], 10);
    ck_assert_float_eq(tensor_f32(tensor)[1], 15);
    kci_tensor_release(tensor);
    operand_init(&mask, KC_DTYPE_F32, 2, DIMS(2, 2));
    EXPECT_FAILURE(
        at.error, KC_ERR_TENSOR,
        "dispatch.dtype: scaled_dot_product_attention mask: expected bool, "
        "found f32",
        kci_session_apply(at.session, KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                          &attributes, inputs, 4, &tensor, &at.error));
    session_end(&at);
}
END_TEST

static kc_status_t gather_vector(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    const int64_t *indices = kc_tensor_data(call->inputs[1]);
    float *y = kc_tensor_data(call->outputs[0]);
    for (int64_t i = 0; i < call->outputs[0]->shape[0]; i++) {
        y[i] = x[indices[i]];
    }
    return KC_OK;
}

START_TEST(gather_refuses_before_it_writes)
{
    operand_t x;
    operand_t indices;
    operand_t y;
    session_case_t at;
    kc_capsule_record_t capsule =
        fixture_capsule("acme.gather", KC_OP_GATHER, "acme", KC_DEVICE_CPU);
    kc_handler_t handler = handler_for(KC_OP_GATHER, "acme", gather_vector);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_capsule_module_t *module =
        handler_module("acme", &capsule, 1, &handler, 1);
    session_begin(&at, fixture_profile(&policy, &module, 1));
    operand_floats(&x, 1, DIMS(3), FLOATS(1, 2, 3));
    operand_init(&indices, KC_DTYPE_I64, 1, DIMS(2));
    operand_floats(&y, 1, DIMS(2), FLOATS(-7, -7));
    const DLTensor *inputs[] = {&x.view, &indices.view};
    kc_attributes_t attributes = operand_axis(KC_OP_GATHER, 0);
    int64_t values[] = {2, 3};
    memcpy(indices.bytes, values, sizeof values);
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.index_range: gather",
                   kci_session_run(at.session, KC_OP_GATHER, &attributes,
                                   inputs, 2, &y.view, &at.error));
    ck_assert_float_eq(operand_f32(&y)[0], -7);
    values[1] = 0;
    memcpy(indices.bytes, values, sizeof values);
    EXPECT_OK(at.error, kci_session_run(at.session, KC_OP_GATHER, &attributes,
                                        inputs, 2, &y.view, &at.error));
    ck_assert_float_eq(operand_f32(&y)[0], 3);
    ck_assert_float_eq(operand_f32(&y)[1], 1);
    session_end(&at);
}
END_TEST

/* A module that brings a handler for matmul/reference/cpu lies in front. */
START_TEST(a_strangers_handler_never_runs)
{
    operand_t a;
    operand_t y;
    session_case_t at;
    built_mark_begin();
    session_begin(&at, built_profile_with("stranger_matmul", "zenith"));
    operand_floats(&a, 2, DIMS(1, 1), FLOATS(3));
    operand_init(&y, KC_DTYPE_F32, 2, DIMS(1, 1));
    const DLTensor *inputs[] = {&a.view, &a.view};
    EXPECT_OK(at.error, kci_session_run(at.session, KC_OP_MATMUL, NULL, inputs,
                                        2, &y.view, &at.error));
    ck_assert_float_eq(operand_f32(&y)[0], 9);
    ck_assert_str_eq(
        kci_session_record(at.session)->entries[0].entry->module->name,
        "reference");
    session_end(&at);
    ck_assert_str_eq(built_mark(), "");
}
END_TEST

START_TEST(code_of_a_module_runs_at_its_first_use)
{
    operand_t x;
    operand_t y;
    session_case_t at;
    built_mark_begin();
    session_begin(&at, built_profile_with("marker", "acme"));
    operand_floats(&x, 1, DIMS(2), FLOATS(-1, 1));
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(2));
    const DLTensor *inputs[] = {&x.view};
    EXPECT_OK(at.error, kci_session_run(at.session, KC_OP_EXP, NULL, inputs, 1,
                                        &y.view, &at.error));
    ck_assert_str_eq(built_mark(), "");
    EXPECT_OK(at.error, kci_session_run(at.session, KC_OP_RELU, NULL, inputs, 1,
                                        &y.view, &at.error));
    ck_assert_str_eq(built_mark(), "constructor\n");
    ck_assert_float_eq(operand_f32(&y)[1], 1);
    session_end(&at);
}
END_TEST

START_TEST(a_failing_kernel_leaves_the_session_usable)
{
    operand_t x;
    operand_t y;
    session_case_t at;
    session_begin(&at, built_profile_with("forward_fails", "acme"));
    operand_floats(&x, 1, DIMS(2), FLOATS(-1, 1));
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(2));
    const DLTensor *inputs[] = {&x.view};
    for (int round = 0; round < 3; round++) {
        EXPECT_FAILURE(at.error, KC_ERR_KERNEL, "forward_fails.relu: ",
                       kci_session_run(at.session, KC_OP_RELU, NULL, inputs, 1,
                                       &y.view, &at.error));
        EXPECT_OK(at.error, kci_session_run(at.session, KC_OP_ABS, NULL, inputs,
                                            1, &y.view, &at.error));
    }
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_uint_eq(record->entry_count, 2);
    ck_assert_uint_eq(record->entries[0].call_count, 3);
    session_end(&at);
}
END_TEST

START_TEST(time_is_kept_when_asked)
{
    operand_t x;
    operand_t y;
    session_case_t at;
    session_begin(&at, acme_profile(NULL));
    operand_init(&x, KC_DTYPE_F32, 1, DIMS(1000));
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(1000));
    const DLTensor *inputs[] = {&x.view};
    ck_assert(!kci_session_record(at.session)->has_time);
    kci_session_enable_time(at.session);
    EXPECT_OK(at.error, kci_session_run(at.session, KC_OP_RELU, NULL, inputs, 1,
                                        &y.view, &at.error));
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert(record->has_time);
    ck_assert_uint_gt(record->entries[0].time_ns, 0);
    session_end(&at);
}
END_TEST

START_TEST(random_uses_are_counted)
{
    session_case_t at;
    session_begin(&at, acme_profile(NULL));
    ck_assert_uint_eq(kci_session_next_random_counter(at.session), 0);
    ck_assert_uint_eq(kci_session_next_random_counter(at.session), 1);
    kci_session_return_random_counter(at.session);
    ck_assert_uint_eq(kci_session_next_random_counter(at.session), 1);
    session_end(&at);
}
END_TEST

START_TEST(lives_until_the_last_one_lets_go)
{
    session_case_t at;
    session_begin(&at, acme_profile(NULL));
    ck_assert_ptr_eq(kci_session_retain(at.session), at.session);
    kci_session_destroy(at.session);
    ck_assert_uint_eq(kci_session_next_random_counter(at.session), 0);
    session_end(&at);
}
END_TEST

Suite *suite_exec_session(void)
{
    Suite *suite = suite_create("exec/session");
    TCase *tcase = tcase_create("session");
    tcase_add_test(tcase, creation_refuses);
    tcase_add_test(tcase, run_and_apply);
    tcase_add_test(tcase, bad_requests);
    tcase_add_test(tcase, attributes_that_the_rule_resolves);
    tcase_add_test(tcase, a_blocked_row_is_zero);
    tcase_add_test(tcase, gather_refuses_before_it_writes);
    tcase_add_test(tcase, a_strangers_handler_never_runs);
    tcase_add_test(tcase, code_of_a_module_runs_at_its_first_use);
    tcase_add_test(tcase, a_failing_kernel_leaves_the_session_usable);
    tcase_add_test(tcase, time_is_kept_when_asked);
    tcase_add_test(tcase, random_uses_are_counted);
    tcase_add_test(tcase, lives_until_the_last_one_lets_go);
    suite_add_tcase(suite, tcase);
    return suite;
}
