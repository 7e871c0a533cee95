/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors files: opening, names, loading one by one, and lengths that are
 * never believed.
 */
#include "tensor/safetensors.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/hash.h"
#include "unit/address_space.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/scratch.h"
#include "unit/tensor/array_file.h"
#include "unit/tensor/counting_allocator.h"
#include "unit/tensor/suites.h"

#define SMALL_STACK_SIZE (256 * 1024)

/* b before a in the data, a before b in the header; a half and a mask. */
#define GOOD                                                                   \
    "{\"a.weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,32]" \
    "},\"b\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"         \
    "\"half\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[32,36]},"     \
    "\"mask\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[36,39]},"    \
    "\"none\":{\"dtype\":\"F32\",\"shape\":[0,4],\"data_offsets\":[39,39]}}"

static array_file_t good_file(void)
{
    unsigned char data[39] = {7};
    static const float numbers[6] = {1, 2, 3, 4, 5, 6};
    memcpy(data + 8, numbers, sizeof numbers);
    data[36] = 0;
    data[37] = 1;
    data[38] = 5;
    return array_file_safetensors(GOOD, data, sizeof data);
}

static kc_tensor_t *load(const kci_safetensors_t *file, const char *name,
                         counting_allocator_t *allocator)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(error, kci_safetensors_load(file, name, &allocator->host, &tensor,
                                          &error));
    return tensor;
}

static void expect_good_tensors(const kci_safetensors_t *file)
{
    counting_allocator_t allocator;
    static const float numbers[6] = {1, 2, 3, 4, 5, 6};
    counting_allocator_init(&allocator, -1);
    kc_tensor_t *weight = load(file, "a.weight", &allocator);
    ck_assert_int_eq(weight->view.shape[0], 2);
    ck_assert_mem_eq(weight->view.data, numbers, sizeof numbers);
    kc_tensor_t *scalar = load(file, "b", &allocator);
    ck_assert_int_eq(scalar->view.ndim, 0);
    ck_assert_int_eq(*(int64_t *)scalar->view.data, 7);
    kc_tensor_t *mask = load(file, "mask", &allocator);
    ck_assert_mem_eq(mask->view.data, "\0\1\1", 3);
    kc_tensor_t *none = load(file, "none", &allocator);
    ck_assert_int_eq(kc_tensor_element_count(&none->view), 0);
    kci_tensor_release(weight);
    kci_tensor_release(scalar);
    kci_tensor_release(mask);
    kci_tensor_release(none);
    counting_allocator_expect_empty(&allocator);
}

static void expect_good_file(const kci_safetensors_t *file)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kc_tensor_t *tensor = NULL;
    char sha256[KCI_SHA256_TEXT_SIZE];
    array_file_t bytes = good_file();
    counting_allocator_init(&allocator, -1);
    ck_assert_uint_eq(kci_safetensors_count(file), 5);
    ck_assert_str_eq(kci_safetensors_name(file, 0), "a.weight");
    ck_assert_str_eq(kci_safetensors_name(file, 4), "none");
    kci_sha256_bytes(bytes.bytes, bytes.size, sha256);
    ck_assert_str_eq(kci_safetensors_sha256(file), sha256);
    expect_good_tensors(file);
    EXPECT_FAILURE(
        error, KC_ERR_NOT_FOUND, "no tensor `a`",
        kci_safetensors_load(file, "a", &allocator.host, &tensor, &error));
    EXPECT_FAILURE(
        error, KC_ERR_FORMAT, "`half`: expected type F32",
        kci_safetensors_load(file, "half", &allocator.host, &tensor, &error));
    ck_assert_ptr_null(tensor);
}

START_TEST(memory_and_file_answer_alike)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_safetensors_t *file = NULL;
    char path[SCRATCH_PATH_SIZE];
    array_file_t bytes = good_file();
    scratch_t scratch = scratch_make();
    EXPECT_OK(error, kci_safetensors_parse(bytes.bytes, bytes.size, "w", &file,
                                           &error));
    expect_good_file(file);
    kci_safetensors_close(file);
    kci_safetensors_close(NULL);
    scratch_write(&scratch, "w.safetensors", bytes.bytes, bytes.size, path);
    EXPECT_OK(error, kci_safetensors_open(path, &file, &error));
    expect_good_file(file);
    kci_safetensors_close(file);
    scratch_remove(&scratch);
}
END_TEST

