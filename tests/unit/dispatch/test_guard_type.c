/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * dispatch.device, dispatch.dtype, dispatch.shape: each refusal, and the
 * order in which they speak. */
#include <string.h>

#include "dispatch/guard.h"
#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/operand_fixture.h"

/* add of [2, 3], to be bent. */
typedef struct add_case {
    operand_t a;
    operand_t b;
    operand_t y;
    const DLTensor *inputs[2];
    kc_attributes_t attributes;
    kci_operands_t operands;
    kc_error_t error;
} add_case_t;

static void add_begin(add_case_t *add)
{
    operand_init(&add->a, KC_DTYPE_F32, 2, DIMS(2, 3));
    operand_init(&add->b, KC_DTYPE_F32, 2, DIMS(2, 3));
    operand_init(&add->y, KC_DTYPE_F32, 2, DIMS(2, 3));
    add->inputs[0] = &add->a.view;
    add->inputs[1] = &add->b.view;
    add->attributes = operand_attributes(KC_OP_ADD);
    add->operands = (kci_operands_t){.op = KC_OP_ADD,
                                     .inputs = add->inputs,
                                     .input_count = 2,
                                     .output = &add->y.view};
    add->error = (kc_error_t)KC_ERROR_INIT;
}

#define REFUSED(add, text)                                                     \
    do {                                                                       \
        EXPECT_FAILURE((add).error, KC_ERR_TENSOR, text,                       \
                       kci_guard_types(&(add).operands, &(add).attributes,     \
                                       &(add).error));                         \
        ck_assert_ptr_eq(strstr((add).error.message, "dispatch."),             \
                         (add).error.message);                                 \
    } while (0)

START_TEST(good_operands_pass)
{
    add_case_t add;
    add_begin(&add);
    EXPECT_OK(add.error,
              kci_guard_types(&add.operands, &add.attributes, &add.error));
    add.a.view.strides = NULL;
    EXPECT_OK(add.error,
              kci_guard_types(&add.operands, &add.attributes, &add.error));
}
END_TEST

START_TEST(number_of_operands)
{
    add_case_t add;
    add_begin(&add);
    add.operands.input_count = 1;
    REFUSED(add, "dispatch.shape: add: expected 2 to 2 inputs, found 1");
    add.operands.input_count = 2;
    add.inputs[1] = NULL;
    REFUSED(add, "dispatch.shape: add b: expected an operand, found none");
}
END_TEST

START_TEST(devices)
{
    add_case_t add;
    add_begin(&add);
    add.b.view.device.device_type = kDLCUDA;
    REFUSED(add, "dispatch.device: add b: expected device cpu, found DLPack "
                 "device 2:0");
    add_begin(&add);
    add.y.view.device.device_type = kDLMetal;
    REFUSED(add, "dispatch.device: add output: expected device cpu");
}
END_TEST

START_TEST(dtypes)
{
    add_case_t add;
    add_begin(&add);
    add.b.view.dtype.bits = 64;
    REFUSED(add, "dispatch.dtype: add b: expected f32 like the first input, "
                 "found f64");
    add.b.view.dtype.bits = 16;
    REFUSED(add, "dispatch.dtype: add b: expected f32 or f64, found DLPack "
                 "code 2 with 16 bits and 1 lanes");
    add.b.view.dtype = (DLDataType){kDLInt, 32, 1};
    REFUSED(add, "dispatch.dtype: add b: expected f32 or f64, found i32");
    add_begin(&add);
    add.y.view.dtype.bits = 64;
    REFUSED(add, "dispatch.dtype: add output: expected f32, found f64");
    add.y.view.dtype.lanes = 4;
    REFUSED(add, "dispatch.dtype: add output: expected f32, found DLPack");
}
END_TEST

START_TEST(ranks_and_extents)
{
    add_case_t add;
    add_begin(&add);
    add.a.view.ndim = 17;
    REFUSED(add, "dispatch.shape: add a: expected rank 0 to 16");
    add.a.view.ndim = INT32_MIN;
    REFUSED(add, "dispatch.shape: add a: expected rank 0 to 16");
    add.a.view.ndim = 2;
    add.a.view.shape = NULL;
    REFUSED(add, "found rank 2 without");
    add.a.view.shape = add.a.shape;
    add.a.shape[1] = -3;
    REFUSED(add, "dispatch.shape: add a: expected extents >= 0, found -3 on "
                 "axis 1");
    add.a.shape[0] = INT64_C(1) << 32;
    add.a.shape[1] = INT64_C(1) << 32;
    REFUSED(add, "dispatch.element_count: add a: expected less than 2^63");
    add_begin(&add);
    add.y.view.ndim = 99;
    REFUSED(add, "dispatch.shape: add output: expected rank 0 to 16");
}
END_TEST

