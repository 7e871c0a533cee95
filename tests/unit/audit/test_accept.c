/* SPDX-License-Identifier: Apache-2.0
 *
 * The gate: what comes out of it, and that nothing comes out otherwise.
 */
#include "audit/accept.h"

#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "unit/audit/suites.h"
#include "unit/contract_fixture.h"
#include "unit/demand_fixture.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

static kc_capsule_record_t capsule_on_boundary(void)
{
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    fixture_trust_value(&capsule);
    return capsule;
}

START_TEST(an_accepted_kernel_keeps_what_it_needs)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kc_accepted_kernel_t *kernel = NULL;
    EXPECT_OK(error, kci_accept_kernel(profile, &policy, KC_OP_RELU, 0, &kernel,
                                       NULL, NULL, &error));
    kci_profile_release(profile);
    ck_assert_int_eq(kernel->op, KC_OP_RELU);
    ck_assert_str_eq(kernel->profile->entries[kernel->entry].capsule->name,
                     "acme.relu");
    kci_accepted_kernel_release(kernel);
    kci_accepted_kernel_release(NULL);
}
END_TEST

/* A label says checked, the value rests on a boundary: planned, then refused
 * with exactly one failure; accepted where boundaries are. */
START_TEST(a_checked_label_over_a_trusted_boundary)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = capsule_on_boundary();
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    uint16_t entry = kci_plan_choose_direct(profile, KC_OP_RELU, NULL);
    ck_assert_uint_eq(entry, 0);
    kc_accepted_kernel_t *kernel = NULL;
    kci_acceptance_failure_t *failures = NULL;
    size_t count = 0;
    EXPECT_FAILURE(
        error, KC_ERR_REJECTED,
        "evidence rejected: value: trusted boundary: " FIXTURE_BOUNDARY,
        kci_accept_kernel(profile, &policy, KC_OP_RELU, entry, &kernel,
                          &failures, &count, &error));
    ck_assert_ptr_null(kernel);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(failures[0].kind, KC_FAILURE_EVIDENCE);
    kci_free(failures);
    policy.allow_trusted_external = 1;
    EXPECT_OK(error, kci_accept_kernel(profile, &policy, KC_OP_RELU, entry,
                                       &kernel, &failures, &count, &error));
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_null(failures);
    kci_accepted_kernel_release(kernel);
    kci_profile_release(profile);
}
END_TEST

START_TEST(the_list_may_be_left_out)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = capsule_on_boundary();
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kc_accepted_kernel_t *kernel = NULL;
    EXPECT_FAILURE(error, KC_ERR_REJECTED, "trusted boundary",
                   kci_accept_kernel(profile, &policy, KC_OP_RELU, 0, &kernel,
                                     NULL, NULL, &error));
    ck_assert_ptr_null(kernel);
    kci_profile_release(profile);
}
END_TEST

START_TEST(what_does_not_exist_is_an_argument_error)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsule = capsule_on_boundary();
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_profile_t *profile = fixture_profile_of(&policy, &capsule, 1);
    kc_accepted_kernel_t *kernel = NULL;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "capsule 1:",
                   kci_accept_kernel(profile, &policy, KC_OP_RELU, 1, &kernel,
                                     NULL, NULL, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "capsule 65535:",
                   kci_accept_kernel(profile, &policy, KC_OP_RELU, KCI_NO_ENTRY,
                                     &kernel, NULL, NULL, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "operation 47",
                   kci_accept_kernel(profile, &policy, KC_OP_COUNT, 0, &kernel,
                                     NULL, NULL, &error));
    policy.device = -1;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "policy",
                   kci_accept_kernel(profile, &policy, KC_OP_RELU, 0, &kernel,
                                     NULL, NULL, &error));
    kci_profile_release(profile);
}
END_TEST

typedef struct scene {
    kci_demand_t demands[6];
    kc_graph_t *graph;
    kc_profile_t *profile;
    kc_plan_t *plan;
} scene_t;

/* relu relu add relu, a const between; relu rests on a boundary. */
static void begin(scene_t *scene, int32_t last_op)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t records[] = {
        capsule_on_boundary(),
        fixture_capsule("acme.add", KC_OP_ADD, "acme", KC_DEVICE_CPU)};
    const int32_t ops[] = {-1, KC_OP_RELU, -1, KC_OP_RELU, KC_OP_ADD, last_op};
    for (size_t idx = 0; idx < 6; idx++) {
        scene->demands[idx] = fixture_demand(ops[idx]);
    }
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    scene->graph = fixture_graph(scene->demands, 6);
    scene->profile = fixture_profile_of(&policy, records, 2);
    EXPECT_OK(error, kci_plan_graph(scene->profile, scene->graph, &scene->plan,
                                    &error));
}

static void end(scene_t *scene)
{
    kci_plan_release(scene->plan);
    kci_profile_release(scene->profile);
    fixture_graph_release(scene->graph);
}

