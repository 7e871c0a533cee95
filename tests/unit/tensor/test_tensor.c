/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors: who owns what, in every order of release, and what is refused
 * before anything is allocated.
 */
#include "tensor/tensor.h"

#include <stdint.h>
#include "unit/expect.h"
#include "unit/tensor/counting_allocator.h"
#include "unit/tensor/suites.h"

static const int64_t two_by_three[] = {2, 3};

START_TEST(a_tensor_is_dense_and_aligned)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    counting_allocator_init(&allocator, -1);
    EXPECT_OK(error, kci_tensor_create(&allocator.host, KC_DTYPE_F64, 2,
                                       two_by_three, &tensor, &error));
    ck_assert_int_eq(tensor->view.ndim, 2);
    ck_assert_int_eq(tensor->view.shape[1], 3);
    ck_assert_int_eq(tensor->view.strides[0], 3);
    ck_assert_int_eq(tensor->view.strides[1], 1);
    ck_assert_int_eq(tensor->view.device.device_type, kDLCPU);
    ck_assert_int_eq(kc_tensor_dtype(&tensor->view), KC_DTYPE_F64);
    ck_assert_uint_eq((uintptr_t)tensor->view.data % 64, 0);
    ck_assert_uint_eq(tensor->storage->size_bytes, 48);
    ck_assert(kci_tensor_is_dense(&tensor->view));
    kci_tensor_release(tensor);
    kci_tensor_release(NULL);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

START_TEST(scalars_and_empty_tensors)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *scalar = NULL;
    kc_tensor_t *empty = NULL;
    counting_allocator_init(&allocator, -1);
    EXPECT_OK(error, kci_tensor_create(&allocator.host, KC_DTYPE_F32, 0, NULL,
                                       &scalar, &error));
    EXPECT_OK(error, kci_tensor_create(&allocator.host, KC_DTYPE_F32, 2,
                                       (const int64_t[]){0, INT64_MAX}, &empty,
                                       &error));
    ck_assert_int_eq(kc_tensor_element_count(&scalar->view), 1);
    ck_assert_uint_eq(scalar->storage->size_bytes, 4);
    ck_assert_int_eq(kc_tensor_element_count(&empty->view), 0);
    ck_assert_uint_eq(empty->storage->size_bytes, 0);
    ck_assert(kci_tensor_is_dense(&empty->view));
    kci_tensor_release(scalar);
    kci_tensor_release(empty);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

START_TEST(bad_descriptions_allocate_nothing)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    counting_allocator_init(&allocator, -1);
    EXPECT_FAILURE(error, KC_ERR_FORMAT, "too many elements",
                   kci_tensor_create(&allocator.host, KC_DTYPE_F32, 3,
                                     (const int64_t[]){0, INT64_MAX, 4},
                                     &tensor, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "cannot be addressed",
                   kci_tensor_create(&allocator.host, KC_DTYPE_F64, 1,
                                     (const int64_t[]){INT64_MAX}, &tensor,
                                     &error));
    EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                   kci_tensor_create(&allocator.host, KC_DTYPE_F64, 1,
                                     (const int64_t[]){INT64_MAX / 4}, &tensor,
                                     &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "not an element type",
                   kci_tensor_create(&allocator.host, 77, 1, two_by_three,
                                     &tensor, &error));
    ck_assert_ptr_null(tensor);
    ck_assert_uint_lt(allocator.largest, 1000);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

START_TEST(no_memory_leaves_nothing)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    for (int granted = 0; granted < 3; granted++) {
        counting_allocator_init(&allocator, granted);
        EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                       kci_tensor_create(&allocator.host, KC_DTYPE_F32, 2,
                                         two_by_three, &tensor, &error));
        ck_assert_ptr_null(tensor);
        counting_allocator_expect_empty(&allocator);
    }
}
END_TEST

static void count_release(void *context)
{
    ++*(int *)context;
}

START_TEST(borrowed_memory_is_released_once)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    float data[6] = {0};
    int released = 0;
    counting_allocator_init(&allocator, -1);
    EXPECT_OK(error, kci_tensor_wrap(&allocator.host, KC_DTYPE_F32, 2,
                                     two_by_three, NULL, data, count_release,
                                     &released, &tensor, &error));
    ck_assert_ptr_eq(tensor->view.data, data);
    ck_assert_int_eq(released, 0);
    kci_tensor_release(tensor);
    ck_assert_int_eq(released, 1);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

