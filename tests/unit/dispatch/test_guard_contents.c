/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * dispatch.index_range for both widths and layouts, and canonical bools. */
#include <string.h>

#include "dispatch/guard.h"
#include "unit/contract_fixture.h"
#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/operand_fixture.h"

typedef struct index_case {
    operand_t x;
    operand_t indices;
    const DLTensor *inputs[2];
    kc_attributes_t attributes;
    kci_operands_t operands;
    kc_error_t error;
} index_case_t;

/* x [5, 2], three indices of axis 0. */
static void index_begin(index_case_t *index, int32_t dtype)
{
    operand_init(&index->x, KC_DTYPE_F32, 2, DIMS(5, 2));
    operand_init(&index->indices, dtype, 1, DIMS(3));
    index->inputs[0] = &index->x.view;
    index->inputs[1] = &index->indices.view;
    index->attributes = operand_axis(KC_OP_GATHER, 0);
    index->operands = (kci_operands_t){
        .op = KC_OP_GATHER, .inputs = index->inputs, .input_count = 2};
    index->error = (kc_error_t)KC_ERROR_INIT;
}

static void put(index_case_t *index, int place, int64_t value)
{
    if (index->indices.view.dtype.bits == 64) {
        memcpy(index->indices.bytes + 8 * place, &value, sizeof value);
    } else {
        int32_t narrow = (int32_t)value;
        memcpy(index->indices.bytes + 4 * place, &narrow, sizeof narrow);
    }
}

static kc_status_t judge(index_case_t *index)
{
    return kci_guard_indices(&index->operands, &index->attributes,
                             &index->error);
}

START_TEST(indices_within_the_axis)
{
    const int32_t dtypes[] = {KC_DTYPE_I32, KC_DTYPE_I64};
    index_case_t index;
    index_begin(&index, dtypes[_i]);
    put(&index, 0, 0);
    put(&index, 1, 4);
    put(&index, 2, 4);
    EXPECT_OK(index.error, judge(&index));
    put(&index, 2, 5);
    EXPECT_FAILURE(index.error, KC_ERR_TENSOR,
                   "dispatch.index_range: gather indices: expected 0 <= "
                   "index < 5, found 5 at position 2",
                   judge(&index));
    put(&index, 1, -1);
    EXPECT_FAILURE(index.error, KC_ERR_TENSOR, "found -1 at position 1",
                   judge(&index));
    index.attributes.u.axis.axis = 1;
    put(&index, 0, 2);
    EXPECT_FAILURE(index.error, KC_ERR_TENSOR,
                   "index < 2, found 2 at position 0", judge(&index));
    index.operands.op = KC_OP_SCATTER_ADD;
    EXPECT_FAILURE(index.error, KC_ERR_TENSOR,
                   "dispatch.index_range: scatter_add indices", judge(&index));
}
END_TEST

START_TEST(wide_values_are_not_cut)
{
    index_case_t index;
    index_begin(&index, KC_DTYPE_I64);
    put(&index, 1, INT64_C(1) << 32);
    EXPECT_FAILURE(index.error, KC_ERR_TENSOR, "found 4294967296",
                   judge(&index));
    put(&index, 1, INT64_MIN);
    EXPECT_FAILURE(index.error, KC_ERR_TENSOR, "found -9223372036854775808",
                   judge(&index));
}
END_TEST

START_TEST(strided_and_empty_indices)
{
    index_case_t index;
    index_begin(&index, KC_DTYPE_I64);
    put(&index, 1, 99); /* in the gap */
    index.indices.strides[0] = 2;
    EXPECT_OK(index.error, judge(&index));
    put(&index, 4, 99);
    EXPECT_FAILURE(index.error, KC_ERR_TENSOR, "found 99 at position 2",
                   judge(&index));
    index.indices.view.strides = NULL;
    EXPECT_FAILURE(index.error, KC_ERR_TENSOR, "found 99 at position 1",
                   judge(&index));
    index.indices.shape[0] = 0;
    EXPECT_OK(index.error, judge(&index));
    index.indices.shape[0] = 1;
    index.x.shape[0] = 0;
    EXPECT_FAILURE(index.error, KC_ERR_TENSOR,
                   "expected 0 <= index < 0, found 0", judge(&index));
}
END_TEST

START_TEST(other_operations_have_no_indices)
{
    index_case_t index;
    index_begin(&index, KC_DTYPE_I64);
    put(&index, 0, 99);
    index.operands.op = KC_OP_CONCAT;
    EXPECT_OK(index.error, judge(&index));
}
END_TEST

START_TEST(canonical_bools)
{
    operand_t mask;
    operand_init(&mask, KC_DTYPE_BOOL, 1, DIMS(37));
    ck_assert(kci_bool_is_canonical(&mask.view));
    mask.bytes[36] = 1;
    ck_assert(kci_bool_is_canonical(&mask.view));
    mask.bytes[36] = 2;
    ck_assert(!kci_bool_is_canonical(&mask.view));
    mask.bytes[36] = 255;
    ck_assert(!kci_bool_is_canonical(&mask.view));
    mask.shape[0] = 36;
    ck_assert(kci_bool_is_canonical(&mask.view));
}
END_TEST

Suite *suite_dispatch_guard_contents(void)
{
    Suite *suite = suite_create("dispatch/guard_contents");
    TCase *tcase = tcase_create("guard_contents");
    tcase_add_loop_test(tcase, indices_within_the_axis, 0, 2);
    tcase_add_test(tcase, wide_values_are_not_cut);
    tcase_add_test(tcase, strided_and_empty_indices);
    tcase_add_test(tcase, other_operations_have_no_indices);
    tcase_add_test(tcase, canonical_bools);
    suite_add_tcase(suite, tcase);
    return suite;
}
