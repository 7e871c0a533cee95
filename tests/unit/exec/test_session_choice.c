/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Which capsule serves which operands, and that nothing falls back after it
 * was selected. */
#include "exec/session_state.h"

#include <string.h>

#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

static kc_status_t fill_one(const kc_call_t *call)
{
    *(unsigned char *)kc_tensor_data(call->outputs[0]) = 1;
    return KC_OK;
}

/* relu as acme.small (up to 4), acme.double (f64), acme.large. */
static kc_profile_t *limited_profile(void)
{
    kc_capsule_record_t capsules[] = {
        fixture_capsule("acme.small", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.double", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.large", KC_OP_RELU, "acme", KC_DEVICE_CPU)};
    kc_handler_t handler = handler_for(KC_OP_RELU, "acme", fill_one);
    capsules[0].limits.extent_max = 4;
    capsules[1].limits.dtypes = 1u << KC_DTYPE_F64;
    capsules[2].limits.index_bits = 32;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_capsule_module_t *module =
        handler_module("acme", capsules, 3, &handler, 1);
    return fixture_profile(&policy, &module, 1);
}

typedef struct choice_case {
    host_fixture_t host;
    kc_profile_t *profile;
    kc_session_t *session;
    kc_error_t error;
} choice_case_t;

static void choice_begin(choice_case_t *at, kc_profile_t *profile)
{
    host_fixture_begin(&at->host, 1);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = profile;
    EXPECT_OK(at->error, kci_session_create(at->host.host, profile, false,
                                            &at->session, &at->error));
}

