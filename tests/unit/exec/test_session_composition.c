/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Compositions through a session: what comes back, whose it is, what is
 * recorded. */
#include <string.h>

#include "compose/composition.h"
#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

typedef struct composition_case {
    host_fixture_t host;
    kc_profile_t *profile;
    kc_session_t *session;
    kci_composition_t composition;
    kci_term_t x;
    kc_tensor_t *tensor;
    const DLTensor *arguments[1];
    kc_error_t error;
} composition_case_t;

static const kci_tensor_type_t vector_type = {
    .dtype = KC_DTYPE_F32, .shape = {.rank = 1, .dims = {VECTOR}}};

/* x = i - 8. */
static void composition_begin(composition_case_t *at)
{
    host_fixture_begin(&at->host, 1);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = acme_profile(NULL);
    EXPECT_OK(at->error, kci_session_create(at->host.host, at->profile, true,
                                            &at->session, &at->error));
    kci_composition_init(&at->composition);
    at->x = kci_compose_argument(&at->composition, &vector_type);
    at->tensor = vector_tensor(&at->host.allocator, 1, -8);
    at->arguments[0] = &at->tensor->view;
}

static void composition_end(composition_case_t *at)
{
    kci_tensor_release(at->tensor);
    kci_composition_release(&at->composition);
    kci_session_destroy(at->session);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

static kc_status_t run(composition_case_t *at, const kci_term_t *terms,
                       size_t count, kc_tensor_t **tensors)
{
    return kci_session_run_composition(
        at->session, &at->composition, at->arguments, KCI_CALL_INNER_VJP,
        &at->profile->entries[0], terms, count, tensors, &at->error);
}

START_TEST(every_term_is_a_tensor_of_the_caller)
{
    composition_case_t at;
    kc_tensor_t *tensors[6] = {NULL};
    float numbers[VECTOR];
    composition_begin(&at);
    for (int i = 0; i < VECTOR; i++) {
        numbers[i] = 100;
    }
    kci_composition_t *composition = &at.composition;
    kci_term_t literal =
        kci_compose_literal(composition, &vector_type, numbers);
    kci_term_t relu = kci_compose_unary(composition, KC_OP_RELU, at.x);
    kci_term_t sum = kci_compose_binary(composition, KC_OP_ADD, relu, literal);
    (void)kci_compose_unary(composition, KC_OP_RELU, sum); /* for nobody */
    const kci_term_t terms[] = {at.x, literal, KCI_NO_TERM, relu, sum, sum};
    EXPECT_OK(at.error, run(&at, terms, 6, tensors));
    ck_assert_ptr_null(tensors[2]);
    for (int i = 0; i < VECTOR; i++) {
        float x = (float)(i - 8);
        ck_assert_float_eq(tensor_f32(tensors[0])[i], x);
        ck_assert_float_eq(tensor_f32(tensors[1])[i], 100);
        ck_assert_float_eq(tensor_f32(tensors[3])[i], x > 0 ? x : 0);
        ck_assert_float_eq(tensor_f32(tensors[4])[i], 100 + (x > 0 ? x : 0));
        ck_assert_float_eq(tensor_f32(tensors[5])[i],
                           tensor_f32(tensors[4])[i]);
    }
    /* Memory of their own, each. */
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i && tensors[i] != NULL; k++) {
            ck_assert(tensors[k] == NULL ||
                      tensor_f32(tensors[k]) != tensor_f32(tensors[i]));
        }
        ck_assert(tensors[i] == NULL ||
                  tensor_f32(tensors[i]) != tensor_f32(at.tensor));
    }
    for (int i = 0; i < 6; i++) {
        kci_tensor_release(tensors[i]);
    }
    composition_end(&at);
}
END_TEST

