/* SPDX-License-Identifier: Apache-2.0
 *
 * Audit rows: one a group, copies, comparable.
 */
#include "audit/audit.h"

#include <string.h>
#include <kcapsule/session.h>
#include "unit/audit/inner_fixture.h"
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
    kci_audit_t audit = {NULL, 0, NULL, 0, NULL, 0};
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
    kci_audit_t audit = {NULL, 0, NULL, 0, NULL, 0};
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

static const int32_t chain[] = {KC_OP_RELU, KC_OP_SOFTPLUS, KC_OP_RELU,
                                KC_OP_SOFTPLUS, KC_OP_SOFTPLUS};

static kci_audit_t audit_of_chain(const kci_sub_row_t *planned, size_t count)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsules[INNER_CAPSULES];
    inner_fixture_capsules(capsules);
    inner_scene_t scene;
    inner_scene_begin(&scene, capsules, INNER_CAPSULES, chain, 5);
    if (planned != NULL) {
        inner_scene_set_sub_rows(&scene, planned, count);
    }
    kci_audit_t audit = {NULL, 0, NULL, 0, NULL, 0};
    EXPECT_OK(error, kci_audit_create(scene.plan, &audit, &error));
    inner_scene_end(&scene);
    return audit;
}

START_TEST(inner_operations_are_rows_below_their_row)
{
    static const struct {
        size_t row;
        const char *capsule;
    } expected[] = {{1, "acme.mul"},
                    {1, "acme.sigmoid"},
                    {3, "acme.mul"},
                    {3, "acme.sigmoid"}};
    kci_audit_t audit = audit_of_chain(NULL, 0);
    ck_assert_uint_eq(audit.row_count, 4);
    ck_assert_uint_eq(audit.sub_row_count, 4);
    ck_assert_uint_eq(audit.capsule_count, 4);
    for (size_t idx = 0; idx < 4; idx++) {
        ck_assert_uint_eq(audit.sub_rows[idx].row, expected[idx].row);
        ck_assert_int_eq(audit.sub_rows[idx].kind, KC_CALL_INNER_VJP);
        ck_assert_str_eq(audit.sub_rows[idx].capsule->name,
                         expected[idx].capsule);
        ck_assert_int_eq(audit.sub_rows[idx].op,
                         audit.sub_rows[idx].capsule->op);
    }
    ck_assert_str_eq(audit.capsules[0].name, "acme.relu");
    ck_assert_str_eq(audit.capsules[1].name, "acme.softplus");
    kci_audit_release(&audit);
}
END_TEST

START_TEST(audits_that_differ_in_an_inner_operation_are_not_equal)
{
    static const kci_sub_row_t planned[] = {
        {4, KC_OP_MUL, INNER_MUL, KC_CALL_INNER_VJP},
        {1, KC_OP_ADD, INNER_ADD, KC_CALL_SUM}};
    kci_sub_row_t changed[2];
    kci_audit_t first = audit_of_chain(planned, 2);
    kci_audit_t other = audit_of_chain(planned, 2);
    ck_assert_uint_eq(first.sub_row_count, 2);
    ck_assert_uint_eq(first.sub_rows[0].row, 3);
    ck_assert_uint_eq(first.sub_rows[1].row, KCI_NO_AUDIT_ROW);
    ck_assert(kci_audit_equal(&first, &other));
    kci_audit_release(&other);
    other = audit_of_chain(planned, 1);
    ck_assert(!kci_audit_equal(&first, &other));
    kci_audit_release(&other);
    for (int field = 0; field < 4; field++) {
        memcpy(changed, planned, sizeof changed);
        changed[0].node = field == 0 ? 2 : 4;
        changed[0].op = field == 1 ? KC_OP_ADD : KC_OP_MUL;
        changed[0].entry = field == 2 ? INNER_SIGMOID : INNER_MUL;
        changed[0].role = field == 3 ? KC_CALL_SUM : KC_CALL_INNER_VJP;
        other = audit_of_chain(changed, 2);
        ck_assert(!kci_audit_equal(&first, &other));
        kci_audit_release(&other);
    }
    kci_audit_release(&first);
}
END_TEST

START_TEST(an_inner_operation_without_a_capsule_has_no_audit)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsules[INNER_CAPSULES];
    inner_fixture_capsules(capsules);
    static const kci_sub_row_t planned[] = {
        {1, KC_OP_MUL, KCI_NO_ENTRY, KC_CALL_INNER_VJP}};
    inner_scene_t scene;
    inner_scene_begin(&scene, capsules, INNER_CAPSULES, chain, 5);
    inner_scene_set_sub_rows(&scene, planned, 1);
    kci_audit_t audit = {NULL, 0, NULL, 0, NULL, 0};
    EXPECT_FAILURE(error, KC_ERR_NO_CAPSULE,
                   "op softplus, capsule acme.softplus: inner operation mul: "
                   "no admissible capsule on device cpu",
                   kci_audit_create(scene.plan, &audit, &error));
    ck_assert_ptr_null(audit.rows);
    ck_assert_ptr_null(audit.capsules);
    static const kci_sub_row_t sum[] = {
        {0, KC_OP_ADD, KCI_NO_ENTRY, KC_CALL_SUM}};
    inner_scene_set_sub_rows(&scene, sum, 1);
    EXPECT_FAILURE(error, KC_ERR_NO_CAPSULE,
                   "sum of cotangents: operation add: no admissible capsule "
                   "on device cpu",
                   kci_audit_create(scene.plan, &audit, &error));
    inner_scene_end(&scene);
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
    tcase_add_test(tcase, inner_operations_are_rows_below_their_row);
    tcase_add_test(tcase,
                   audits_that_differ_in_an_inner_operation_are_not_equal);
    tcase_add_test(tcase, an_inner_operation_without_a_capsule_has_no_audit);
    suite_add_tcase(suite, tcase);
    return suite;
}
