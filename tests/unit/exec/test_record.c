/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The run record as a list in first-use order. */
#include "exec/record.h"

#include "unit/exec/suites.h"
#include "unit/expect.h"

START_TEST(entries_come_in_first_use_order)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_run_record_t record = {0};
    kci_entry_t entries[3] = {{0}};
    const int uses[] = {2, 0, 2, 2, 1, 0};
    for (int i = 0; i < 6; i++) {
        size_t place = 99;
        EXPECT_OK(error, kci_run_record_entry(&record, KCI_CALL_FORWARD,
                                              &entries[uses[i]], NULL, &place,
                                              &error));
        kci_run_record_call(&record, place, 5);
    }
    ck_assert_uint_eq(record.entry_count, 3);
    ck_assert_ptr_eq(record.entries[0].entry, &entries[2]);
    ck_assert_ptr_eq(record.entries[1].entry, &entries[0]);
    ck_assert_ptr_eq(record.entries[2].entry, &entries[1]);
    ck_assert_uint_eq(record.entries[0].call_count, 3);
    ck_assert_uint_eq(record.entries[0].time_ns, 15);
    kci_run_record_release(&record);
    ck_assert_ptr_null(record.entries);
}
END_TEST

START_TEST(reserved_room_does_not_move)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_run_record_t record = {0};
    kci_entry_t entries[40] = {{0}};
    EXPECT_OK(error, kci_run_record_reserve(&record, 40, 7, &error));
    kci_record_entry_t *before = record.entries;
    ck_assert_uint_ge(record.node_capacity, 7);
    for (int i = 0; i < 40; i++) {
        size_t place = 0;
        EXPECT_OK(error,
                  kci_run_record_entry(&record, KCI_CALL_FORWARD, &entries[i],
                                       NULL, &place, &error));
    }
    ck_assert_ptr_eq(record.entries, before);
    kci_run_record_release(&record);
}
END_TEST

Suite *suite_exec_record(void)
{
    Suite *suite = suite_create("exec/record");
    TCase *tcase = tcase_create("record");
    tcase_add_test(tcase, entries_come_in_first_use_order);
    tcase_add_test(tcase, reserved_room_does_not_move);
    suite_add_tcase(suite, tcase);
    return suite;
}
