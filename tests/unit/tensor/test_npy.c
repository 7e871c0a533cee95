/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading npy files: right matrices, and sizes that are never believed.
 */
#include "tensor/npy.h"

#include <stdlib.h>
#include "unit/address_space.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/scratch.h"
#include "unit/tensor/array_file.h"
#include "unit/tensor/counting_allocator.h"
#include "unit/tensor/suites.h"

#define GOOD "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } \n"

static const float one_to_six[] = {1, 2, 3, 4, 5, 6};
/* 1..6 of a 2x3 matrix, columns first. */
static const float by_columns[] = {1, 4, 2, 5, 3, 6};

static kc_status_t parse(counting_allocator_t *allocator,
                         const array_file_t *file, size_t size,
                         kc_tensor_t **out_tensor, kc_error_t *error)
{
    unsigned char *bytes = array_file_exact(file, size);
    kc_status_t status = kci_npy_parse(&allocator->host, bytes, size, "a.npy",
                                       out_tensor, error);
    free(bytes);
    return status;
}

static void expect_refused(const array_file_t *file, const char *message)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    counting_allocator_init(&allocator, -1);
    EXPECT_FAILURE(error, KC_ERR_FORMAT, message,
                   parse(&allocator, file, file->size, &tensor, &error));
    ck_assert_ptr_null(tensor);
    ck_assert_uint_eq(allocator.largest, 0);
}

static void expect_one_to_six(kc_tensor_t *tensor)
{
    ck_assert_int_eq(tensor->view.ndim, 2);
    ck_assert_int_eq(tensor->view.shape[0], 2);
    ck_assert_int_eq(tensor->view.shape[1], 3);
    ck_assert_int_eq(kc_tensor_dtype(&tensor->view), KC_DTYPE_F32);
    ck_assert_mem_eq(tensor->view.data, one_to_six, sizeof one_to_six);
    kci_tensor_release(tensor);
}

START_TEST(all_three_versions_are_read)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    array_file_t file = array_file_npy(_i, GOOD, one_to_six, sizeof one_to_six);
    counting_allocator_init(&allocator, -1);
    EXPECT_OK(error, parse(&allocator, &file, file.size, &tensor, &error));
    expect_one_to_six(tensor);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

START_TEST(other_versions_are_refused)
{
    array_file_t file = array_file_npy(4, GOOD, one_to_six, sizeof one_to_six);
    expect_refused(&file, "byte 6: expected npy version 1.0, 2.0 or 3.0, "
                          "found 4.0");
    file.bytes[6] = 0;
    expect_refused(&file, "found 0.0");
    file.bytes[6] = 1;
    file.bytes[7] = 1;
    expect_refused(&file, "found 1.1");
    file.bytes[0] = 'x';
    expect_refused(&file, "byte 0: expected an npy file");
}
END_TEST

START_TEST(column_order_is_refused_where_it_matters)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    array_file_t file = array_file_npy(
        1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n",
        by_columns, sizeof by_columns);
    expect_refused(&file, "column order not supported");
    counting_allocator_init(&allocator, -1);
    file = array_file_npy(
        1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 6, 1), }\n",
        one_to_six, sizeof one_to_six);
    EXPECT_OK(error, parse(&allocator, &file, file.size, &tensor, &error));
    ck_assert_mem_eq(tensor->view.data, one_to_six, sizeof one_to_six);
    kci_tensor_release(tensor);
    file = array_file_npy(
        1, "{'descr': '<f4', 'fortran_order': True, 'shape': (0, 6), }\n", NULL,
        0);
    EXPECT_OK(error, parse(&allocator, &file, file.size, &tensor, &error));
    kci_tensor_release(tensor);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

START_TEST(data_of_another_length_is_refused)
{
    array_file_t file =
        array_file_npy(1, GOOD, one_to_six, sizeof one_to_six - 1);
    expect_refused(&file, "expected 24 bytes of data for shape [2, 3], found "
                          "23");
    file = array_file_npy(1, GOOD, one_to_six, sizeof one_to_six);
    file.size++;
    expect_refused(&file, "found 25");
}
END_TEST

static const struct false_claim {
    const char *header;
    const char *message;
} false_claims[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 1000)}",
     "expected 4000000 bytes of data for shape [1000, 1000], found 4"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (65536, 65536)}",
     "expected 17179869184 bytes"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': "
     "(9223372036854775807,)}",
     "needs more than 2^63 bytes"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': "
     "(2147483648, 2, 2147483648)}",
     "too many elements"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': "
     "(4294967296, 4294967296)}",
     "too many elements"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': "
     "(0, 9223372036854775807, 4)}",
     "too many elements"},
};

