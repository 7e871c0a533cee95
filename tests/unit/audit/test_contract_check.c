/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract check: evidence, not labels; each obligation once.
 */
#include "audit/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <kcapsule/session.h>
#include "base/alloc.h"
#include "unit/audit/suites.h"
#include "unit/contract_fixture.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

static kc_policy_t with_assurance(const char *assurance)
{
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    ck_assert(kci_policy_parse_assurance(assurance, &policy, NULL) == KC_OK);
    return policy;
}

static size_t check(const char *assurance, kci_audit_row_t *rows, size_t count,
                    kci_obligation_report_t **out)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t policy = with_assurance(assurance);
    kci_audit_t audit = {.rows = rows, .row_count = count};
    size_t found = 0;
    *out = NULL;
    EXPECT_OK(error, kci_check_contracts(&policy, &audit, out, &found, &error));
    return found;
}

static kci_audit_row_t row_of(const kc_capsule_record_t *capsule)
{
    return (kci_audit_row_t){capsule->op, 0, capsule};
}

/* Selected under a policy that allows it, then checked under both. */
START_TEST(the_libtorch_forward_of_the_documentation)
{
    kc_capsule_record_t capsules[FIXTURE_CAPSULES_MAX];
    ck_assert_uint_eq(fixture_maintained_capsules(3, capsules), 48);
    kci_audit_row_t row = row_of(&capsules[0]);
    kci_obligation_report_t *reports = NULL;
    ck_assert_uint_eq(check("checked", &row, 1, &reports), 1);
    ck_assert_str_eq(reports[0].capsule->name, "libtorch.sdpa_forward");
    ck_assert_int_eq(reports[0].obligation, KC_OBLIGATION_VALUE);
    ck_assert_int_eq(reports[0].op, KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    char text[192];
    kci_evidence_sentence(reports[0].descriptor, text, sizeof text);
    ck_assert_str_eq(text,
                     "trusted boundary: LibTorch/CUDA SDPA implementation");
    kci_free(reports);
    ck_assert_uint_eq(check("external", &row, 1, &reports), 0);
    kci_free(reports);
}
END_TEST

START_TEST(the_label_is_not_asked)
{
    kc_capsule_record_t checked_label =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    fixture_trust_value(&checked_label);
    kc_capsule_record_t trusted_label =
        fixture_capsule("y", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    trusted_label.trust = KC_TRUST_TRUSTED_EXTERNAL;
    kci_audit_row_t rows[] = {row_of(&checked_label), row_of(&trusted_label)};
    kci_obligation_report_t *reports = NULL;
    ck_assert_uint_eq(check("checked", rows, 2, &reports), 1);
    ck_assert_str_eq(reports[0].capsule->name, "x");
    kci_free(reports);
}
END_TEST

START_TEST(every_rejected_obligation_in_order)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    capsule.shape.evidence = KC_EVIDENCE_TRUSTED_BOUNDARY;
    capsule.layout.evidence = KC_EVIDENCE_TRUSTED_BOUNDARY;
    capsule.value.evidence = KC_EVIDENCE_TRUSTED_BOUNDARY;
    capsule.vjp.evidence = KC_EVIDENCE_TRUSTED_BOUNDARY;
    kci_audit_row_t row = row_of(&capsule);
    kci_obligation_report_t *reports = NULL;
    ck_assert_uint_eq(check("checked", &row, 1, &reports), 4);
    for (int32_t idx = 0; idx < 4; idx++) {
        ck_assert_int_eq(reports[idx].obligation, idx);
        ck_assert_ptr_eq(reports[idx].descriptor,
                         kci_capsule_obligation(row.capsule, idx));
    }
    kci_free(reports);
}
END_TEST

START_TEST(without_receipts_suites_count_for_nothing)
{
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kci_audit_row_t row = row_of(&capsule);
    kci_obligation_report_t *reports = NULL;
    ck_assert_uint_eq(check("attested", &row, 1, &reports), 2);
    ck_assert_int_eq(reports[0].obligation, KC_OBLIGATION_VALUE);
    ck_assert_int_eq(reports[1].obligation, KC_OBLIGATION_VJP);
    kci_free(reports);
}
END_TEST

/* Many rows of few capsules, and capsules that differ in one word only. */
START_TEST(equal_rows_are_reported_once)
{
    enum { CAPSULES = 150, ROWS = 6000 };
    kci_audit_row_t *rows = calloc(ROWS, sizeof *rows);
    kc_capsule_record_t *capsules = calloc(ROWS, sizeof *capsules);
    ck_assert(rows != NULL && capsules != NULL);
    for (uint32_t idx = 0; idx < ROWS; idx++) {
        capsules[idx] = fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
        fixture_trust_value(&capsules[idx]);
        snprintf(capsules[idx].value.summary,
                 sizeof capsules[idx].value.summary, "%u", idx % CAPSULES);
        rows[idx] = row_of(&capsules[idx]);
        rows[idx].first_node = idx;
    }
    kci_obligation_report_t *reports = NULL;
    ck_assert_uint_eq(check("checked", rows, ROWS, &reports), CAPSULES);
    for (size_t idx = 0; idx < CAPSULES; idx++) {
        ck_assert_ptr_eq(reports[idx].capsule, &capsules[idx]);
    }
    kci_free(reports);
    free(capsules);
    free(rows);
}
END_TEST

/* Inner operations are classified like all others, once, and say whom they
 * serve. */
START_TEST(inner_operations_are_classified)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t outer =
        fixture_capsule("outer", KC_OP_SOFTPLUS, "acme", KC_DEVICE_CPU);
    kc_capsule_record_t inner =
        fixture_capsule("inner", KC_OP_MUL, "acme", KC_DEVICE_CPU);
    fixture_trust_value(&inner);
    kc_capsule_record_t sum =
        fixture_capsule("sum", KC_OP_ADD, "acme", KC_DEVICE_CPU);
    fixture_trust_value(&sum);
    kci_audit_row_t row = row_of(&outer);
    kci_audit_sub_row_t sub_rows[] = {
        {0, KC_OP_MUL, KC_CALL_INNER_VJP, &inner},
        {0, KC_OP_MUL, KC_CALL_INNER_FORWARD, &inner},
        {KCI_NO_AUDIT_ROW, KC_OP_ADD, KC_CALL_SUM, &sum}};
    kci_audit_t audit = {
        .rows = &row, .row_count = 1, .sub_rows = sub_rows, .sub_row_count = 3};
    kc_policy_t policy = with_assurance("checked");
    kci_obligation_report_t *reports = NULL;
    size_t count = 0;
    EXPECT_OK(error,
              kci_check_contracts(&policy, &audit, &reports, &count, &error));
    ck_assert_uint_eq(count, 2);
    ck_assert_ptr_eq(reports[0].capsule, &inner);
    ck_assert_ptr_eq(reports[1].capsule, &sum);
    ck_assert_ptr_null(reports[1].served);
    ck_assert_ptr_eq(reports[0].served, &outer);
    ck_assert_int_eq(reports[0].op, KC_OP_MUL);
    kci_free(reports);
    policy = with_assurance("external");
    EXPECT_OK(error,
              kci_check_contracts(&policy, &audit, &reports, &count, &error));
    ck_assert_uint_eq(count, 0);
    kci_free(reports);
}
END_TEST

