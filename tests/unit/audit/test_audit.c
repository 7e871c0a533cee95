/* SPDX-License-Identifier: Apache-2.0
 *
 * Audit rows: one a group, copies, comparable.
 */
#include "audit/audit.h"

#include <string.h>
#include "unit/audit/suites.h"
#include "unit/contract_fixture.h"
#include "unit/demand_fixture.h"
#include "unit/expect.h"

static kc_profile_t *profile_of_two(void)
{
    kc_capsule_record_t records[] = {
        fixture_capsule("x.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("x.add", KC_OP_ADD, "acme", KC_DEVICE_CPU)};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    return fixture_profile_of(&policy, records, 2);
}

/* Takes the profile. */
static kci_audit_t audit_of(kc_profile_t *profile, const int32_t *ops,
                            size_t count)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_plan_t *plan = NULL;
    kci_audit_t audit = {NULL, 0, NULL, 0};
    EXPECT_OK(error, kci_plan_ops(profile, ops, count, &plan, &error));
    kci_profile_release(profile);
    EXPECT_OK(error, kci_audit_create(plan, &audit, &error));
    kci_plan_release(plan);
    return audit;
}

static const int32_t ops[] = {KC_OP_RELU, KC_OP_RELU, KC_OP_ADD, KC_OP_RELU};

START_TEST(one_row_a_group_that_outlives_the_plan)
{
    kci_audit_t audit = audit_of(profile_of_two(), ops, 4);
    ck_assert_uint_eq(audit.row_count, 3);
    ck_assert_str_eq(audit.rows[0].capsule->name, "x.relu");
    ck_assert_int_eq(audit.rows[1].op, KC_OP_ADD);
    ck_assert_uint_eq(audit.rows[1].first_node, 2);
    ck_assert_uint_eq(audit.rows[2].first_node, 3);
    ck_assert_uint_eq(audit.capsule_count, 2);
    ck_assert_ptr_eq(audit.rows[2].capsule, audit.rows[0].capsule);
    kci_audit_release(&audit);
    ck_assert_ptr_null(audit.rows);
    kci_audit_release(&audit);
}
END_TEST

START_TEST(audits_are_compared_by_value)
{
    kci_audit_t first = audit_of(profile_of_two(), ops, 4);
    kci_audit_t second = audit_of(profile_of_two(), ops, 4);
    kci_audit_t shorter = audit_of(profile_of_two(), ops, 3);
    ck_assert(kci_audit_equal(&first, &second));
    ck_assert(!kci_audit_equal(&first, &shorter));
    second.capsules[1].numerics.reduction = KC_REDUCTION_FIXED_LEFT;
    ck_assert(!kci_audit_equal(&first, &second));
    second.capsules[1] = first.capsules[1];
    ck_assert(kci_audit_equal(&first, &second));
    second.rows[2].first_node = 7;
    ck_assert(!kci_audit_equal(&first, &second));
    kci_audit_release(&first);
    kci_audit_release(&second);
    kci_audit_release(&shorter);
}
END_TEST

START_TEST(a_plan_with_gaps_has_no_audit)
{
    kc_error_t error = KC_ERROR_INIT;
    static const int32_t gap[] = {KC_OP_RELU, KC_OP_CONV};
    kc_profile_t *profile = profile_of_two();
    kc_plan_t *plan = NULL;
    kci_audit_t audit = {NULL, 0, NULL, 0};
    EXPECT_OK(error, kci_plan_ops(profile, gap, 2, &plan, &error));
    EXPECT_FAILURE(error, KC_ERR_NO_CAPSULE,
                   "no admissible kernel capsule for op conv on device cpu",
                   kci_audit_create(plan, &audit, &error));
    ck_assert_ptr_null(audit.rows);
    kci_plan_release(plan);
    kci_profile_release(profile);
}
END_TEST

START_TEST(an_empty_plan_has_an_empty_audit)
{
    kci_audit_t first = audit_of(profile_of_two(), NULL, 0);
    kci_audit_t second = audit_of(profile_of_two(), NULL, 0);
    ck_assert_uint_eq(first.row_count, 0);
    ck_assert(kci_audit_equal(&first, &second));
    kci_audit_release(&first);
    kci_audit_release(&second);
}
END_TEST

Suite *suite_audit_audit(void)
{
    Suite *suite = suite_create("audit/audit");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, one_row_a_group_that_outlives_the_plan);
    tcase_add_test(tcase, audits_are_compared_by_value);
    tcase_add_test(tcase, a_plan_with_gaps_has_no_audit);
    tcase_add_test(tcase, an_empty_plan_has_an_empty_audit);
    suite_add_tcase(suite, tcase);
    return suite;
}
