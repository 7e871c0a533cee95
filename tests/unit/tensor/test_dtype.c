/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types: sizes, and DLPack codes that come back the same.
 */
#include "tensor/dtype.h"

#include "unit/tensor/suites.h"

START_TEST(sizes)
{
    ck_assert_uint_eq(kci_dtype_size(KC_DTYPE_F32), 4);
    ck_assert_uint_eq(kci_dtype_size(KC_DTYPE_F64), 8);
    ck_assert_uint_eq(kci_dtype_size(KC_DTYPE_BOOL), 1);
    ck_assert_uint_eq(kci_dtype_size(KC_DTYPE_I32), 4);
    ck_assert_uint_eq(kci_dtype_size(KC_DTYPE_I64), 8);
    ck_assert_uint_eq(kci_dtype_size(-1), 0);
    ck_assert_uint_eq(kci_dtype_size(KC_DTYPE_COUNT), 0);
}
END_TEST

START_TEST(dlpack_there_and_back)
{
    for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        DLTensor view = {.dtype = kci_dtype_to_dlpack(dtype)};
        ck_assert_int_eq(kc_tensor_dtype(&view), dtype);
    }
    DLTensor view = {.dtype = kci_dtype_to_dlpack(KC_DTYPE_COUNT)};
    ck_assert_int_eq(kc_tensor_dtype(&view), -1);
}
END_TEST

Suite *suite_tensor_dtype(void)
{
    Suite *suite = suite_create("tensor/dtype");
    TCase *tests = tcase_create("dtype");
    tcase_add_test(tests, sizes);
    tcase_add_test(tests, dlpack_there_and_back);
    suite_add_tcase(suite, tests);
    return suite;
}
