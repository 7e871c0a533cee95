/* SPDX-License-Identifier: Apache-2.0
 *
 * The set of numbers: each is new once, however many there are.
 */
#include "audit/key_set.h"

#include "unit/audit/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

static bool is_new(kci_key_set_t *set, uint64_t key)
{
    kc_error_t error = KC_ERROR_INIT;
    bool answer = false;
    EXPECT_OK(error, kci_key_set_add(set, key, &answer, &error));
    return answer;
}

/* Keys that differ in high bits only, in low bits only, and the extremes. */
START_TEST(each_key_is_new_once)
{
    kci_key_set_t set = {NULL, 0, 0};
    for (int round = 0; round < 2; round++) {
        for (uint64_t key = 0; key < 5000; key++) {
            ck_assert_int_eq(is_new(&set, key), round == 0);
            ck_assert_int_eq(is_new(&set, (key + 1) << 40), round == 0);
        }
        ck_assert_int_eq(is_new(&set, UINT64_MAX - 1), round == 0);
    }
    ck_assert_uint_eq(set.used_count, 10001);
    kci_key_set_release(&set);
    ck_assert_ptr_null(set.slots);
    kci_key_set_release(&set);
}
END_TEST

START_TEST(a_lack_of_memory_changes_nothing)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_key_set_t set = {NULL, 0, 0};
    bool answer = false;
    uint64_t key = 0;
    failing_heap_break_after(1);
    while (kci_key_set_add(&set, key, &answer, &error) == KC_OK) {
        key++;
    }
    failing_heap_mend();
    ck_assert_uint_eq(key, 32);
    ck_assert_uint_eq(set.used_count, 32);
    ck_assert(!is_new(&set, 31));
    ck_assert(is_new(&set, 32));
    kci_key_set_release(&set);
}
END_TEST

Suite *suite_audit_key_set(void)
{
    Suite *suite = suite_create("audit/key_set");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, each_key_is_new_once);
    tcase_add_test(tcase, a_lack_of_memory_changes_nothing);
    suite_add_tcase(suite, tcase);
    return suite;
}