START_TEST(a_file_written_to_is_not_loaded)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kci_safetensors_t *file = NULL;
    kc_tensor_t *tensor = NULL;
    char path[SCRATCH_PATH_SIZE];
    array_file_t bytes = good_file();
    scratch_t scratch = scratch_make();
    counting_allocator_init(&allocator, -1);
    scratch_write(&scratch, "w", bytes.bytes, bytes.size, path);
    EXPECT_OK(error, kci_safetensors_open(path, &file, &error));
    scratch_write(&scratch, "w", bytes.bytes, 100, path);
    EXPECT_FAILURE(
        error, KC_ERR_IO, "was written to",
        kci_safetensors_load(file, "b", &allocator.host, &tensor, &error));
    ck_assert_ptr_null(tensor);
    counting_allocator_expect_empty(&allocator);
    kci_safetensors_close(file);
    scratch_remove(&scratch);
}
END_TEST

static void expect_refused(const array_file_t *bytes, size_t size,
                           const char *message)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_safetensors_t *file = NULL;
    unsigned char *exact = array_file_exact(bytes, size);
    EXPECT_FAILURE(error, KC_ERR_FORMAT, message,
                   kci_safetensors_parse(exact, size, "w", &file, &error));
    free(exact);
    ck_assert_ptr_null(file);
}

START_TEST(only_the_whole_file_passes)
{
    array_file_t bytes = good_file();
    for (size_t size = 0; size < bytes.size; size++) {
        expect_refused(&bytes, size, "w: ");
    }
}
END_TEST

START_TEST(claimed_lengths_are_not_believed)
{
    array_file_t bytes = good_file();
    address_space_limit();
    memset(bytes.bytes, 0xff, 8);
    expect_refused(&bytes, bytes.size, "a length of 18446744073709551615");
    expect_refused(&bytes, 24, "expected a header within 16 bytes");
    memset(bytes.bytes, 0, 8);
    bytes.bytes[4] = 32; /* 2^37 */
    expect_refused(&bytes, 24, "a length of 137438953472");
    bytes.bytes[4] = 0;
    expect_refused(&bytes, 8, "expected `{`");
    bytes = array_file_safetensors("{\"a\":{\"dtype\":\"F32\",\"shape\":"
                                   "[1000,1000],\"data_offsets\":[0,4]}}",
                                   "abcd", 4);
    expect_refused(&bytes, bytes.size,
                   "tensor `a`: data_offsets: expected "
                   "the bytes of shape [1000, 1000]");
}
END_TEST

static void *parse_deep_header(void *context)
{
    (void)context;
    enum { DEPTH = 100000 };
    size_t size = 8 + 5 + DEPTH;
    unsigned char *bytes = malloc(size);
    kc_error_t error = KC_ERROR_INIT;
    kci_safetensors_t *file = NULL;
    uint64_t length = size - 8;
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, "{\"a\":", 5);
    memset(bytes + 13, '[', DEPTH);
    EXPECT_FAILURE(error, KC_ERR_FORMAT, "w:1:133: nested deeper than 128",
                   kci_safetensors_parse(bytes, size, "w", &file, &error));
    free(bytes);
    return NULL;
}

START_TEST(deep_nesting_needs_no_stack)
{
    pthread_attr_t attributes;
    pthread_t thread;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, SMALL_STACK_SIZE),
                     0);
    ck_assert_int_eq(
        pthread_create(&thread, &attributes, parse_deep_header, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}
END_TEST

START_TEST(no_memory_is_a_status)
{
    kc_error_t error = KC_ERROR_INIT;
    counting_allocator_t allocator;
    kci_safetensors_t *file = NULL;
    kc_tensor_t *tensor = NULL;
    array_file_t bytes = good_file();
    for (int granted = 0; granted < 10; granted++) {
        failing_heap_break_after(granted);
        kc_status_t status =
            kci_safetensors_parse(bytes.bytes, bytes.size, "w", &file, &error);
        failing_heap_mend();
        ck_assert_int_eq(status, KC_ERR_MEMORY);
        ck_assert_ptr_null(file);
    }
    EXPECT_OK(error, kci_safetensors_parse(bytes.bytes, bytes.size, "w", &file,
                                           &error));
    for (int granted = 0; granted < 3; granted++) {
        counting_allocator_init(&allocator, granted);
        EXPECT_FAILURE(
            error, KC_ERR_MEMORY, "out of memory",
            kci_safetensors_load(file, "b", &allocator.host, &tensor, &error));
        counting_allocator_expect_empty(&allocator);
    }
    kci_safetensors_close(file);
}
END_TEST

Suite *suite_tensor_safetensors(void)
{
    Suite *suite = suite_create("tensor/safetensors");
    TCase *tests = tcase_create("safetensors");
    tcase_add_test(tests, memory_and_file_answer_alike);
    tcase_add_test(tests, a_file_written_to_is_not_loaded);
    tcase_add_test(tests, only_the_whole_file_passes);
    tcase_add_test(tests, claimed_lengths_are_not_believed);
    tcase_add_test(tests, deep_nesting_needs_no_stack);
    tcase_add_test(tests, no_memory_is_a_status);
    suite_add_tcase(suite, tests);
    return suite;
}
