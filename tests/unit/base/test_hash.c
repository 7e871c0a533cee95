/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 against the examples of FIPS 180-4, from memory and from files.
 */
#include "base/hash.h"

#include <fcntl.h>
#include <unistd.h>
#include "unit/base/suites.h"
#include "unit/expect.h"
#include "unit/scratch.h"

#define OF_NOTHING                                                             \
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define OF_ABC                                                                 \
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

START_TEST(known_digests)
{
    char text[KCI_SHA256_TEXT_SIZE];
    kci_sha256_bytes("abc", 3, text);
    ck_assert_str_eq(text, OF_ABC);
    kci_sha256_bytes("", 0, text);
    ck_assert_str_eq(text, OF_NOTHING);
}
END_TEST

START_TEST(a_large_file_is_hashed_like_its_bytes)
{
    kc_error_t error = KC_ERROR_INIT;
    static char data[100000];
    char path[SCRATCH_PATH_SIZE];
    char of_bytes[KCI_SHA256_TEXT_SIZE];
    char of_file[KCI_SHA256_TEXT_SIZE];
    scratch_t scratch = scratch_make();
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (char)(i * 7 % 251);
    }
    scratch_write(&scratch, "file", data, sizeof data, path);
    kci_sha256_bytes(data, sizeof data, of_bytes);
    EXPECT_OK(error, kci_sha256_file(path, of_file, &error));
    ck_assert_str_eq(of_file, of_bytes);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(a_descriptor_keeps_its_offset)
{
    kc_error_t error = KC_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE];
    char text[KCI_SHA256_TEXT_SIZE];
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "file", "abc", 3, path);
    int descriptor = open(path, O_RDONLY);
    ck_assert_int_eq(lseek(descriptor, 2, SEEK_SET), 2);
    EXPECT_OK(error, kci_sha256_descriptor(descriptor, text, &error));
    ck_assert_str_eq(text, OF_ABC);
    ck_assert_int_eq(lseek(descriptor, 0, SEEK_CUR), 2);
    close(descriptor);
    EXPECT_FAILURE(error, KC_ERR_IO, "cannot be read",
                   kci_sha256_descriptor(descriptor, text, &error));
    scratch_remove(&scratch);
}
END_TEST

START_TEST(only_files_are_hashed)
{
    kc_error_t error = KC_ERROR_INIT;
    char text[KCI_SHA256_TEXT_SIZE] = "";
    EXPECT_FAILURE(error, KC_ERR_IO, "/dev/zero: expected a file",
                   kci_sha256_file("/dev/zero", text, &error));
    ck_assert_str_eq(text, "");
}
END_TEST

Suite *suite_base_hash(void)
{
    Suite *suite = suite_create("base/hash");
    TCase *tests = tcase_create("hash");
    tcase_add_test(tests, known_digests);
    tcase_add_test(tests, a_large_file_is_hashed_like_its_bytes);
    tcase_add_test(tests, a_descriptor_keeps_its_offset);
    tcase_add_test(tests, only_files_are_hashed);
    suite_add_tcase(suite, tests);
    return suite;
}
