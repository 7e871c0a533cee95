/* SPDX-License-Identifier: Apache-2.0
 *
 * Views of every type and layout as dense doubles.
 */
#include "conform/array.h"

#include "unit/conform/suites.h"
#include "unit/expect.h"

static DLTensor view_of(void *data, uint8_t code, uint8_t bits, int64_t *shape,
                        int64_t *strides)
{
    return (DLTensor){.data = data,
                      .device = {kDLCPU, 0},
                      .ndim = 2,
                      .dtype = {code, bits, 1},
                      .shape = shape,
                      .strides = strides};
}

static void expect_values(const DLTensor *view, const double expected[4])
{
    kc_error_t error = KC_ERROR_INIT;
    kci_array_t array;
    EXPECT_OK(error, kci_array_read(view, &array, &error));
    ck_assert_int_eq(array.count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert(array.values[i] == expected[i]);
    }
    kci_array_release(&array);
}

START_TEST(types)
{
    int64_t shape[] = {2, 2};
    float f32[] = {1, 2, 3, 4};
    double f64[] = {1, 2, 3, 4};
    int32_t i32[] = {1, 2, 3, 4};
    int64_t i64[] = {1, 2, 3, INT64_C(1) << 50};
    unsigned char boolean[] = {0, 1, 255, 0};
    DLTensor view = view_of(f32, kDLFloat, 32, shape, NULL);
    expect_values(&view, (const double[]){1, 2, 3, 4});
    view = view_of(f64, kDLFloat, 64, shape, NULL);
    expect_values(&view, (const double[]){1, 2, 3, 4});
    view = view_of(i32, kDLInt, 32, shape, NULL);
    expect_values(&view, (const double[]){1, 2, 3, 4});
    view = view_of(i64, kDLInt, 64, shape, NULL);
    expect_values(&view, (const double[]){1, 2, 3, 0x1p50});
    view = view_of(boolean, KC_DLPACK_BOOL, 8, shape, NULL);
    expect_values(&view, (const double[]){0, 1, 1, 0});
}
END_TEST

START_TEST(strides_and_offset)
{
    int64_t shape[] = {2, 2};
    float memory[] = {0, 1, 2, 3, 4, 5, 6};
    int64_t transposed[] = {1, 2};
    int64_t repeated[] = {0, 1};
    int64_t padded[] = {3, 1};
    DLTensor view = view_of(memory, kDLFloat, 32, shape, transposed);
    expect_values(&view, (const double[]){0, 2, 1, 3});
    view = view_of(memory, kDLFloat, 32, shape, repeated);
    expect_values(&view, (const double[]){0, 1, 0, 1});
    view = view_of(memory, kDLFloat, 32, shape, padded);
    view.byte_offset = 2 * sizeof(float);
    expect_values(&view, (const double[]){2, 3, 5, 6});
}
END_TEST

START_TEST(absent_and_empty)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_array_t array;
    int64_t shape[] = {0, 2};
    EXPECT_OK(error, kci_array_read(NULL, &array, &error));
    ck_assert_int_eq(array.rank, -1);
    DLTensor view = view_of(NULL, kDLFloat, 32, shape, NULL);
    EXPECT_OK(error, kci_array_read(&view, &array, &error));
    ck_assert_int_eq(array.count, 0);
    kci_array_release(&array);
}
END_TEST

START_TEST(indices)
{
    const int64_t shape[] = {2, 3};
    int64_t index[] = {0, 0};
    for (int64_t i = 0; i < 6; i++) {
        ck_assert_int_eq(kci_place_of(2, shape, index), i);
        ck_assert_int_eq(kci_next_index(2, shape, index), i < 5);
    }
    ck_assert_int_eq(kci_extent_product(shape, 0, 2), 6);
    ck_assert_int_eq(kci_extent_product(shape, 1, 1), 1);
    ck_assert(!kci_next_index(0, NULL, NULL));
}
END_TEST

CONFORM_SUITE(array, types, strides_and_offset, absent_and_empty, indices)
