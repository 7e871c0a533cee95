/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of a file before its bytes: kind, permissions, size.
 */
#include "module/file_judge.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

static void expect_verdict(const char *path, kc_status_t status,
                           const char *text)
{
    kci_module_file_t *file = inspect_path(path);
    ck_assert_msg(file->verdict.status == status, "%d %s", file->verdict.status,
                  file->verdict.message);
    ck_assert_msg(strstr(file->verdict.message, text) != NULL, "%s",
                  file->verdict.message);
    ck_assert_msg(strstr(file->verdict.message, path) != NULL, "%s",
                  file->verdict.message);
    ck_assert_int_eq(file->descriptor, -1);
    kci_module_file_release(file);
}

START_TEST(what_is_no_file_is_refused_without_waiting)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_name(&scratch, "folder.so", path);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    expect_verdict(path, KC_ERR_IO, "expected a file, found a directory");
    scratch_name(&scratch, "fifo.so", path);
    ck_assert_int_eq(mkfifo(path, 0644), 0);
    expect_verdict(path, KC_ERR_IO, "expected a file, found a FIFO");
    scratch_name(&scratch, "dangling.so", path);
    ck_assert_int_eq(symlink("nowhere", path), 0);
    expect_verdict(path, KC_ERR_IO, "No such file");
    scratch_name(&scratch, "loop.so", path);
    ck_assert_int_eq(symlink("loop.so", path), 0);
    expect_verdict(path, KC_ERR_IO, "cannot be opened");
    expect_verdict("/dev/null", KC_ERR_IO, "found a device");
    scratch_remove(&scratch);
}
END_TEST

START_TEST(what_everybody_writes_is_refused)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    mock_copy("good", &scratch, "m.so", path);
    ck_assert_int_eq(chmod(path, 0646), 0);
    expect_verdict(path, KC_ERR_MODULE, "found mode 0646");
    ck_assert_int_eq(chmod(path, 0664), 0);
    kci_module_file_t *file = inspect_path(path);
    ck_assert_int_eq(file->verdict.status, KC_OK);
    kci_module_file_release(file);
    ck_assert_int_eq(chmod(scratch.path, 01777), 0);
    expect_verdict(path, KC_ERR_MODULE, "writable by everybody");
    ck_assert(kci_is_world_writable(scratch.path));
    ck_assert_int_eq(chmod(scratch.path, 0755), 0);
    ck_assert(!kci_is_world_writable(scratch.path));
    scratch_remove(&scratch);
}
END_TEST

START_TEST(what_cannot_be_read_is_said)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    mock_copy("good", &scratch, "m.so", path);
    ck_assert_int_eq(chmod(path, 0), 0);
    ck_assert_int_eq(chmod(scratch.path, 0755), 0);
    if (getuid() == 0) {
        ck_assert_int_eq(setegid(65534), 0);
        ck_assert_int_eq(seteuid(65534), 0);
    }
    expect_verdict(path, KC_ERR_IO, "Permission denied");
    if (getuid() == 0) {
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert_int_eq(setegid(0), 0);
    }
    scratch_remove(&scratch);
}
END_TEST

START_TEST(an_absurd_size_is_not_read)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "huge.so", "x", 1, path);
    if (truncate(path, (off_t)1 << 40) == 0) {
        expect_verdict(path, KC_ERR_MODULE, "expected at most 536870912");
    }
    scratch_remove(&scratch);
}
END_TEST

START_TEST(bytes_that_are_no_module)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "text.so", "no object", 9, path);
    expect_verdict(path, KC_ERR_MODULE, "found something else of 9 bytes");
    scratch_write(&scratch, "empty.so", "", 0, path);
    expect_verdict(path, KC_ERR_MODULE, "found something else of 0 bytes");
    scratch_remove(&scratch);
}
END_TEST

START_TEST(the_hash_is_that_of_the_bytes)
{
    char path[SCRATCH_PATH_SIZE];
    char wanted[KCI_SHA256_TEXT_SIZE];
    size_t size = 0;
    unsigned char *bytes = mock_bytes("good", &size);
    mock_path("good", path);
    kci_sha256_bytes(bytes, size, wanted);
    kci_module_file_t *file = inspect_path(path);
    ck_assert_str_eq(file->sha256, wanted);
    ck_assert_int_ge(file->descriptor, 0);
    ck_assert_int_ne(fcntl(file->descriptor, F_GETFD) & FD_CLOEXEC, 0);
    kci_module_file_release(file);
    free(bytes);
}
END_TEST

START_TEST(a_long_path_leaves_room_for_the_reason)
{
    char path[1024] = "/";
    kc_error_t error = KC_ERROR_INIT;
    memset(path + 1, 'd', sizeof path - 2);
    path[900] = '/';
    strcpy(error.message, "reason");
    kci_file_name_in(path, &error);
    ck_assert_ptr_nonnull(strstr(error.message, ": reason"));
    ck_assert_ptr_eq(kci_path_in_message(path), path + 901);
    ck_assert_str_eq(kci_path_in_message("/a/b"), "/a/b");
    ck_assert_str_eq(kci_path_in_message(NULL), "module");
}
END_TEST

Suite *suite_module_file_judge(void)
{
    Suite *suite = suite_create("module/file_judge");
    TCase *tests = tcase_create("file_judge");
    tcase_add_test(tests, what_is_no_file_is_refused_without_waiting);
    tcase_add_test(tests, what_everybody_writes_is_refused);
    tcase_add_test(tests, what_cannot_be_read_is_said);
    tcase_add_test(tests, an_absurd_size_is_not_read);
    tcase_add_test(tests, bytes_that_are_no_module);
    tcase_add_test(tests, the_hash_is_that_of_the_bytes);
    tcase_add_test(tests, a_long_path_leaves_room_for_the_reason);
    suite_add_tcase(suite, tests);
    return suite;
}
