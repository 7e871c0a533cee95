/* SPDX-License-Identifier: Apache-2.0
 *
 * Files out: whole or not at all, with the right mode, and devices left
 * standing.
 */
#include "base/file_bytes.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit/base/suites.h"
#include "unit/expect.h"
#include "unit/scratch.h"

static void expect_content(const char *path, const char *content)
{
    char data[64] = {0};
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(data, 1, sizeof data - 1, file);
    fclose(file);
    ck_assert_uint_eq(size, strlen(content));
    ck_assert_str_eq(data, content);
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    ck_assert_int_eq(lstat(path, &status), 0);
    return status.st_mode;
}

START_TEST(pieces_appear_together_at_the_end)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_file_writer_t writer;
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "file", "old", 3, path);
    EXPECT_OK(error, kci_file_writer_begin(&writer, path, &error));
    EXPECT_OK(error, kci_file_writer_put(&writer, "new ", 4, &error));
    EXPECT_OK(error, kci_file_writer_put(&writer, "text", 4, &error));
    expect_content(path, "old");
    EXPECT_OK(error, kci_file_writer_commit(&writer, &error));
    expect_content(path, "new text");
    ck_assert_int_eq(scratch_count(&scratch), 1);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(an_abandoned_file_leaves_nothing)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_file_writer_t writer;
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_name(&scratch, "file", path);
    EXPECT_OK(error, kci_file_writer_begin(&writer, path, &error));
    EXPECT_OK(error, kci_file_writer_put(&writer, "new", 3, &error));
    kci_file_writer_abandon(&writer);
    kci_file_writer_abandon(&writer);
    ck_assert_int_eq(scratch_count(&scratch), 0);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(the_mode_follows_umask_or_the_old_file)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_name(&scratch, "file", path);
    umask(027);
    ck_assert_int_eq(kci_file_write(path, "x", 1, NULL), KC_OK);
    ck_assert_int_eq(mode_of(path) & 07777, 0640);
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert_int_eq(kci_file_write(path, "y", 1, NULL), KC_OK);
    ck_assert_int_eq(mode_of(path) & 07777, 0600);
    expect_content(path, "y");
    scratch_remove(&scratch);
}
END_TEST

START_TEST(the_file_behind_a_link_is_replaced)
{
    char path[SCRATCH_PATH_SIZE];
    char link_path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "file", "old", 3, path);
    scratch_name(&scratch, "link", link_path);
    ck_assert_int_eq(symlink("file", link_path), 0);
    ck_assert_int_eq(kci_file_write(link_path, "new", 3, NULL), KC_OK);
    ck_assert(S_ISLNK(mode_of(link_path)));
    expect_content(path, "new");
    scratch_remove(&scratch);
}
END_TEST

START_TEST(what_cannot_be_written_is_named)
{
    kc_error_t error = KC_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    EXPECT_FAILURE(error, KC_ERR_IO, "found a directory",
                   kci_file_write(scratch.path, "x", 1, &error));
    scratch_name(&scratch, "missing/file", path);
    EXPECT_FAILURE(error, KC_ERR_IO, "cannot be created: No such file",
                   kci_file_write(path, "x", 1, &error));
    EXPECT_FAILURE(error, KC_ERR_IO, "found none",
                   kci_file_write("", "x", 0, &error));
    ck_assert_int_eq(scratch_count(&scratch), 0);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(devices_are_written_and_stay_devices)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, kci_file_write("/dev/null", "x", 1, &error));
    ck_assert(S_ISCHR(mode_of("/dev/null")));
    EXPECT_FAILURE(error, KC_ERR_IO, "/dev/full: cannot be written: No space",
                   kci_file_write("/dev/full", "x", 1, &error));
    ck_assert(S_ISCHR(mode_of("/dev/full")));
}
END_TEST

START_TEST(a_fifo_nobody_reads_is_no_hang)
{
    kc_error_t error = KC_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_name(&scratch, "fifo", path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    EXPECT_FAILURE(error, KC_ERR_IO, "fifo: cannot be written",
                   kci_file_write(path, "x", 1, &error));
    scratch_remove(&scratch);
}
END_TEST

START_TEST(a_named_descriptor_is_written_where_it_stands)
{
    kc_error_t error = KC_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE];
    char name[32];
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "file", "", 0, path);
    int descriptor = open(path, O_WRONLY);
    ck_assert_int_eq(write(descriptor, "first ", 6), 6);
    snprintf(name, sizeof name, "/dev/fd/%d", descriptor);
    EXPECT_OK(error, kci_file_write(name, "second", 6, &error));
    expect_content(path, "first second");
    close(descriptor);
    EXPECT_FAILURE(error, KC_ERR_IO, "Bad file descriptor",
                   kci_file_write(name, "x", 1, &error));
    scratch_remove(&scratch);
}
END_TEST

/* With the signal ignored, as the command does. */
START_TEST(a_limit_on_sizes_leaves_nothing)
{
    static const rlim_t sizes[] = {0, 512};
    static const char data[1024];
    kc_error_t error = KC_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_name(&scratch, "file", path);
    struct rlimit limit = {sizes[_i], RLIM_INFINITY};
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    kc_status_t status = kci_file_write(path, data, sizeof data, &error);
    /* What the test says goes to a file as well. */
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    EXPECT_FAILURE(error, KC_ERR_IO, "file: cannot be written: File too large",
                   status);
    ck_assert_int_eq(scratch_count(&scratch), 0);
    scratch_remove(&scratch);
}
END_TEST

Suite *suite_base_file_writer(void)
{
    Suite *suite = suite_create("base/file_writer");
    TCase *tests = tcase_create("file_writer");
    tcase_add_test(tests, pieces_appear_together_at_the_end);
    tcase_add_test(tests, an_abandoned_file_leaves_nothing);
    tcase_add_test(tests, the_mode_follows_umask_or_the_old_file);
    tcase_add_test(tests, the_file_behind_a_link_is_replaced);
    tcase_add_test(tests, what_cannot_be_written_is_named);
    tcase_add_test(tests, devices_are_written_and_stay_devices);
    tcase_add_test(tests, a_fifo_nobody_reads_is_no_hang);
    tcase_add_test(tests, a_named_descriptor_is_written_where_it_stands);
    tcase_add_loop_test(tests, a_limit_on_sizes_leaves_nothing, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