START_TEST(a_lack_of_memory_at_any_place)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t policy = with_assurance("attested");
    kc_capsule_record_t capsule =
        fixture_capsule("x", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    kci_audit_row_t row = row_of(&capsule);
    kci_audit_t audit = {.rows = &row, .row_count = 1};
    kci_obligation_report_t *reports = NULL;
    size_t count = 0;
    kc_status_t status = KC_ERR_MEMORY;
    int granted = 0;
    for (; status != KC_OK; granted++) {
        failing_heap_break_after(granted);
        status = kci_check_contracts(&policy, &audit, &reports, &count, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
        ck_assert_int_eq(reports != NULL, status == KC_OK);
    }
    ck_assert_int_eq(granted, 3);
    kci_free(reports);
}
END_TEST

Suite *suite_audit_contract_check(void)
{
    Suite *suite = suite_create("audit/contract_check");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, the_libtorch_forward_of_the_documentation);
    tcase_add_test(tcase, the_label_is_not_asked);
    tcase_add_test(tcase, every_rejected_obligation_in_order);
    tcase_add_test(tcase, without_receipts_suites_count_for_nothing);
    tcase_add_test(tcase, equal_rows_are_reported_once);
    tcase_add_test(tcase, inner_operations_are_classified);
    tcase_add_test(tcase, a_lack_of_memory_at_any_place);
    suite_add_tcase(suite, tcase);
    return suite;
}