START_TEST(an_accepted_plan_derives_its_groups)
{
    kc_error_t error = KC_ERROR_INIT;
    scene_t scene;
    begin(&scene, KC_OP_RELU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.allow_trusted_external = 1;
    kc_accepted_plan_t *accepted = NULL;
    EXPECT_OK(error, kci_accept_plan(scene.plan, &policy, &accepted, NULL, NULL,
                                     &error));
    ck_assert_ptr_eq(accepted->plan, scene.plan);
    ck_assert_uint_eq(accepted->group_count, 3);
    ck_assert_uint_eq(accepted->groups[0].row_count, 2);
    ck_assert_int_eq(accepted->policy.allow_trusted_external, 1);
    kci_accepted_plan_release(kci_accepted_plan_retain(accepted));
    kci_accepted_plan_release(accepted);
    kci_accepted_plan_release(NULL);
    end(&scene);
}
END_TEST

START_TEST(failures_of_equal_groups_are_listed_once)
{
    kc_error_t error = KC_ERROR_INIT;
    scene_t scene;
    begin(&scene, KC_OP_RELU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_accepted_plan_t *accepted = NULL;
    kci_acceptance_failure_t *failures = NULL;
    size_t count = 0;
    EXPECT_FAILURE(error, KC_ERR_REJECTED, "acme.relu",
                   kci_accept_plan(scene.plan, &policy, &accepted, &failures,
                                   &count, &error));
    ck_assert_ptr_null(accepted);
    ck_assert_uint_eq(count, 1);
    kci_free(failures);
    policy.device = KC_DEVICE_CUDA;
    EXPECT_FAILURE(error, KC_ERR_REJECTED, "device mismatch",
                   kci_accept_plan(scene.plan, &policy, &accepted, &failures,
                                   &count, &error));
    ck_assert_uint_eq(count, 3);
    ck_assert_int_eq(failures[0].kind, KC_FAILURE_DEVICE);
    ck_assert_int_eq(failures[1].kind, KC_FAILURE_EVIDENCE);
    ck_assert_str_eq(failures[2].capsule, "acme.add");
    kci_free(failures);
    end(&scene);
}
END_TEST

START_TEST(a_plan_with_gaps_is_rejected_with_the_planners_line)
{
    kc_error_t error = KC_ERROR_INIT;
    scene_t scene;
    begin(&scene, KC_OP_CONV);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_accepted_plan_t *accepted = NULL;
    EXPECT_FAILURE(
        error, KC_ERR_REJECTED, "",
        kci_accept_plan(scene.plan, &policy, &accepted, NULL, NULL, &error));
    ck_assert_str_eq(error.message,
                     "no admissible kernel capsule for op conv on device cpu");
    ck_assert_ptr_null(accepted);
    end(&scene);
}
END_TEST

START_TEST(the_plan_of_a_list_is_not_for_execution)
{
    kc_error_t error = KC_ERROR_INIT;
    scene_t scene;
    begin(&scene, KC_OP_ADD);
    static const int32_t op = KC_OP_ADD;
    kc_plan_t *list = NULL;
    EXPECT_OK(error, kci_plan_ops(scene.profile, &op, 1, &list, &error));
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_accepted_plan_t *accepted = NULL;
    EXPECT_FAILURE(
        error, KC_ERR_ARGUMENT, "plan of a graph",
        kci_accept_plan(list, &policy, &accepted, NULL, NULL, &error));
    kci_plan_release(list);
    end(&scene);
}
END_TEST

/* Rows that no planner makes: a capsule planned for operations that are not
 * its own, each reported once. */
START_TEST(a_forged_plan_does_not_pass)
{
    kc_error_t error = KC_ERROR_INIT;
    scene_t scene;
    begin(&scene, KC_OP_RELU);
    for (size_t idx = 0; idx < scene.plan->row_count; idx++) {
        scene.plan->rows[idx].op = idx % 2 == 0 ? KC_OP_MATMUL : KC_OP_CONV;
        scene.plan->rows[idx].entry = 1;
    }
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_accepted_plan_t *accepted = NULL;
    kci_acceptance_failure_t *failures = NULL;
    size_t count = 0;
    EXPECT_FAILURE(error, KC_ERR_REJECTED, "operation mismatch",
                   kci_accept_plan(scene.plan, &policy, &accepted, &failures,
                                   &count, &error));
    ck_assert_uint_eq(count, 2);
    kci_free(failures);
    end(&scene);
}
END_TEST

/* The whole way, accepted in the first round and rejected in the second. */
START_TEST(a_lack_of_memory_at_any_place)
{
    kc_error_t error = KC_ERROR_INIT;
    scene_t scene;
    begin(&scene, KC_OP_RELU);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    policy.allow_trusted_external = _i;
    kc_status_t wanted = _i == 1 ? KC_OK : KC_ERR_REJECTED;
    kc_accepted_plan_t *accepted = NULL;
    kci_acceptance_failure_t *failures = NULL;
    size_t count = 0;
    kc_status_t status = KC_ERR_MEMORY;
    int granted = 0;
    for (; status != wanted; granted++) {
        failing_heap_break_after(granted);
        status = kci_accept_plan(scene.plan, &policy, &accepted, &failures,
                                 &count, &error);
        failing_heap_mend();
        ck_assert(status == wanted || status == KC_ERR_MEMORY);
        ck_assert_int_eq(accepted != NULL, status == KC_OK);
        ck_assert_int_eq(failures != NULL, status == KC_ERR_REJECTED);
    }
    ck_assert_int_gt(granted, 2);
    kci_free(failures);
    kci_accepted_plan_release(accepted);
    end(&scene);
}
END_TEST

Suite *suite_audit_accept(void)
{
    Suite *suite = suite_create("audit/accept");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, an_accepted_kernel_keeps_what_it_needs);
    tcase_add_test(tcase, a_checked_label_over_a_trusted_boundary);
    tcase_add_test(tcase, the_list_may_be_left_out);
    tcase_add_test(tcase, what_does_not_exist_is_an_argument_error);
    tcase_add_test(tcase, an_accepted_plan_derives_its_groups);
    tcase_add_test(tcase, failures_of_equal_groups_are_listed_once);
    tcase_add_test(tcase, a_plan_with_gaps_is_rejected_with_the_planners_line);
    tcase_add_test(tcase, the_plan_of_a_list_is_not_for_execution);
    tcase_add_test(tcase, a_forged_plan_does_not_pass);
    tcase_add_loop_test(tcase, a_lack_of_memory_at_any_place, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