START_TEST(calls_are_recorded_for_whom_they_serve)
{
    composition_case_t at;
    kc_tensor_t *tensor = NULL;
    composition_begin(&at);
    kci_term_t sum = kci_compose_binary(&at.composition, KC_OP_ADD, at.x, at.x);
    for (int round = 0; round < 2; round++) {
        EXPECT_OK(at.error, run(&at, &sum, 1, &tensor));
        kci_tensor_release(tensor);
    }
    EXPECT_OK(at.error, kci_session_run_composition(
                            at.session, &at.composition, at.arguments,
                            KCI_CALL_SUM, NULL, &sum, 1, &tensor, &at.error));
    kci_tensor_release(tensor);
    const DLTensor *inputs[] = {at.arguments[0], at.arguments[0]};
    EXPECT_OK(at.error, kci_session_apply(at.session, KC_OP_ADD, NULL, inputs,
                                          2, &tensor, &at.error));
    kci_tensor_release(tensor);
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_uint_eq(record->entry_count, 3);
    ck_assert_int_eq(record->entries[0].role, KCI_CALL_INNER_VJP);
    ck_assert_ptr_eq(record->entries[0].served, &at.profile->entries[0]);
    ck_assert_uint_eq(record->entries[0].call_count, 2);
    ck_assert_int_eq(record->entries[1].role, KCI_CALL_SUM);
    ck_assert_ptr_null(record->entries[1].served);
    ck_assert_int_eq(record->entries[2].role, KCI_CALL_FORWARD);
    ck_assert_str_eq(record->entries[2].entry->capsule->name, "acme.add");
    composition_end(&at);
}
END_TEST

/* Under the inner policy a capsule without any gradient serves. */
START_TEST(inner_operations_need_no_gradient)
{
    composition_case_t at;
    kc_tensor_t *tensor = NULL;
    composition_begin(&at);
    kci_session_destroy(at.session);
    kci_profile_release(at.profile);
    kc_capsule_record_t capsules[] = {
        fixture_capsule("acme.exp", KC_OP_EXP, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU)};
    fixture_set_vjp(&capsules[1], KC_VJP_NONE);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    at.profile = fixture_profile_of(&policy, capsules, 2);
    EXPECT_OK(at.error, kci_session_create(at.host.host, at.profile, true,
                                           &at.session, &at.error));
    ck_assert_int_eq(kci_session_policy(at.session)->vjp_mode,
                     KC_VJP_TORCHLEAN_TAPE);
    ck_assert_ptr_eq(kci_session_host(at.session), at.host.host);
    EXPECT_FAILURE(at.error, KC_ERR_NO_CAPSULE,
                   "no admissible kernel capsule for op relu",
                   kci_session_apply(at.session, KC_OP_RELU, NULL, at.arguments,
                                     1, &tensor, &at.error));
    kci_term_t relu = kci_compose_unary(&at.composition, KC_OP_RELU, at.x);
    /* Chosen; that it has no code is told by binding. */
    EXPECT_FAILURE(at.error, KC_ERR_BINDING, "capsule acme.relu",
                   run(&at, &relu, 1, &tensor));
    ck_assert_ptr_null(tensor);
    composition_end(&at);
}
END_TEST

START_TEST(failures_leave_nothing_behind)
{
    composition_case_t at;
    kc_tensor_t *tensors[2] = {NULL};
    composition_begin(&at);
    kci_term_t relu = kci_compose_unary(&at.composition, KC_OP_RELU, at.x);
    const kci_term_t terms[] = {
        relu, kci_compose_unary(&at.composition, KC_OP_RELU, relu)};
    acme_log.fail_at = 2;
    EXPECT_FAILURE(at.error, KC_ERR_KERNEL, "acme.relu: asked to fail",
                   run(&at, terms, 2, tensors));
    ck_assert_ptr_null(tensors[0]);
    /* No capsule for it; then a composition that was never built. */
    kci_term_t product =
        kci_compose_binary(&at.composition, KC_OP_MUL, relu, relu);
    EXPECT_FAILURE(at.error, KC_ERR_NO_CAPSULE,
                   "no admissible kernel capsule for op mul on device cpu",
                   run(&at, &product, 1, tensors));
    (void)kci_compose_binary(&at.composition, KC_OP_MATMUL, relu, relu);
    EXPECT_FAILURE(at.error, KC_ERR_GRAPH, "matmul",
                   run(&at, terms, 2, tensors));
    ck_assert_ptr_null(tensors[0]);
    composition_end(&at);
}
END_TEST

Suite *suite_exec_session_composition(void)
{
    Suite *suite = suite_create("exec/session_composition");
    TCase *tcase = tcase_create("session_composition");
    tcase_add_test(tcase, every_term_is_a_tensor_of_the_caller);
    tcase_add_test(tcase, calls_are_recorded_for_whom_they_serve);
    tcase_add_test(tcase, inner_operations_need_no_gradient);
    tcase_add_test(tcase, failures_leave_nothing_behind);
    suite_add_tcase(suite, tcase);
    return suite;
}
