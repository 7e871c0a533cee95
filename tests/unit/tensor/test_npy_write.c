/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing npy files: the bytes numpy would write, the same under every
 * locale, and read back equal.
 */
#include "tensor/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/file_bytes.h"
#include "unit/comma_locale.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/scratch.h"
#include "unit/tensor/counting_allocator.h"
#include "unit/tensor/suites.h"

static const int64_t two_by_three[] = {2, 3};

static kc_tensor_t *wrap(counting_allocator_t *allocator, int32_t dtype,
                         int32_t rank, const int64_t *dims,
                         const int64_t *strides, void *data)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(error,
              kci_tensor_wrap(&allocator->host, dtype, rank, dims, strides,
                              data, NULL, NULL, &tensor, &error));
    return tensor;
}

/* Writes the tensor and checks every byte of the file. */
static void expect_file(kc_tensor_t *tensor, const char *dictionary,
                        const void *data, size_t data_size)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_bytes_t bytes = {NULL, 0};
    char path[SCRATCH_PATH_SIZE];
    char header[256];
    scratch_t scratch = scratch_make();
    scratch_name(&scratch, "a.npy", path);
    EXPECT_OK(error, kci_npy_write(path, &tensor->view, &error));
    EXPECT_OK(error, kci_file_read(path, &bytes, &error));
    ck_assert_uint_eq(bytes.size, 128 + data_size);
    memcpy(header, "\x93NUMPY\1\0\x76\0", 10);
    snprintf(header + 10, sizeof header - 10, "%-117s\n", dictionary);
    ck_assert_mem_eq(bytes.data, header, 128);
    ck_assert_mem_eq(bytes.data + 128, data, data_size);
    kci_bytes_release(&bytes);
    scratch_remove(&scratch);
    kci_tensor_release(tensor);
}

START_TEST(dense_and_strided_views_are_written_alike)
{
    static const char *const dictionary =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    counting_allocator_t allocator;
    float by_rows[] = {1, 2, 3, 4, 5, 6};
    float by_columns[] = {1, 4, 2, 5, 3, 6};
    counting_allocator_init(&allocator, -1);
    expect_file(wrap(&allocator, KC_DTYPE_F32, 2, two_by_three, NULL, by_rows),
                dictionary, by_rows, sizeof by_rows);
    expect_file(wrap(&allocator, KC_DTYPE_F32, 2, two_by_three,
                     (const int64_t[]){1, 2}, by_columns),
                dictionary, by_rows, sizeof by_rows);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

START_TEST(every_shape_has_its_text)
{
    counting_allocator_t allocator;
    int64_t numbers[5] = {1, -2, 3, 4, 5};
    unsigned char bools[2] = {2, 0};
    counting_allocator_init(&allocator, -1);
    expect_file(wrap(&allocator, KC_DTYPE_I64, 0, NULL, NULL, numbers),
                "{'descr': '<i8', 'fortran_order': False, 'shape': (), }",
                numbers, 8);
    expect_file(
        wrap(&allocator, KC_DTYPE_I64, 1, (const int64_t[]){5}, NULL, numbers),
        "{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }", numbers,
        40);
    expect_file(
        wrap(&allocator, KC_DTYPE_F64, 2, (const int64_t[]){0, 7}, NULL, NULL),
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 7), }", "", 0);
    expect_file(
        wrap(&allocator, KC_DTYPE_BOOL, 1, (const int64_t[]){2}, NULL, bools),
        "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\1\0", 2);
}
END_TEST

START_TEST(the_locale_changes_no_byte)
{
    counting_allocator_t allocator;
    float data[] = {0.5f};
    scratch_t scratch = scratch_make();
    (void)comma_locale_begin(&scratch);
    counting_allocator_init(&allocator, -1);
    expect_file(
        wrap(&allocator, KC_DTYPE_F32, 2, (const int64_t[]){1, 1}, NULL, data),
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }", data, 4);
    comma_locale_end();
    scratch_remove(&scratch);
}
END_TEST

START_TEST(what_was_written_is_read)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    kc_tensor_t *again = NULL;
    char path[SCRATCH_PATH_SIZE];
    int64_t dims[KC_MAX_RANK];
    scratch_t scratch = scratch_make();
    scratch_name(&scratch, "a.npy", path);
    counting_allocator_init(&allocator, -1);
    for (int i = 0; i < KC_MAX_RANK; i++) {
        dims[i] = 1 + i % 2;
    }
    EXPECT_OK(error, kci_tensor_create(&allocator.host, KC_DTYPE_I32,
                                       KC_MAX_RANK, dims, &tensor, &error));
    for (int i = 0; i < 256; i++) {
        ((int32_t *)tensor->view.data)[i] = i * i - 99;
    }
    EXPECT_OK(error, kci_npy_write(path, &tensor->view, &error));
    EXPECT_OK(error, kci_npy_read(&allocator.host, path, &again, &error));
    ck_assert_mem_eq(again->view.data, tensor->view.data, 1024);
    ck_assert_int_eq(again->view.ndim, KC_MAX_RANK);
    kci_tensor_release(tensor);
    kci_tensor_release(again);
    counting_allocator_expect_empty(&allocator);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(a_failure_leaves_the_old_file)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    char path[SCRATCH_PATH_SIZE];
    float data[6] = {0};
    scratch_t scratch = scratch_make();
    scratch_write(&scratch, "a.npy", "old", 3, path);
    counting_allocator_init(&allocator, -1);
    kc_tensor_t *tensor = wrap(&allocator, KC_DTYPE_F32, 2, two_by_three,
                               (const int64_t[]){1, 2}, data);
    for (int granted = 0; granted < 4; granted++) {
        failing_heap_break_after(granted);
        kc_status_t status = kci_npy_write(path, &tensor->view, &error);
        failing_heap_mend();
        ck_assert_int_eq(status, KC_ERR_MEMORY);
        ck_assert_int_eq(scratch_count(&scratch), 1);
    }
    EXPECT_FAILURE(error, KC_ERR_IO, "cannot be written",
                   kci_npy_write("/dev/full", &tensor->view, &error));
    tensor->view.dtype.bits = 16;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "no npy name",
                   kci_npy_write(path, &tensor->view, &error));
    kci_tensor_release(tensor);
    kci_bytes_t bytes = {NULL, 0};
    EXPECT_OK(error, kci_file_read(path, &bytes, &error));
    ck_assert_mem_eq(bytes.data, "old", 4);
    kci_bytes_release(&bytes);
    scratch_remove(&scratch);
}
END_TEST

Suite *suite_tensor_npy_write(void)
{
    Suite *suite = suite_create("tensor/npy_write");
    TCase *tests = tcase_create("npy_write");
    tcase_add_test(tests, dense_and_strided_views_are_written_alike);
    tcase_add_test(tests, every_shape_has_its_text);
    tcase_add_test(tests, the_locale_changes_no_byte);
    tcase_add_test(tests, what_was_written_is_read);
    tcase_add_test(tests, a_failure_leaves_the_old_file);
    suite_add_tcase(suite, tests);
    return suite;
}