START_TEST(claimed_sizes_are_not_believed)
{
    array_file_t file =
        array_file_npy(1, false_claims[_i].header, one_to_six, 4);
    address_space_limit();
    expect_refused(&file, false_claims[_i].message);
}
END_TEST

START_TEST(a_claimed_header_length_is_not_believed)
{
    array_file_t file = array_file_npy(2, GOOD, one_to_six, sizeof one_to_six);
    address_space_limit();
    memset(file.bytes + 8, 0xff, 4);
    expect_refused(&file, "byte 12: expected 4294967295 bytes of header");
    file = array_file_npy(1, GOOD, NULL, 0);
    file.bytes[9] = 0xff;
    expect_refused(&file, "byte 10: expected ");
}
END_TEST

START_TEST(only_the_whole_file_passes)
{
    array_file_t whole = array_file_npy(1, GOOD, one_to_six, sizeof one_to_six);
    for (size_t size = 0; size < whole.size; size++) {
        array_file_t prefix = whole;
        prefix.size = size;
        expect_refused(&prefix, "a.npy: byte ");
    }
}
END_TEST

START_TEST(a_file_is_read_as_its_bytes)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    char path[SCRATCH_PATH_SIZE];
    array_file_t file = array_file_npy(3, GOOD, one_to_six, sizeof one_to_six);
    scratch_t scratch = scratch_make();
    counting_allocator_init(&allocator, -1);
    scratch_write(&scratch, "a.npy", file.bytes, file.size, path);
    EXPECT_OK(error, kci_npy_read(&allocator.host, path, &tensor, &error));
    expect_one_to_six(tensor);
    counting_allocator_expect_empty(&allocator);
    scratch_write(&scratch, "a.npy", file.bytes, file.size - 1, path);
    EXPECT_FAILURE(error, KC_ERR_FORMAT, path,
                   kci_npy_read(&allocator.host, path, &tensor, &error));
    EXPECT_FAILURE(
        error, KC_ERR_IO, "found a directory",
        kci_npy_read(&allocator.host, scratch.path, &tensor, &error));
    scratch_remove(&scratch);
}
END_TEST

START_TEST(bool_bytes_become_zero_or_one)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    array_file_t file = array_file_npy(
        1, "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }\n",
        "\0\1\2\xff", 4);
    counting_allocator_init(&allocator, -1);
    EXPECT_OK(error, parse(&allocator, &file, file.size, &tensor, &error));
    ck_assert_mem_eq(tensor->view.data, "\0\1\1\1", 4);
    kci_tensor_release(tensor);
}
END_TEST

START_TEST(no_memory_is_a_status)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    array_file_t file = array_file_npy(1, GOOD, one_to_six, sizeof one_to_six);
    for (int granted = 0; granted < 3; granted++) {
        counting_allocator_init(&allocator, granted);
        EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                       parse(&allocator, &file, file.size, &tensor, &error));
        counting_allocator_expect_empty(&allocator);
    }
    counting_allocator_init(&allocator, -1);
    failing_heap_break_after(0);
    kc_status_t status = kci_npy_parse(&allocator.host, file.bytes, file.size,
                                       "a.npy", &tensor, &error);
    failing_heap_mend();
    ck_assert_int_eq(status, KC_ERR_MEMORY);
    ck_assert_ptr_null(tensor);
}
END_TEST

Suite *suite_tensor_npy(void)
{
    Suite *suite = suite_create("tensor/npy");
    TCase *tests = tcase_create("npy");
    tcase_add_loop_test(tests, all_three_versions_are_read, 1, 4);
    tcase_add_test(tests, other_versions_are_refused);
    tcase_add_test(tests, column_order_is_refused_where_it_matters);
    tcase_add_test(tests, data_of_another_length_is_refused);
    tcase_add_loop_test(tests, claimed_sizes_are_not_believed, 0,
                        (int)(sizeof false_claims / sizeof *false_claims));
    tcase_add_test(tests, a_claimed_header_length_is_not_believed);
    tcase_add_test(tests, only_the_whole_file_passes);
    tcase_add_test(tests, a_file_is_read_as_its_bytes);
    tcase_add_test(tests, bool_bytes_become_zero_or_one);
    tcase_add_test(tests, no_memory_is_a_status);
    suite_add_tcase(suite, tests);
    return suite;
}
