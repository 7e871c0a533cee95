/* SPDX-License-Identifier: Apache-2.0
 *
 * The gate over inner operations: a capsule is no better than what its
 * composition and its rule are made of.
 */
#include "audit/accept.h"

#include <string.h>
#include <kcapsule/session.h>
#include "base/alloc.h"
#include "unit/audit/inner_fixture.h"
#include "unit/audit/suites.h"
#include "unit/contract_fixture.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

#define BOUNDARY "evidence rejected: value: trusted boundary: " FIXTURE_BOUNDARY

/* The catalogue with the value of sigmoid on a trusted boundary. */
static void on_a_boundary(kc_capsule_record_t *capsules)
{
    inner_fixture_capsules(capsules);
    fixture_trust_value(&capsules[INNER_SIGMOID]);
}

START_TEST(a_kernel_rests_on_what_its_rule_is_made_of)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsules[INNER_CAPSULES];
    on_a_boundary(capsules);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile =
        fixture_profile_of(&policy, capsules, INNER_CAPSULES);
    ck_assert_uint_eq(kci_plan_choose_direct(profile, KC_OP_SOFTPLUS, NULL),
                      INNER_SOFTPLUS);
    kc_accepted_kernel_t *kernel = NULL;
    kci_acceptance_failure_t *failures = NULL;
    size_t count = 0;
    EXPECT_FAILURE(error, KC_ERR_REJECTED, "",
                   kci_accept_kernel(profile, &policy, KC_OP_SOFTPLUS,
                                     INNER_SOFTPLUS, &kernel, &failures, &count,
                                     &error));
    ck_assert_str_eq(error.message,
                     "op softplus, capsule acme.softplus: inner operation "
                     "sigmoid, capsule acme.sigmoid: " BOUNDARY);
    ck_assert_ptr_null(kernel);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(failures[0].kind, KC_FAILURE_EVIDENCE);
    ck_assert_int_eq(failures[0].op, KC_OP_SOFTPLUS);
    ck_assert_str_eq(failures[0].capsule, "acme.softplus");
    ck_assert_int_eq(failures[0].obligation, KC_OBLIGATION_VALUE);
    kci_free(failures);
    policy.allow_trusted_external = 1;
    EXPECT_OK(error,
              kci_accept_kernel(profile, &policy, KC_OP_SOFTPLUS,
                                INNER_SOFTPLUS, &kernel, NULL, NULL, &error));
    kci_accepted_kernel_release(kernel);
    kci_profile_release(profile);
}
END_TEST

/* Nobody asks for a gradient: the same kernel, its rule is not used. */
START_TEST(without_gradients_the_rule_is_not_judged)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsules[INNER_CAPSULES];
    on_a_boundary(capsules);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.vjp_mode = KC_VJP_NONE;
    kc_profile_t *profile =
        fixture_profile_of(&policy, capsules, INNER_CAPSULES);
    kc_accepted_kernel_t *kernel = NULL;
    EXPECT_OK(error,
              kci_accept_kernel(profile, &policy, KC_OP_SOFTPLUS,
                                INNER_SOFTPLUS, &kernel, NULL, NULL, &error));
    kci_accepted_kernel_release(kernel);
    kci_profile_release(profile);
}
END_TEST

START_TEST(inner_operations_that_nobody_serves_are_failures)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsules[INNER_CAPSULES];
    inner_fixture_capsules(capsules);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile =
        fixture_profile_of(&policy, capsules, INNER_SIGMOID + 1);
    kc_accepted_kernel_t *kernel = NULL;
    kci_acceptance_failure_t *failures = NULL;
    size_t count = 0;
    EXPECT_FAILURE(error, KC_ERR_REJECTED,
                   "op softplus, capsule acme.softplus: inner operation mul: "
                   "no admissible capsule on device cpu",
                   kci_accept_kernel(profile, &policy, KC_OP_SOFTPLUS,
                                     INNER_SOFTPLUS, &kernel, &failures, &count,
                                     &error));
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(failures[0].kind, KC_FAILURE_VJP);
    ck_assert_int_eq(failures[0].obligation, -1);
    kci_free(failures);
    kci_profile_release(profile);
}
END_TEST

