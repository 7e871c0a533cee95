/* SPDX-License-Identifier: Apache-2.0
 *
 * One image a file: shared, unmapped by its last user, never confused with
 * another that comes to have the same descriptor.
 */
#include "module/image.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

static kci_image_t *acquire(const kci_module_file_t *file)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_image_t *image = NULL;
    EXPECT_OK(error, kci_image_acquire_locked(file, &image, &error));
    return image;
}

static void expect_refusal(const kci_module_file_t *file, const char *text)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_image_t *image = NULL;
    EXPECT_FAILURE(error, KC_ERR_BINDING, text,
                   kci_image_acquire_locked(file, &image, &error));
}

START_TEST(two_records_share_one_image)
{
    char path[SCRATCH_PATH_SIZE];
    mock_path("good", path);
    kci_loader_lock();
    kci_loader_lock(); /* the lock is recursive */
    kci_module_file_t *first = inspect_path(path);
    kci_module_file_t *second = inspect_path(path);
    kci_image_t *image = acquire(first);
    int mapped = mapped_lines(path);
    ck_assert_int_gt(mapped, 0);
    ck_assert_ptr_eq(acquire(second), image);
    ck_assert_int_eq(mapped_lines(path), mapped);
    kci_module_file_release(first);
    kci_image_release_locked(image);
    ck_assert_int_eq(mapped_lines(path), mapped);
    kci_image_release_locked(image);
    ck_assert_int_eq(mapped_lines(path), 0);
    kci_module_file_release(second);
    kci_image_release_locked(NULL);
    kci_loader_unlock();
    kci_loader_unlock();
}
END_TEST

/* The linker knows images by the number of a descriptor: no other module may
 * come to have that number while the image is mapped. */
START_TEST(a_number_never_means_another_module)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_module_entry_fn entry = NULL;
    kci_module_file_t *first = inspect_mock("good");
    kci_module_file_t *again = inspect_mock("good");
    kci_image_t *image = acquire(first);
    ck_assert_ptr_eq(acquire(again), image);
    kci_image_release_locked(image);
    kci_module_file_release(first); /* gives its descriptor back */
    kci_module_file_t *other = inspect_mock("other_provider");
    kci_image_t *other_image = acquire(other);
    ck_assert_ptr_ne(kci_image_library(other_image), kci_image_library(image));
    EXPECT_OK(error, kci_image_entry(other_image, &entry, &error));
    ck_assert_str_eq(entry()->name, "zenith");
    kci_image_release_locked(other_image);
    kci_image_release_locked(image);
    kci_module_file_release(other);
    kci_module_file_release(again);
}
END_TEST

/* Adds a byte behind the end, or changes the last one. */
static void change(const char *path)
{
    int descriptor = open(path, O_WRONLY | O_APPEND);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, "x", 1), 1);
    ck_assert_int_eq(close(descriptor), 0);
}

START_TEST(bytes_that_changed_are_not_loaded)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    mock_copy("good", &scratch, "m.so", path);
    kci_module_file_t *file = inspect_path(path);
    change(path);
    expect_refusal(file, "expected the bytes that were judged (sha256 ");
    ck_assert_int_eq(mapped_lines(path), 0);
    kci_module_file_release(file);
    scratch_remove(&scratch);
}
END_TEST

/* Replacing by rename is how packages are installed: what was judged is what
 * is loaded, also when the name means something else by now. */
START_TEST(a_file_replaced_by_rename_is_the_judged_one)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_module_entry_fn entry = NULL;
    char path[SCRATCH_PATH_SIZE];
    char other[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    mock_copy("good", &scratch, "m.so", path);
    mock_copy("other_provider", &scratch, "n.so", other);
    kci_module_file_t *file = inspect_path(path);
    ck_assert_int_eq(rename(other, path), 0);
    kci_image_t *image = acquire(file);
    EXPECT_OK(error, kci_image_entry(image, &entry, &error));
    ck_assert_str_eq(entry()->name, "acme");
    kci_image_release_locked(image);
    kci_module_file_release(file);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(an_earlier_version_that_is_loaded_is_said)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_t scratch = scratch_make();
    mock_copy("good", &scratch, "m.so", path);
    kci_module_file_t *before = inspect_path(path);
    kci_image_t *image = acquire(before);
    change(path);
    kci_module_file_t *after = inspect_path(path);
    ck_assert_str_ne(before->sha256, after->sha256);
    expect_refusal(after, "found an earlier version still loaded");
    kci_image_release_locked(image);
    image = acquire(after);
    kci_image_release_locked(image);
    kci_module_file_release(before);
    kci_module_file_release(after);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(what_has_threads_stays)
{
    char path[SCRATCH_PATH_SIZE];
    mock_path("starts_threads", path);
    kci_module_file_t *file = inspect_path(path);
    kci_image_t *image = acquire(file);
    int mapped = mapped_lines(path);
    kci_image_release_locked(image);
    ck_assert_int_eq(mapped_lines(path), mapped);
    int descriptors = descriptor_count();
    ck_assert_ptr_eq(acquire(file), image);
    kci_image_release_locked(image);
    ck_assert_int_eq(descriptor_count(), descriptors);
    kci_module_file_release(file);
}
END_TEST

START_TEST(a_missing_function_is_named)
{
    char path[SCRATCH_PATH_SIZE];
    mock_path("undefined_symbol", path);
    kci_module_file_t *file = inspect_path(path);
    expect_refusal(file, "undefined symbol: kc_mock_missing_function");
    ck_assert_int_eq(mapped_lines(path), 0);
    kci_module_file_release(file);
}
END_TEST

/* A root folder without /proc; only root may have one, and come back. */
START_TEST(without_proc_the_error_says_so)
{
    scratch_t scratch = scratch_make();
    kci_module_file_t *file = inspect_mock("good");
    int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (chroot(scratch.path) == 0) {
        expect_refusal(file,
                       "loading needs /proc: expected the file at /proc/");
        ck_assert_int_eq(fchdir(root), 0);
        ck_assert_int_eq(chroot("."), 0);
    }
    ck_assert_int_eq(close(root), 0);
    kci_module_file_release(file);
    scratch_remove(&scratch);
}
END_TEST

Suite *suite_module_image(void)
{
    Suite *suite = suite_create("module/image");
    TCase *tests = tcase_create("image");
    tcase_add_test(tests, two_records_share_one_image);
    tcase_add_test(tests, a_number_never_means_another_module);
    tcase_add_test(tests, bytes_that_changed_are_not_loaded);
    tcase_add_test(tests, a_file_replaced_by_rename_is_the_judged_one);
    tcase_add_test(tests, an_earlier_version_that_is_loaded_is_said);
    tcase_add_test(tests, what_has_threads_stays);
    tcase_add_test(tests, a_missing_function_is_named);
    tcase_add_test(tests, without_proc_the_error_says_so);
    suite_add_tcase(suite, tests);
    return suite;
}