START_TEST(borrowed_strides_are_checked)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    float data[8] = {0};
    counting_allocator_init(&allocator, -1);
    EXPECT_OK(error, kci_tensor_wrap(&allocator.host, KC_DTYPE_F32, 2,
                                     two_by_three, (const int64_t[]){1, 2},
                                     data, NULL, NULL, &tensor, &error));
    ck_assert_uint_eq(tensor->storage->size_bytes, 24);
    ck_assert(!kci_tensor_is_dense(&tensor->view));
    kci_tensor_release(tensor);
    tensor = NULL;
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "a stride >= 0 on axis 1",
                   kci_tensor_wrap(&allocator.host, KC_DTYPE_F32, 2,
                                   two_by_three, (const int64_t[]){3, -1}, data,
                                   NULL, NULL, &tensor, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "strides reach beyond",
                   kci_tensor_wrap(&allocator.host, KC_DTYPE_F32, 2,
                                   two_by_three,
                                   (const int64_t[]){INT64_MAX, 1}, data, NULL,
                                   NULL, &tensor, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "strides reach beyond",
                   kci_tensor_wrap(&allocator.host, KC_DTYPE_F32, 2,
                                   two_by_three,
                                   (const int64_t[]){INT64_MAX / 2, 1}, data,
                                   NULL, NULL, &tensor, &error));
    ck_assert_ptr_null(tensor);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

START_TEST(borrowed_memory_that_cannot_be_used_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    float data[8] = {0};
    int released = 0;
    counting_allocator_init(&allocator, -1);
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "found NULL",
                   kci_tensor_wrap(&allocator.host, KC_DTYPE_F32, 2,
                                   two_by_three, NULL, NULL, count_release,
                                   &released, &tensor, &error));
    EXPECT_FAILURE(error, KC_ERR_ARGUMENT, "aligned to 4",
                   kci_tensor_wrap(&allocator.host, KC_DTYPE_F32, 2,
                                   two_by_three, NULL, (char *)data + 1,
                                   count_release, &released, &tensor, &error));
    for (int granted = 0; granted < 2; granted++) {
        counting_allocator_init(&allocator, granted);
        EXPECT_FAILURE(error, KC_ERR_MEMORY, "out of memory",
                       kci_tensor_wrap(&allocator.host, KC_DTYPE_F32, 2,
                                       two_by_three, NULL, data, count_release,
                                       &released, &tensor, &error));
        counting_allocator_expect_empty(&allocator);
    }
    ck_assert_int_eq(released, 0);
    counting_allocator_init(&allocator, -1);
    EXPECT_OK(error, kci_tensor_wrap(&allocator.host, KC_DTYPE_F32, 1,
                                     (const int64_t[]){0}, NULL, NULL, NULL,
                                     NULL, &tensor, &error));
    kci_tensor_release(tensor);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

START_TEST(a_reshape_shares_the_storage)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    kc_tensor_t *flat = NULL;
    kc_tensor_t *bad = NULL;
    counting_allocator_init(&allocator, -1);
    EXPECT_OK(error, kci_tensor_create(&allocator.host, KC_DTYPE_F32, 2,
                                       two_by_three, &tensor, &error));
    EXPECT_OK(error, kci_tensor_reshape(tensor, 1, (const int64_t[]){6}, &flat,
                                        &error));
    EXPECT_FAILURE(
        error, KC_ERR_ARGUMENT, "at least 28 bytes",
        kci_tensor_reshape(tensor, 1, (const int64_t[]){7}, &bad, &error));
    allocator.granted = 0;
    EXPECT_FAILURE(
        error, KC_ERR_MEMORY, "out of memory",
        kci_tensor_reshape(tensor, 1, (const int64_t[]){6}, &bad, &error));
    ck_assert_ptr_eq(flat->view.data, tensor->view.data);
    kci_tensor_release(tensor);
    ((float *)flat->view.data)[5] = 1.0f;
    kci_tensor_release(flat);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

START_TEST(a_share_keeps_view_and_memory)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    kc_tensor_t *share = NULL;
    float data[6] = {0};
    int released = 0;
    counting_allocator_init(&allocator, -1);
    EXPECT_OK(error,
              kci_tensor_wrap(&allocator.host, KC_DTYPE_F32, 2, two_by_three,
                              (const int64_t[]){1, 2}, data, count_release,
                              &released, &tensor, &error));
    EXPECT_OK(error, kci_tensor_share(tensor, &share, &error));
    kci_tensor_release(tensor);
    ck_assert_int_eq(released, 0);
    ck_assert_ptr_eq(share->view.data, data);
    ck_assert_ptr_eq(share->view.shape, share->shape);
    ck_assert_int_eq(share->view.strides[1], 2);
    kci_tensor_release(share);
    ck_assert_int_eq(released, 1);
    counting_allocator_expect_empty(&allocator);
}
END_TEST

Suite *suite_tensor_tensor(void)
{
    Suite *suite = suite_create("tensor/tensor");
    TCase *tests = tcase_create("tensor");
    tcase_add_test(tests, a_tensor_is_dense_and_aligned);
    tcase_add_test(tests, scalars_and_empty_tensors);
    tcase_add_test(tests, bad_descriptions_allocate_nothing);
    tcase_add_test(tests, no_memory_leaves_nothing);
    tcase_add_test(tests, borrowed_memory_is_released_once);
    tcase_add_test(tests, borrowed_strides_are_checked);
    tcase_add_test(tests, borrowed_memory_that_cannot_be_used_is_refused);
    tcase_add_test(tests, a_reshape_shares_the_storage);
    tcase_add_test(tests, a_share_keeps_view_and_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
