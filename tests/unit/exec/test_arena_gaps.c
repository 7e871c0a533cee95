/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Free places: split, joined, and aligned without loss. */
#include "exec/arena_gaps.h"

#include "unit/exec/suites.h"
#include "unit/expect.h"

START_TEST(places_are_given_out_again)
{
    kci_gap_t gaps[8];
    kci_gap_list_t list = {.gaps = gaps};
    ck_assert_uint_eq(kci_gaps_take(&list, 64), 0);
    ck_assert_uint_eq(kci_gaps_take(&list, 128), 64);
    ck_assert_uint_eq(kci_gaps_take(&list, 64), 192);
    kci_gaps_give_back(&list, 64, 128);
    ck_assert_uint_eq(kci_gaps_take(&list, 64), 64);
    ck_assert_uint_eq(kci_gaps_take(&list, 64), 128);
    ck_assert_uint_eq(list.count, 0);
    ck_assert_uint_eq(list.end, 256);
}
END_TEST

START_TEST(neighbours_join)
{
    kci_gap_t gaps[8];
    kci_gap_list_t list = {.gaps = gaps};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(kci_gaps_take(&list, 64), 64 * i);
    }
    kci_gaps_give_back(&list, 0, 64);
    kci_gaps_give_back(&list, 128, 64);
    ck_assert_uint_eq(list.count, 2);
    kci_gaps_give_back(&list, 64, 64);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_uint_eq(gaps[0].size, 192);
    kci_gaps_give_back(&list, 192, 64);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_uint_eq(kci_gaps_take(&list, 512), 0);
    ck_assert_uint_eq(list.end, 512);
}
END_TEST

/* The 60 bytes before an aligned buffer serve tiny ones. */
START_TEST(what_alignment_leaves_is_a_gap)
{
    kci_gap_t gaps[8];
    kci_gap_list_t list = {.gaps = gaps};
    ck_assert_uint_eq(kci_gaps_take(&list, 4), 0);
    ck_assert_uint_eq(kci_gaps_take(&list, 64), 64);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_uint_eq(kci_gaps_take(&list, 16), 16);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_uint_eq(kci_gaps_take(&list, 12), 4);
    ck_assert_uint_eq(kci_gaps_take(&list, 32), 32);
    ck_assert_uint_eq(list.count, 0);
    ck_assert_uint_eq(list.end, 128);
}
END_TEST

Suite *suite_exec_arena_gaps(void)
{
    Suite *suite = suite_create("exec/arena_gaps");
    TCase *tcase = tcase_create("arena_gaps");
    tcase_add_test(tcase, places_are_given_out_again);
    tcase_add_test(tcase, neighbours_join);
    tcase_add_test(tcase, what_alignment_leaves_is_a_gap);
    suite_add_tcase(suite, tcase);
    return suite;
}
