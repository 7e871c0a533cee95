/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of a folder: which ones, in which order.
 */
#include "module/folder_names.h"

#include <errno.h>
#include "unit/failing_heap.h"
#include "unit/module/suites.h"
#include "unit/scratch.h"
#include "unit/expect.h"

static void touch(const scratch_t *scratch, const char *name)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_write(scratch, name, "", 0, path);
}

START_TEST(names_are_chosen_and_sorted)
{
    static const char *const made[] = {"b.so",  "B.so", "a.so.1", "aa.so",
                                       ".h.so", ".so",  "a.so",   "x.txt"};
    static const char *const wanted[] = {"B.so", "a.so", "aa.so", "b.so"};
    kc_error_t error = KC_ERROR_INIT;
    kci_folder_names_t names = {NULL, 0};
    int reason = -1;
    scratch_t scratch = scratch_make();
    for (size_t idx = 0; idx < sizeof made / sizeof *made; idx++) {
        touch(&scratch, made[idx]);
    }
    EXPECT_OK(error, kci_folder_names_read(scratch.path, ".so", &names, &reason,
                                           &error));
    ck_assert_int_eq(reason, 0);
    ck_assert_uint_eq(names.count, 4);
    for (size_t idx = 0; idx < 4; idx++) {
        ck_assert_str_eq(names.names[idx], wanted[idx]);
    }
    kci_folder_names_release(&names);
    ck_assert_uint_eq(names.count, 0);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(an_empty_folder_has_none)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_folder_names_t names = {NULL, 0};
    int reason = -1;
    scratch_t scratch = scratch_make();
    EXPECT_OK(error, kci_folder_names_read(scratch.path, ".so", &names, &reason,
                                           &error));
    ck_assert_int_eq(reason, 0);
    ck_assert_uint_eq(names.count, 0);
    kci_folder_names_release(&names);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(a_folder_that_is_none_has_a_reason)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_folder_names_t names = {NULL, 0};
    int reason = 0;
    EXPECT_OK(error, kci_folder_names_read("/nowhere/at/all", ".so", &names,
                                           &reason, &error));
    ck_assert_int_eq(reason, ENOENT);
    EXPECT_OK(error, kci_folder_names_read("/dev/null", ".so", &names, &reason,
                                           &error));
    ck_assert_int_eq(reason, ENOTDIR);
}
END_TEST

START_TEST(no_memory_is_a_status)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_folder_names_t names = {NULL, 0};
    int reason = 0;
    scratch_t scratch = scratch_make();
    touch(&scratch, "a.so");
    for (int granted = 0; granted < 2; granted++) {
        failing_heap_break_after(granted);
        kc_status_t status =
            kci_folder_names_read(scratch.path, ".so", &names, &reason, &error);
        failing_heap_mend();
        ck_assert_int_eq(status, KC_ERR_MEMORY);
        ck_assert_ptr_null(names.names);
    }
    scratch_remove(&scratch);
}
END_TEST

Suite *suite_module_folder_names(void)
{
    Suite *suite = suite_create("module/folder_names");
    TCase *tests = tcase_create("folder_names");
    tcase_add_test(tests, names_are_chosen_and_sorted);
    tcase_add_test(tests, an_empty_folder_has_none);
    tcase_add_test(tests, a_folder_that_is_none_has_a_reason);
    tcase_add_test(tests, no_memory_is_a_status);
    suite_add_tcase(suite, tests);
    return suite;
}
