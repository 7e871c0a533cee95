/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an array file: the same from memory and from a file, and no
 * range beyond the end.
 */
#include "tensor/byte_source.h"

#include <stdio.h>
#include <sys/stat.h>
#include "base/hash.h"
#include "unit/expect.h"
#include "unit/scratch.h"
#include "unit/tensor/suites.h"

static void expect_ranges(const kci_byte_source_t *source)
{
    kc_error_t error = KC_ERROR_INIT;
    char data[16] = "################";
    ck_assert_uint_eq(source->size, 10);
    EXPECT_OK(error,
              kci_byte_source_read(source, 2, data, 3, "f", "data", &error));
    ck_assert_mem_eq(data, "234#", 4);
    EXPECT_OK(error,
              kci_byte_source_read(source, 10, data, 0, "f", "data", &error));
    EXPECT_FAILURE(
        error, KC_ERR_FORMAT, "f: byte 8: expected 3 bytes of data, found 2",
        kci_byte_source_read(source, 8, data, 3, "f", "data", &error));
    EXPECT_FAILURE(
        error, KC_ERR_FORMAT, "expected 1 bytes of data, found 0",
        kci_byte_source_read(source, UINT64_MAX, data, 1, "f", "data", &error));
    EXPECT_FAILURE(
        error, KC_ERR_FORMAT, "found 9",
        kci_byte_source_read(source, 1, data, SIZE_MAX, "f", "data", &error));
    ck_assert_mem_eq(data, "234#", 4);
}

START_TEST(memory_and_file_answer_alike)
{
    kc_error_t error = KC_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE];
    char of_file[KCI_SHA256_TEXT_SIZE];
    char of_memory[KCI_SHA256_TEXT_SIZE];
    kci_byte_source_t file;
    kci_byte_source_t memory =
        kci_byte_source_from_memory((const unsigned char *)"0123456789", 10);
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "file", "0123456789", 10, path);
    EXPECT_OK(error, kci_byte_source_open(path, &file, &error));
    expect_ranges(&memory);
    expect_ranges(&file);
    EXPECT_OK(error, kci_byte_source_sha256(&memory, of_memory, "f", &error));
    EXPECT_OK(error, kci_byte_source_sha256(&file, of_file, "f", &error));
    ck_assert_str_eq(of_file, of_memory);
    kci_byte_source_close(&file);
    kci_byte_source_close(&file);
    kci_byte_source_close(&memory);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(a_file_written_to_is_noticed)
{
    kc_error_t error = KC_ERROR_INIT;
    char path[SCRATCH_PATH_SIZE];
    char data[16];
    kci_byte_source_t file;
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "file", "0123456789", 10, path);
    EXPECT_OK(error, kci_byte_source_open(path, &file, &error));
    EXPECT_OK(error, kci_byte_source_check_unchanged(&file, "f", &error));
    scratch_write(&scratch, "file", "01234", 5, path);
    EXPECT_FAILURE(error, KC_ERR_IO, "f: was written to",
                   kci_byte_source_check_unchanged(&file, "f", &error));
    EXPECT_FAILURE(
        error, KC_ERR_IO, "became shorter",
        kci_byte_source_read(&file, 2, data, 8, "f", "data", &error));
    kci_byte_source_close(&file);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(no_bytes_are_a_source)
{
    kc_error_t error = KC_ERROR_INIT;
    char byte = 0;
    kci_byte_source_t memory = kci_byte_source_from_memory(NULL, 0);
    EXPECT_FAILURE(
        error, KC_ERR_FORMAT, "found 0",
        kci_byte_source_read(&memory, 0, &byte, 1, "f", "data", &error));
    EXPECT_OK(error, kci_byte_source_check_unchanged(&memory, "f", &error));
    EXPECT_FAILURE(error, KC_ERR_IO, "/nowhere",
                   kci_byte_source_open("/nowhere", &memory, &error));
}
END_TEST

Suite *suite_tensor_byte_source(void)
{
    Suite *suite = suite_create("tensor/byte_source");
    TCase *tests = tcase_create("byte_source");
    tcase_add_test(tests, memory_and_file_answer_alike);
    tcase_add_test(tests, a_file_written_to_is_noticed);
    tcase_add_test(tests, no_bytes_are_a_source);
    suite_add_tcase(suite, tests);
    return suite;
}
