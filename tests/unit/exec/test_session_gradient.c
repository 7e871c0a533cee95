/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What a tape asks of a session: which capsule served, its rule, the
 * record. */
#include <string.h>

#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

typedef struct tape_case {
    host_fixture_t host;
    kc_profile_t *profile;
    kc_session_t *session;
    operand_t x;
    operand_t g;
    operand_t gx;
    const DLTensor *inputs[1];
    kc_error_t error;
} tape_case_t;

static void tape_begin(tape_case_t *at)
{
    host_fixture_begin(&at->host, 1);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = acme_profile(NULL);
    EXPECT_OK(at->error, kci_session_create(at->host.host, at->profile, true,
                                            &at->session, &at->error));
    operand_floats(&at->x, 1, DIMS(2), FLOATS(-1, 3));
    operand_floats(&at->g, 1, DIMS(2), FLOATS(5, 7));
    operand_init(&at->gx, KC_DTYPE_F32, 1, DIMS(2));
    at->inputs[0] = &at->x.view;
}

static void tape_end(tape_case_t *at)
{
    kci_session_destroy(at->session);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

static kc_status_t relu_rule(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    const float *g = kc_tensor_data(call->cotangents_out[0]);
    float *gx = kc_tensor_data(call->cotangents_in[0]);
    for (int64_t i = 0; i < call->inputs[0]->shape[0]; i++) {
        gx[i] = x[i] > 0 ? g[i] : 0;
    }
    return g[0] < 0 ? kc_call_fail(call, KC_ERR_KERNEL, "negative") : KC_OK;
}

static kc_status_t apply_relu(tape_case_t *at, kc_attributes_t *attributes,
                              const kci_binding_t **out_binding,
                              kc_tensor_t **out_tensor)
{
    return kci_session_apply_bound(at->session, KC_OP_RELU, NULL, at->inputs, 1,
                                   attributes, out_binding, out_tensor,
                                   &at->error);
}

static kc_status_t call_rule(tape_case_t *at, const kci_binding_t *binding,
                             const kc_attributes_t *attributes)
{
    const DLTensor *inputs[KC_MAX_INPUTS] = {&at->x.view};
    DLTensor *cotangents[KC_MAX_INPUTS] = {&at->gx.view};
    kci_vjp_call_t call = {.run = relu_rule,
                           .attributes = attributes,
                           .inputs = inputs,
                           .input_count = 1,
                           .cotangent = &at->g.view,
                           .cotangents_in = cotangents};
    return kci_session_call_vjp(at->session, binding, &call, &at->error);
}

START_TEST(a_rule_is_called_for_the_capsule_that_served)
{
    tape_case_t at;
    kc_attributes_t attributes;
    const kci_binding_t *binding = NULL;
    kc_tensor_t *y = NULL;
    tape_begin(&at);
    EXPECT_OK(at.error, apply_relu(&at, &attributes, &binding, &y));
    ck_assert_float_eq(tensor_f32(y)[1], 3);
    ck_assert_str_eq(binding->entry->capsule->name, "acme.relu");
    ck_assert_int_eq(attributes.op, KC_OP_RELU);
    EXPECT_OK(at.error, call_rule(&at, binding, &attributes));
    ck_assert_float_eq(operand_f32(&at.gx)[0], 0);
    ck_assert_float_eq(operand_f32(&at.gx)[1], 7);
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_int_eq(record->policy.vjp_mode, KC_VJP_TORCHLEAN_TAPE);
    ck_assert_uint_eq(record->entry_count, 2);
    ck_assert_int_eq(record->entries[1].role, KCI_CALL_VJP);
    ck_assert_ptr_eq(record->entries[1].entry, binding->entry);
    ck_assert_uint_eq(record->entries[1].call_count, 1);
    kci_tensor_release(y);
    tape_end(&at);
}
END_TEST

/* What was entered is counted, as for every handler. */
START_TEST(a_failing_rule_is_counted)
{
    tape_case_t at;
    kc_attributes_t attributes;
    const kci_binding_t *binding = NULL;
    kc_tensor_t *y = NULL;
    tape_begin(&at);
    EXPECT_OK(at.error, apply_relu(&at, &attributes, &binding, &y));
    operand_f32(&at.g)[0] = -1;
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL, "acme.relu backward: negative",
                   call_rule(&at, binding, &attributes));
    ck_assert_uint_eq(kci_session_record(at.session)->entries[1].call_count, 1);
    kci_tensor_release(y);
    tape_end(&at);
}
END_TEST

START_TEST(composed_rules_are_noted)
{
    tape_case_t at;
    kc_attributes_t attributes;
    const kci_binding_t *binding = NULL;
    kc_tensor_t *y = NULL;
    tape_begin(&at);
    EXPECT_OK(at.error, apply_relu(&at, &attributes, &binding, &y));
    EXPECT_OK(at.error, kci_session_note_rule(at.session, binding, &at.error));
    EXPECT_OK(at.error, kci_session_note_rule(at.session, binding, &at.error));
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_uint_eq(record->entry_count, 2);
    ck_assert_int_eq(record->entries[1].role, KCI_CALL_VJP);
    ck_assert_uint_eq(record->entries[1].call_count, 2);
    ck_assert_uint_eq(record->entries[0].call_count, 1);
    kci_tensor_release(y);
    tape_end(&at);
}
END_TEST

START_TEST(a_failure_gives_nothing)
{
    tape_case_t at;
    kc_attributes_t attributes = {0};
    const kci_binding_t *binding = NULL;
    kc_tensor_t *y = NULL;
    tape_begin(&at);
    acme_log.fail_at = 1;
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL, "asked to fail",
                   apply_relu(&at, &attributes, &binding, &y));
    ck_assert_ptr_null(binding);
    ck_assert_ptr_null(y);
    ck_assert_uint_eq(attributes.struct_size, 0);
    tape_end(&at);
}
END_TEST

/* The mode of the profile is in force, or none. */
START_TEST(modes_in_force)
{
    host_fixture_t host;
    kc_error_t error = KC_ERROR_INIT;
    kc_session_t *session = NULL;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    host_fixture_begin(&host, 1);
    policy.vjp_mode = _i;
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    for (int with_gradients = 0; with_gradients < 2; with_gradients++) {
        EXPECT_OK(error,
                  kci_session_create(host.host, profile, with_gradients == 1,
                                     &session, &error));
        ck_assert_int_eq(kci_session_policy(session)->vjp_mode,
                         with_gradients == 1 ? _i : KC_VJP_NONE);
        ck_assert_int_eq(kci_session_record(session)->policy.vjp_mode,
                         kci_session_policy(session)->vjp_mode);
        kci_session_destroy(session);
    }
    kci_profile_release(profile);
    host_fixture_end(&host);
}
END_TEST

Suite *suite_exec_session_gradient(void)
{
    Suite *suite = suite_create("exec/session_gradient");
    TCase *tcase = tcase_create("session_gradient");
    tcase_add_test(tcase, a_rule_is_called_for_the_capsule_that_served);
    tcase_add_test(tcase, a_failing_rule_is_counted);
    tcase_add_test(tcase, composed_rules_are_noted);
    tcase_add_test(tcase, a_failure_gives_nothing);
    tcase_add_loop_test(tcase, modes_in_force, KC_VJP_NONE, KC_VJP_BACKEND + 1);
    suite_add_tcase(suite, tcase);
    return suite;
}