/* A composition fails with its forward, whether a gradient is wanted or not. */
START_TEST(a_composition_without_its_parts_has_no_forward)
{
    kc_error_t error = KC_ERROR_INIT;
    int32_t op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION;
    kc_capsule_record_t capsule =
        fixture_capsule("torchlean.x", op, "torchlean", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.vjp_mode = KC_VJP_NONE;
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kc_accepted_kernel_t *kernel = NULL;
    kci_acceptance_failure_t *failures = NULL;
    size_t count = 0;
    EXPECT_FAILURE(error, KC_ERR_REJECTED, "no admissible capsule",
                   kci_accept_kernel(profile, &policy, op, 0, &kernel,
                                     &failures, &count, &error));
    uint64_t parts = kci_inner_forward_ops(&capsule);
    for (size_t idx = 0; idx < count; idx++) {
        ck_assert_int_eq(failures[idx].kind, KC_FAILURE_NO_FORWARD);
        parts &= parts - 1;
    }
    ck_assert_uint_gt(count, 0);
    ck_assert_uint_eq(parts, 0);
    kci_free(failures);
    kci_profile_release(profile);
}
END_TEST

/* A graph in which the same capsules come again and again. */
static const int32_t ops[] = {KC_OP_SOFTPLUS, KC_OP_RELU, KC_OP_SOFTPLUS,
                              KC_OP_RELU, KC_OP_SOFTPLUS};
#define OPS (sizeof ops / sizeof *ops)

START_TEST(each_pair_of_capsules_is_asked_for_once)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsules[INNER_CAPSULES];
    on_a_boundary(capsules);
    inner_scene_t scene;
    inner_scene_begin(&scene, capsules, INNER_CAPSULES, ops, OPS);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_accepted_plan_t *accepted = NULL;
    kci_acceptance_failure_t *failures = NULL;
    size_t count = 0;
    EXPECT_FAILURE(error, KC_ERR_REJECTED, "inner operation sigmoid",
                   kci_accept_plan(scene.plan, &policy, &accepted, &failures,
                                   &count, &error));
    ck_assert_ptr_null(accepted);
    ck_assert_uint_eq(count, 1);
    kci_free(failures);
    /* The same inner operation of two capsules is two failures. */
    scene.plan->rows[2].entry = INNER_OTHER_SOFTPLUS;
    EXPECT_FAILURE(error, KC_ERR_REJECTED, "inner operation sigmoid",
                   kci_accept_plan(scene.plan, &policy, &accepted, &failures,
                                   &count, &error));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(failures[0].capsule, "acme.softplus");
    ck_assert_str_eq(failures[1].capsule, "other.softplus");
    kci_free(failures);
    inner_scene_end(&scene);
}
END_TEST

/* What the plan of gradients does not use is not judged; what it uses is,
 * the tape's sums too. */
START_TEST(of_a_plan_with_gradients_what_was_planned_is_judged)
{
    static const kci_sub_row_t planned[] = {
        {4, KC_OP_MUL, INNER_MUL, KC_CALL_INNER_VJP},
        {0, KC_OP_ADD, INNER_ADD, KC_CALL_SUM}};
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsules[INNER_CAPSULES];
    on_a_boundary(capsules);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    for (int is_sum_trusted = 0; is_sum_trusted < 2; is_sum_trusted++) {
        if (is_sum_trusted) {
            fixture_trust_value(&capsules[INNER_ADD]);
        }
        inner_scene_t scene;
        inner_scene_begin(&scene, capsules, INNER_CAPSULES, ops, OPS);
        inner_scene_set_sub_rows(&scene, planned, 2);
        kc_accepted_plan_t *accepted = NULL;
        kc_status_t status =
            kci_accept_plan(scene.plan, &policy, &accepted, NULL, NULL, &error);
        ck_assert_int_eq(status, is_sum_trusted ? KC_ERR_REJECTED : KC_OK);
        if (is_sum_trusted) {
            ck_assert_str_eq(error.message,
                             "op add, capsule acme.add: " BOUNDARY);
        }
        kci_accepted_plan_release(accepted);
        inner_scene_end(&scene);
    }
}
END_TEST

/* Accepted, and rejected for an inner operation. */
START_TEST(a_lack_of_memory_at_any_place)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsules[INNER_CAPSULES];
    on_a_boundary(capsules);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile =
        fixture_profile_of(&policy, capsules, INNER_CAPSULES);
    policy.allow_trusted_external = _i;
    kc_status_t wanted = _i == 1 ? KC_OK : KC_ERR_REJECTED;
    kc_accepted_kernel_t *kernel = NULL;
    kci_acceptance_failure_t *failures = NULL;
    size_t count = 0;
    kc_status_t status = KC_ERR_MEMORY;
    int granted = 0;
    for (; status != wanted; granted++) {
        failing_heap_break_after(granted);
        status =
            kci_accept_kernel(profile, &policy, KC_OP_SOFTPLUS, INNER_SOFTPLUS,
                              &kernel, &failures, &count, &error);
        failing_heap_mend();
        ck_assert(status == wanted || status == KC_ERR_MEMORY);
        ck_assert_int_eq(kernel != NULL, status == KC_OK);
        ck_assert_int_eq(failures != NULL, status == KC_ERR_REJECTED);
    }
    ck_assert_int_gt(granted, 2);
    kci_free(failures);
    kci_accepted_kernel_release(kernel);
    kci_profile_release(profile);
}
END_TEST

Suite *suite_audit_accept_inner(void)
{
    Suite *suite = suite_create("audit/accept_inner");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, a_kernel_rests_on_what_its_rule_is_made_of);
    tcase_add_test(tcase, without_gradients_the_rule_is_not_judged);
    tcase_add_test(tcase, inner_operations_that_nobody_serves_are_failures);
    tcase_add_test(tcase, a_composition_without_its_parts_has_no_forward);
    tcase_add_test(tcase, each_pair_of_capsules_is_asked_for_once);
    tcase_add_test(tcase, of_a_plan_with_gradients_what_was_planned_is_judged);
    tcase_add_loop_test(tcase, a_lack_of_memory_at_any_place, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
