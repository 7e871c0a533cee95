/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Rows of the record: what was called why, in first-use order. */
#include "unit/exec/backward_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

static void expect_row(const kci_run_record_t *record, size_t index,
                       kci_call_role_t role, const char *capsule,
                       uint64_t call_count)
{
    ck_assert_uint_lt(index, record->entry_count);
    ck_assert_int_eq(record->entries[index].role, role);
    ck_assert_str_eq(record->entries[index].entry->capsule->name, capsule);
    ck_assert_ptr_null(record->entries[index].served);
    ck_assert_uint_eq(record->entries[index].call_count, call_count);
}

/* Two forward capsules, the rules in the order of their first use: one that
 * is composed comes before the first step after it; a sum is its own row. */
START_TEST(rows_of_the_record)
{
    backward_case_t at;
    backward_begin(&at);
    EXPECT_OK(at.base.error, backward_run(&at, 1));
    EXPECT_OK(at.base.error, backward_run(&at, 0));
    const kci_run_record_t *record = kci_executor_record(at.base.executor);
    ck_assert_uint_eq(record->entry_count, 5);
    expect_row(record, 0, KCI_CALL_FORWARD, "acme.add", 4);
    expect_row(record, 1, KCI_CALL_FORWARD, "acme.relu", 2);
    expect_row(record, 2, KCI_CALL_VJP, "acme.add", 6);
    expect_row(record, 3, KCI_CALL_VJP, "acme.relu", 2);
    expect_row(record, 4, KCI_CALL_SUM, "acme.add", 2);
    ck_assert_uint_eq(record->node_count, 3);
    ck_assert_uint_eq(record->nodes[0].node, A);
    ck_assert_uint_eq(record->nodes[2].node, C);
    backward_end(&at);
}
END_TEST

START_TEST(a_failing_rule_names_its_node)
{
    backward_case_t at;
    backward_begin(&at);
    rule_log.fail_at = 1;
    EXPECT_FAILURE(at.base.error, KC_ERR_KERNEL,
                   "node 3 (relu): acme.relu backward: asked to fail",
                   backward_run(&at, 1));
    const kci_run_record_t *record = kci_executor_record(at.base.executor);
    ck_assert_uint_eq(record->entry_count, 4);
    expect_row(record, 3, KCI_CALL_VJP, "acme.relu", 1);
    EXPECT_OK(at.base.error, backward_run(&at, 1));
    backward_expect(&at);
    ck_assert_uint_eq(record->entry_count, 5);
    ck_assert_uint_eq(record->node_count, 3);
    backward_end(&at);
}
END_TEST

START_TEST(time_is_kept_by_the_calls)
{
    backward_case_t at;
    backward_begin(&at);
    at.base.executor->record.has_time = true;
    EXPECT_OK(at.base.error, backward_run(&at, 1));
    const kci_run_record_t *record = kci_executor_record(at.base.executor);
    for (size_t i = 0; i < record->entry_count; i++) {
        ck_assert_uint_gt(record->entries[i].time_ns, 0);
    }
    backward_end(&at);
}
END_TEST

Suite *suite_exec_record_rows(void)
{
    Suite *suite = suite_create("exec/record_rows");
    TCase *tcase = tcase_create("record_rows");
    tcase_add_test(tcase, rows_of_the_record);
    tcase_add_test(tcase, a_failing_rule_names_its_node);
    tcase_add_test(tcase, time_is_kept_by_the_calls);
    suite_add_tcase(suite, tcase);
    return suite;
}
