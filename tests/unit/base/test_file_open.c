/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening files to read: regular ones only, and never a hang.
 */
#include "base/file_open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit/base/suites.h"
#include "unit/expect.h"
#include "unit/scratch.h"

START_TEST(a_file_is_opened_and_read_anywhere)
{
    kc_error_t error = KC_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE];
    char data[4] = {0};
    int descriptor = -1;
    uint64_t size = 0;
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "file", "0123456789", 10, path);
    EXPECT_OK(error, kci_file_open(path, &descriptor, &size, &error));
    ck_assert_uint_eq(size, 10);
    ck_assert_int_ne(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_OK(error, kci_file_read_at(descriptor, 6, data, 3, "file", &error));
    ck_assert_mem_eq(data, "678", 3);
    ck_assert_int_eq(lseek(descriptor, 0, SEEK_CUR), 0);
    EXPECT_FAILURE(error, KC_ERR_IO, "became shorter",
                   kci_file_read_at(descriptor, 9, data, 3, "file", &error));
    close(descriptor);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(a_fifo_a_folder_and_a_device_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE];
    int descriptor = -1;
    uint64_t size = 0;
    scratch_t scratch = scratch_make();
    scratch_name(&scratch, "fifo", path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    EXPECT_FAILURE(error, KC_ERR_IO, "found a FIFO",
                   kci_file_open(path, &descriptor, &size, &error));
    EXPECT_FAILURE(error, KC_ERR_IO, "found a directory",
                   kci_file_open(scratch.path, &descriptor, &size, &error));
    EXPECT_FAILURE(error, KC_ERR_IO, "found a device",
                   kci_file_open("/dev/zero", &descriptor, &size, &error));
    ck_assert_int_eq(descriptor, -1);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(refusals_leave_no_descriptor_open)
{
    int before = dup(0);
    int descriptor = -1;
    uint64_t size = 0;
    close(before);
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(kci_file_open("/", &descriptor, &size, NULL),
                         KC_ERR_IO);
    }
    int after = dup(0);
    close(after);
    ck_assert_int_eq(before, after);
}
END_TEST

Suite *suite_base_file_open(void)
{
    Suite *suite = suite_create("base/file_open");
    TCase *tests = tcase_create("file_open");
    tcase_add_test(tests, a_file_is_opened_and_read_anywhere);
    tcase_add_test(tests, a_fifo_a_folder_and_a_device_are_refused);
    tcase_add_test(tests, refusals_leave_no_descriptor_open);
    suite_add_tcase(suite, tests);
    return suite;
}