START_TEST(shapes)
{
    add_case_t add;
    add_begin(&add);
    add.b.shape[1] = 4;
    REFUSED(add, "dispatch.shape: add: ");
    add_begin(&add);
    add.y.shape[0] = 3;
    REFUSED(add, "dispatch.shape: add output: expected [2, 3], found [3, 3]");
}
END_TEST

START_TEST(attributes_of_the_operation)
{
    add_case_t add;
    add_begin(&add);
    add.attributes.op = KC_OP_SOFTMAX;
    REFUSED(add, "dispatch.shape: add attributes: expected those of add, "
                 "found those of softmax");
}
END_TEST

START_TEST(device_before_dtype_before_shape)
{
    add_case_t add;
    add_begin(&add);
    add.a.shape[0] = 9;
    add.b.view.dtype.bits = 64;
    add.y.view.device.device_type = kDLCUDA;
    REFUSED(add, "dispatch.device: add output");
    add.y.view.device.device_type = kDLCPU;
    REFUSED(add, "dispatch.dtype: add b");
    add.b.view.dtype.bits = 32;
    REFUSED(add, "dispatch.shape: add: ");
}
END_TEST

/* F04: a mask of floats is a mistake, not something to cast. */
START_TEST(a_mask_is_bool)
{
    operand_t x;
    operand_t mask;
    operand_t y;
    kc_error_t error = KC_ERROR_INIT;
    operand_init(&x, KC_DTYPE_F32, 2, DIMS(2, 2));
    operand_init(&mask, KC_DTYPE_F32, 2, DIMS(2, 2));
    operand_init(&y, KC_DTYPE_F32, 2, DIMS(2, 2));
    const DLTensor *inputs[] = {&x.view, &mask.view};
    kc_attributes_t attributes = operand_axis(KC_OP_HARD_MASKED_SOFTMAX, 1);
    kci_operands_t operands = {.op = KC_OP_HARD_MASKED_SOFTMAX,
                               .inputs = inputs,
                               .input_count = 2,
                               .output = &y.view};
    EXPECT_FAILURE(error, KC_ERR_TENSOR,
                   "dispatch.dtype: hard_masked_softmax mask: expected bool, "
                   "found f32",
                   kci_guard_types(&operands, &attributes, &error));
    operand_init(&mask, KC_DTYPE_BOOL, 2, DIMS(2, 2));
    EXPECT_OK(error, kci_guard_types(&operands, &attributes, &error));
}
END_TEST

START_TEST(indices_are_integers)
{
    operand_t x;
    operand_t indices;
    kc_error_t error = KC_ERROR_INIT;
    kci_tensor_type_t type;
    operand_init(&x, KC_DTYPE_F32, 2, DIMS(4, 2));
    operand_init(&indices, KC_DTYPE_F32, 1, DIMS(3));
    const DLTensor *inputs[] = {&x.view, &indices.view};
    kc_attributes_t attributes = operand_axis(KC_OP_GATHER, 0);
    kci_operands_t operands = {
        .op = KC_OP_GATHER, .inputs = inputs, .input_count = 2};
    EXPECT_FAILURE(
        error, KC_ERR_TENSOR, "expected i32 or i64, found f32",
        kci_guard_input_types(&operands, &attributes, &type, &error));
    operand_init(&indices, KC_DTYPE_I32, 1, DIMS(3));
    EXPECT_OK(error,
              kci_guard_input_types(&operands, &attributes, &type, &error));
    ck_assert_int_eq(type.dtype, KC_DTYPE_F32);
    ck_assert_int_eq(type.shape.rank, 2);
    ck_assert_int_eq(type.shape.dims[0], 3);
}
END_TEST

Suite *suite_dispatch_guard_type(void)
{
    Suite *suite = suite_create("dispatch/guard_type");
    TCase *tcase = tcase_create("guard_type");
    tcase_add_test(tcase, good_operands_pass);
    tcase_add_test(tcase, number_of_operands);
    tcase_add_test(tcase, devices);
    tcase_add_test(tcase, dtypes);
    tcase_add_test(tcase, ranks_and_extents);
    tcase_add_test(tcase, shapes);
    tcase_add_test(tcase, attributes_of_the_operation);
    tcase_add_test(tcase, device_before_dtype_before_shape);
    tcase_add_test(tcase, a_mask_is_bool);
    tcase_add_test(tcase, indices_are_integers);
    suite_add_tcase(suite, tcase);
    return suite;
}
