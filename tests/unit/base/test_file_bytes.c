/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole files in and out: the bytes, the NUL behind them, and what is refused.
 */
#include "base/file_bytes.h"

#include <sys/stat.h>
#include "unit/base/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/scratch.h"

START_TEST(what_was_written_is_read)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_bytes_t bytes = {NULL, 0};
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_name(&scratch, "file", path);
    EXPECT_OK(error, kci_file_write(path, "a\0b", 3, &error));
    EXPECT_OK(error, kci_file_read(path, &bytes, &error));
    ck_assert_uint_eq(bytes.size, 3);
    ck_assert_mem_eq(bytes.data, "a\0b\0", 4);
    kci_bytes_release(&bytes);
    ck_assert_ptr_null(bytes.data);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(an_empty_file_has_no_bytes)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_bytes_t bytes = {NULL, 7};
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "empty", "", 0, path);
    EXPECT_OK(error, kci_file_read(path, &bytes, &error));
    ck_assert_uint_eq(bytes.size, 0);
    ck_assert_int_eq(bytes.data[0], 0);
    kci_bytes_release(&bytes);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(what_is_not_there_is_named)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_bytes_t bytes = {NULL, 0};
    EXPECT_FAILURE(error, KC_ERR_IO,
                   "/nowhere/x: cannot be opened: No such file",
                   kci_file_read("/nowhere/x", &bytes, &error));
    ck_assert_ptr_null(bytes.data);
}
END_TEST

START_TEST(no_memory_is_a_status)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_bytes_t bytes = {NULL, 0};
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "file", "abc", 3, path);
    failing_heap_break_after(0);
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "file: out of memory",
                   kci_file_read(path, &bytes, &error));
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                   kci_file_write(path, "xyz", 3, &error));
    failing_heap_mend();
    EXPECT_OK(error, kci_file_read(path, &bytes, &error));
    ck_assert_mem_eq(bytes.data, "abc", 3);
    kci_bytes_release(&bytes);
    ck_assert_int_eq(scratch_count(&scratch), 1);
    scratch_remove(&scratch);
}
END_TEST

Suite *suite_base_file_bytes(void)
{
    Suite *suite = suite_create("base/file_bytes");
    TCase *tests = tcase_create("file_bytes");
    tcase_add_test(tests, what_was_written_is_read);
    tcase_add_test(tests, an_empty_file_has_no_bytes);
    tcase_add_test(tests, what_is_not_there_is_named);
    tcase_add_test(tests, no_memory_is_a_status);
    suite_add_tcase(suite, tests);
    return suite;
}
