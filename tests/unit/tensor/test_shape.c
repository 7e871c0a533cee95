/* SPDX-License-Identifier: Apache-2.0
 *
 * Shapes: what fits 64 bits, with zeros anywhere, and how they are printed.
 */
#include "tensor/shape.h"

#include <stdint.h>
#include "unit/expect.h"
#include "unit/tensor/suites.h"

#define TWO_32 (INT64_C(1) << 32)

static const struct good_shape {
    int32_t rank;
    int64_t dims[4];
    int64_t count;
} good_shapes[] = {
    {0, {0}, 1},
    {1, {7}, 7},
    {2, {65536, 65536}, TWO_32},
    {3, {4, 0, 5}, 0},
    {2, {0, INT64_MAX}, 0},
    {1, {INT64_MAX}, INT64_MAX},
    {4, {0, 0, 0, 0}, 0},
};

START_TEST(good_shapes_are_counted)
{
    kc_error_t error = KC_ERROR_INIT;
    const struct good_shape *good = &good_shapes[_i];
    int64_t count = -1;
    EXPECT_OK(error,
              kci_shape_check(good->rank, good->dims, "x", &count, &error));
    ck_assert_int_eq(count, good->count);
    kci_shape_t shape = {.rank = good->rank};
    memcpy(shape.dims, good->dims, sizeof good->dims);
    ck_assert_int_eq(kci_shape_element_count(&shape), good->count);
}
END_TEST

static const struct bad_shape {
    int32_t rank;
    int64_t dims[4];
    const char *message;
} bad_shapes[] = {
    {2, {TWO_32, TWO_32}, "x: too many elements"},
    {3, {TWO_32 / 2, 2, TWO_32 / 2}, "x: too many elements"},
    {3, {0, INT64_MAX, 4}, "x: too many elements"},
    {3, {INT64_MAX, 4, 0}, "x: too many elements"},
    {1, {-1}, "x: expected an extent >= 0 on axis 0, found -1"},
    {2, {2, INT64_MIN}, "on axis 1, found -9223372036854775808"},
    {-1, {0}, "x: expected a rank of 0 to 16, found -1"},
    {65, {0}, "x: expected a rank of 0 to 16, found 65"},
    {INT32_MAX, {0}, "found 2147483647"},
};

START_TEST(bad_shapes_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    const struct bad_shape *bad = &bad_shapes[_i];
    int64_t count = 7;
    EXPECT_FAILURE(error, KC_ERR_FORMAT, bad->message,
                   kci_shape_check(bad->rank, bad->dims, "x", &count, &error));
    ck_assert_int_eq(count, 7);
}
END_TEST

START_TEST(equality_is_of_rank_and_extents)
{
    kci_shape_t a = {.rank = 2, .dims = {2, 3}};
    kci_shape_t b = {.rank = 2, .dims = {2, 3, 9}};
    kci_shape_t c = {.rank = 2, .dims = {3, 2}};
    kci_shape_t d = {.rank = 3, .dims = {2, 3, 1}};
    ck_assert(kci_shape_equal(&a, &b));
    ck_assert(!kci_shape_equal(&a, &c));
    ck_assert(!kci_shape_equal(&a, &d));
}
END_TEST

START_TEST(strides_pass_over_zeros)
{
    int64_t strides[4] = {-1, -1, -1, -1};
    kci_shape_dense_strides(3, (const int64_t[]){4, 3, 2}, strides);
    ck_assert_int_eq(strides[0], 6);
    ck_assert_int_eq(strides[1], 2);
    ck_assert_int_eq(strides[2], 1);
    ck_assert_int_eq(strides[3], -1);
    kci_shape_dense_strides(3, (const int64_t[]){4, 0, 2}, strides);
    ck_assert_int_eq(strides[0], 2);
    ck_assert_int_eq(strides[1], 2);
    kci_shape_dense_strides(0, NULL, strides);
}
END_TEST

START_TEST(shapes_are_printed)
{
    static const char *const names[] = {"N", "batch"};
    char text[KCI_SHAPE_TEXT_SIZE];
    kci_shape_format(2, (const int64_t[]){4, 8}, NULL, text, sizeof text);
    ck_assert_str_eq(text, "[4, 8]");
    kci_shape_format(0, NULL, NULL, text, sizeof text);
    ck_assert_str_eq(text, "[]");
    kci_shape_format(3, (const int64_t[]){-1, 64, -2}, names, text,
                     sizeof text);
    ck_assert_str_eq(text, "[N, 64, batch]");
    kci_shape_format(2, (const int64_t[]){-1, 64}, NULL, text, sizeof text);
    ck_assert_str_eq(text, "[-1, 64]");
    kci_shape_format(2, (const int64_t[]){1234, 5678}, NULL, text, 8);
    ck_assert_str_eq(text, "[1234, ");
    kci_shape_format(2, (const int64_t[]){1234, 5678}, NULL, text, 1);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(the_longest_shape_fits)
{
    char text[KCI_SHAPE_TEXT_SIZE];
    int64_t dims[KC_MAX_RANK];
    for (int i = 0; i < KC_MAX_RANK; i++) {
        dims[i] = INT64_MIN;
    }
    kci_shape_format(KC_MAX_RANK, dims, NULL, text, sizeof text);
    ck_assert_int_eq(text[strlen(text) - 1], ']');
}
END_TEST

Suite *suite_tensor_shape(void)
{
    Suite *suite = suite_create("tensor/shape");
    TCase *tests = tcase_create("shape");
    tcase_add_loop_test(tests, good_shapes_are_counted, 0,
                        (int)(sizeof good_shapes / sizeof *good_shapes));
    tcase_add_loop_test(tests, bad_shapes_are_refused, 0,
                        (int)(sizeof bad_shapes / sizeof *bad_shapes));
    tcase_add_test(tests, equality_is_of_rank_and_extents);
    tcase_add_test(tests, strides_pass_over_zeros);
    tcase_add_test(tests, shapes_are_printed);
    tcase_add_test(tests, the_longest_shape_fits);
    suite_add_tcase(suite, tests);
    return suite;
}