static void choice_end(choice_case_t *at)
{
    kci_session_destroy(at->session);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

/* relu of `count` elements. */
static kc_status_t run_relu(choice_case_t *at, int32_t dtype, int64_t count)
{
    operand_t x;
    operand_t y;
    operand_init(&x, dtype, 1, DIMS(count));
    operand_init(&y, dtype, 1, DIMS(count));
    const DLTensor *inputs[] = {&x.view};
    return kci_session_run(at->session, KC_OP_RELU, NULL, inputs, 1, &y.view,
                           &at->error);
}

START_TEST(operands_decide_within_the_limits)
{
    choice_case_t at;
    choice_begin(&at, limited_profile());
    for (int round = 0; round < 3; round++) {
        EXPECT_OK(at.error, run_relu(&at, KC_DTYPE_F32, 4));
        EXPECT_OK(at.error, run_relu(&at, KC_DTYPE_F32, 8));
        EXPECT_OK(at.error, run_relu(&at, KC_DTYPE_F32, 9));
        EXPECT_OK(at.error, run_relu(&at, KC_DTYPE_F64, 2));
        EXPECT_OK(at.error, run_relu(&at, KC_DTYPE_F64, 200));
    }
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_uint_eq(record->entry_count, 3);
    ck_assert_str_eq(record->entries[0].entry->capsule->name, "acme.small");
    ck_assert_str_eq(record->entries[1].entry->capsule->name, "acme.large");
    ck_assert_str_eq(record->entries[2].entry->capsule->name, "acme.double");
    ck_assert_uint_eq(record->entries[0].call_count, 3);
    ck_assert_uint_eq(record->entries[1].call_count, 6);
    ck_assert_uint_eq(record->entries[2].call_count, 6);
    choice_end(&at);
}
END_TEST

START_TEST(the_first_use_may_break_the_limits)
{
    choice_case_t at;
    choice_begin(&at, limited_profile());
    EXPECT_OK(at.error, run_relu(&at, KC_DTYPE_F64, 2));
    EXPECT_OK(at.error, run_relu(&at, KC_DTYPE_F32, 2));
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_uint_eq(record->entry_count, 2);
    ck_assert_str_eq(record->entries[0].entry->capsule->name, "acme.double");
    ck_assert_str_eq(record->entries[1].entry->capsule->name, "acme.small");
    choice_end(&at);
}
END_TEST

/* 65536 x 65537 elements, by strides of 0: no kernel is reached. */
START_TEST(nobody_takes_them)
{
    operand_t x;
    operand_t y;
    choice_case_t at;
    choice_begin(&at, limited_profile());
    EXPECT_OK(at.error, run_relu(&at, KC_DTYPE_F32, 2));
    operand_init(&x, KC_DTYPE_F32, 2, DIMS(1, 1));
    operand_init(&y, KC_DTYPE_F32, 2, DIMS(1, 1));
    x.shape[0] = y.shape[0] = 65536;
    x.shape[1] = y.shape[1] = 65537;
    const DLTensor *inputs[] = {&x.view};
    EXPECT_FAILURE(at.error, KC_ERR_NO_CAPSULE,
                   "no admissible kernel capsule for op relu on device cpu",
                   kci_session_run(at.session, KC_OP_RELU, NULL, inputs, 1,
                                   &y.view, &at.error));
    EXPECT_FAILURE(at.error, KC_ERR_NO_CAPSULE,
                   "no admissible kernel capsule for op matmul on device cpu",
                   kci_session_run(at.session, KC_OP_MATMUL, NULL, inputs, 1,
                                   &y.view, &at.error));
    EXPECT_OK(at.error, run_relu(&at, KC_DTYPE_F32, 2));
    choice_end(&at);
}
END_TEST

START_TEST(nothing_falls_back_after_selection)
{
    choice_case_t at;
    kc_capsule_record_t first =
        fixture_capsule("memory.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_capsule_record_t second =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_handler_t handler = handler_for(KC_OP_RELU, "acme", fill_one);
    kc_capsule_module_t *modules[] = {
        fixture_module("memory", &first, 1),
        handler_module("acme", &second, 1, &handler, 1)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    choice_begin(&at, fixture_profile(&policy, modules, 2));
    for (int round = 0; round < 2; round++) {
        EXPECT_FAILURE(at.error, KC_ERR_BINDING, "capsule memory.relu",
                       run_relu(&at, KC_DTYPE_F32, 2));
    }
    ck_assert_uint_eq(kci_session_record(at.session)->entry_count, 0);
    choice_end(&at);
}
END_TEST

START_TEST(the_gate_is_the_only_door)
{
    choice_case_t at;
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_handler_t handler = handler_for(KC_OP_RELU, "acme", fill_one);
    fixture_trust_value(&capsule);
    kc_capsule_module_t *module =
        handler_module("acme", &capsule, 1, &handler, 1);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    choice_begin(&at, fixture_profile(&policy, &module, 1));
    EXPECT_FAILURE(at.error, KC_ERR_REJECTED, "acme.relu",
                   run_relu(&at, KC_DTYPE_F32, 2));
    choice_end(&at);
}
END_TEST

START_TEST(nonsense_reaches_the_guards)
{
    operand_t x;
    operand_t y;
    choice_case_t at;
    choice_begin(&at, limited_profile());
    for (int round = 0; round < 2; round++) {
        operand_init(&x, KC_DTYPE_F32, 1, DIMS(2));
        operand_init(&y, KC_DTYPE_F32, 1, DIMS(2));
        const DLTensor *inputs[] = {&x.view};
        x.view.ndim = 4000;
        EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.shape: relu x",
                       kci_session_run(at.session, KC_OP_RELU, NULL, inputs, 1,
                                       &y.view, &at.error));
        x.view.ndim = 1;
        x.view.dtype.bits = 8;
        EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.dtype: relu x",
                       kci_session_run(at.session, KC_OP_RELU, NULL, inputs, 1,
                                       &y.view, &at.error));
        EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.shape",
                       kci_session_run(at.session, KC_OP_RELU, NULL, NULL, 0,
                                       NULL, &at.error));
        EXPECT_OK(at.error, run_relu(&at, KC_DTYPE_F32, 2));
    }
    choice_end(&at);
}
END_TEST

Suite *suite_exec_session_choice(void)
{
    Suite *suite = suite_create("exec/session_choice");
    TCase *tcase = tcase_create("session_choice");
    tcase_add_test(tcase, operands_decide_within_the_limits);
    tcase_add_test(tcase, the_first_use_may_break_the_limits);
    tcase_add_test(tcase, nobody_takes_them);
    tcase_add_test(tcase, nothing_falls_back_after_selection);
    tcase_add_test(tcase, the_gate_is_the_only_door);
    tcase_add_test(tcase, nonsense_reaches_the_guards);
    suite_add_tcase(suite, tcase);
    return suite;
}
