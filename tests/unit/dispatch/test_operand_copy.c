/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What a handler gets to see: the caller's view, or a copy, by the layouts
 * that the capsule takes. */
#include "dispatch/operand_copy.h"

#include <string.h>

#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/handler_fixture.h"
#include "unit/operand_fixture.h"

typedef struct copy_case {
    operand_t x;
    operand_t y;
    const DLTensor *inputs[1];
    kc_capsule_record_t capsule;
    kci_operands_t operands;
    kci_host_allocator_t allocator;
    kci_prepared_t prepared;
    kc_error_t error;
} copy_case_t;

/* x is the transpose of 0 1 2 / 3 4 5. */
static void copy_begin(copy_case_t *copy)
{
    operand_floats(&copy->x, 2, DIMS(3, 2), FLOATS(0, 1, 2, 3, 4, 5));
    copy->x.strides[0] = 1;
    copy->x.strides[1] = 3;
    operand_init(&copy->y, KC_DTYPE_F32, 2, DIMS(3, 2));
    copy->inputs[0] = &copy->x.view;
    copy->capsule =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    copy->operands = (kci_operands_t){.op = KC_OP_RELU,
                                      .capsule = &copy->capsule,
                                      .inputs = copy->inputs,
                                      .input_count = 1,
                                      .output = &copy->y.view};
    kci_host_allocator_init(&copy->allocator, NULL, NULL, NULL);
    copy->error = (kc_error_t)KC_ERROR_INIT;
}

static void prepare(copy_case_t *copy)
{
    EXPECT_OK(copy->error, kci_prepare_operands(&copy->operands,
                                                &copy->allocator, &copy->y.view,
                                                &copy->prepared, &copy->error));
}

static void copy_end(copy_case_t *copy)
{
    kci_prepared_release(&copy->prepared);
    ck_assert_uint_eq(atomic_load(&copy->allocator.live_bytes), 0);
}

START_TEST(dense_operands_are_lent)
{
    copy_case_t copy;
    copy_begin(&copy);
    copy.x.strides[0] = 2;
    copy.x.strides[1] = 1;
    prepare(&copy);
    ck_assert_ptr_eq(copy.prepared.inputs[0], &copy.x.view);
    ck_assert_ptr_eq(copy.prepared.output, &copy.y.view);
    ck_assert_uint_eq(atomic_load(&copy.allocator.allocation_count), 0);
    copy_end(&copy);
}
END_TEST

START_TEST(strides_are_always_there)
{
    copy_case_t copy;
    copy_begin(&copy);
    copy.x.view.strides = NULL;
    copy.y.view.strides = NULL;
    prepare(&copy);
    ck_assert_ptr_eq(copy.prepared.inputs[0]->data, copy.x.bytes);
    ck_assert_int_eq(copy.prepared.inputs[0]->strides[0], 2);
    ck_assert_int_eq(copy.prepared.output->strides[1], 1);
    ck_assert_ptr_eq(copy.prepared.output->data, copy.y.bytes);
    ck_assert_uint_eq(atomic_load(&copy.allocator.allocation_count), 0);
    copy_end(&copy);
}
END_TEST

START_TEST(gaps_are_closed_for_who_wants_it)
{
    const float expected[] = {0, 3, 1, 4, 2, 5};
    copy_case_t copy;
    copy_begin(&copy);
    prepare(&copy);
    ck_assert_ptr_ne(copy.prepared.inputs[0], &copy.x.view);
    ck_assert_int_eq(
        memcmp(copy.prepared.inputs[0]->data, expected, sizeof expected), 0);
    ck_assert_uint_eq((uintptr_t)copy.prepared.inputs[0]->data % 64, 0);
    copy_end(&copy);
    copy_begin(&copy);
    copy.capsule.limits.layouts = KC_OPERAND_STRIDED;
    prepare(&copy);
    ck_assert_ptr_eq(copy.prepared.inputs[0], &copy.x.view);
    copy_end(&copy);
}
END_TEST

START_TEST(padded_rows)
{
    copy_case_t copy;
    copy_begin(&copy);
    copy.x.strides[0] = 7;
    copy.x.strides[1] = 1;
    ck_assert(kci_input_needs_copy(&copy.operands, 0));
    copy.capsule.limits.layouts = KC_OPERAND_DENSE | KC_OPERAND_ROW_PADDED;
    ck_assert(!kci_input_needs_copy(&copy.operands, 0));
    copy.x.strides[0] = 1; /* columns are no padded rows */
    copy.x.strides[1] = 3;
    ck_assert(kci_input_needs_copy(&copy.operands, 0));
    copy.x.strides[0] = 7; /* nor are rows with gaps inside */
    copy.x.strides[1] = 2;
    ck_assert(kci_input_needs_copy(&copy.operands, 0));
    operand_init(&copy.x, KC_DTYPE_F32, 3, DIMS(2, 3, 2));
    copy.x.strides[1] = 7;
    copy.x.strides[0] = 21;
    ck_assert(!kci_input_needs_copy(&copy.operands, 0));
    copy.x.strides[0] = 30;
    ck_assert(kci_input_needs_copy(&copy.operands, 0));
}
END_TEST

START_TEST(a_result_in_gaps_is_copied_out)
{
    copy_case_t copy;
    copy_begin(&copy);
    copy.y.strides[0] = 4;
    for (size_t i = 0; i < 12; i++) {
        operand_f32(&copy.y)[i] = -7;
    }
    prepare(&copy);
    ck_assert(copy.prepared.is_output_copied);
    float *result = copy.prepared.output->data;
    for (int i = 0; i < 6; i++) {
        result[i] = (float)i;
    }
    ck_assert_float_eq(operand_f32(&copy.y)[0], -7);
    kci_prepared_finish(&copy.prepared, &copy.y.view);
    ck_assert_float_eq(operand_f32(&copy.y)[0], 0);
    ck_assert_float_eq(operand_f32(&copy.y)[1], 1);
    ck_assert_float_eq(operand_f32(&copy.y)[2], -7);
    ck_assert_float_eq(operand_f32(&copy.y)[9], 5);
    copy_end(&copy);
}
END_TEST

START_TEST(bools_become_canonical)
{
    operand_t x;
    operand_t mask;
    operand_t y;
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t allocator;
    kci_prepared_t prepared;
    kc_capsule_record_t capsule = fixture_capsule(
        "acme.s", KC_OP_HARD_MASKED_SOFTMAX, "acme", KC_DEVICE_CPU);
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    operand_init(&x, KC_DTYPE_F32, 1, DIMS(4));
    operand_init(&mask, KC_DTYPE_BOOL, 1, DIMS(4));
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(4));
    memcpy(mask.bytes, "\x00\x01\x80\x02", 4);
    const DLTensor *inputs[] = {&x.view, &mask.view};
    kci_operands_t operands = {.op = KC_OP_HARD_MASKED_SOFTMAX,
                               .capsule = &capsule,
                               .inputs = inputs,
                               .input_count = 2,
                               .output = &y.view};
    EXPECT_OK(error, kci_prepare_operands(&operands, &allocator, &y.view,
                                          &prepared, &error));
    ck_assert_int_eq(memcmp(prepared.inputs[1]->data, "\x00\x01\x01\x01", 4),
                     0);
    ck_assert_int_eq(memcmp(mask.bytes, "\x00\x01\x80\x02", 4), 0);
    kci_prepared_release(&prepared);
    ck_assert_uint_eq(atomic_load(&allocator.live_bytes), 0);
}
END_TEST

/* F04: whatever the kernel reads, the interface says true = may attend. */
START_TEST(the_mask_is_turned_for_an_opposite_kernel)
{
    operand_t q;
    operand_t mask;
    operand_t y;
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t allocator;
    kci_prepared_t prepared;
    kc_capsule_record_t capsule = fixture_capsule(
        "acme.a", KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "acme", KC_DEVICE_CPU);
    capsule.limits.mask_polarity = KC_MASK_TRUE_IS_BLOCKED;
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    operand_init(&q, KC_DTYPE_F32, 2, DIMS(2, 2));
    operand_init(&mask, KC_DTYPE_BOOL, 2, DIMS(2, 2));
    operand_init(&y, KC_DTYPE_F32, 2, DIMS(2, 2));
    memcpy(mask.bytes, "\x01\x00\x05\x00", 4);
    const DLTensor *inputs[] = {&q.view, &q.view, &q.view, &mask.view};
    kci_operands_t operands = {.op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                               .capsule = &capsule,
                               .inputs = inputs,
                               .input_count = 4,
                               .output = &y.view};
    EXPECT_OK(error, kci_prepare_operands(&operands, &allocator, &y.view,
                                          &prepared, &error));
    ck_assert_int_eq(memcmp(prepared.inputs[3]->data, "\x00\x01\x00\x01", 4),
                     0);
    kci_prepared_release(&prepared);
}
END_TEST

static void *refuse_memory(void *context, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    return NULL;
}

START_TEST(absent_memory_is_an_error)
{
    copy_case_t copy;
    copy_begin(&copy);
    kci_host_allocator_init(&copy.allocator, refuse_memory, NULL, NULL);
    EXPECT_FAILURE(copy.error, KC_ERR_MEMORY, "out of memory",
                   kci_prepare_operands(&copy.operands, &copy.allocator,
                                        &copy.y.view, &copy.prepared,
                                        &copy.error));
    copy_begin(&copy);
    copy.x.shape[0] = INT64_C(1) << 62;
    copy.x.strides[0] = 0;
    copy.x.strides[1] = 0;
    copy.x.shape[1] = 1;
    EXPECT_FAILURE(copy.error, KC_ERR_MEMORY, "does not fit memory",
                   kci_prepare_operands(&copy.operands, &copy.allocator,
                                        &copy.y.view, &copy.prepared,
                                        &copy.error));
}
END_TEST

START_TEST(absent_operands_are_null)
{
    operand_t x;
    operand_t y;
    kc_error_t error = KC_ERROR_INIT;
    kci_host_allocator_t allocator;
    kci_prepared_t prepared;
    kc_capsule_record_t capsule =
        fixture_capsule("acme.l", KC_OP_LINEAR, "acme", KC_DEVICE_CPU);
    kci_host_allocator_init(&allocator, NULL, NULL, NULL);
    operand_init(&x, KC_DTYPE_F32, 2, DIMS(2, 2));
    operand_init(&y, KC_DTYPE_F32, 2, DIMS(2, 2));
    const DLTensor *inputs[] = {&x.view, &x.view};
    kci_operands_t operands = {.op = KC_OP_LINEAR,
                               .capsule = &capsule,
                               .inputs = inputs,
                               .input_count = 2,
                               .output = &y.view};
    memset(&prepared, 0xff, sizeof prepared);
    EXPECT_OK(error, kci_prepare_operands(&operands, &allocator, &y.view,
                                          &prepared, &error));
    ck_assert_ptr_null(prepared.inputs[2]);
    kci_prepared_release(&prepared);
}
END_TEST

Suite *suite_dispatch_operand_copy(void)
{
    Suite *suite = suite_create("dispatch/operand_copy");
    TCase *tcase = tcase_create("operand_copy");
    tcase_add_test(tcase, dense_operands_are_lent);
    tcase_add_test(tcase, strides_are_always_there);
    tcase_add_test(tcase, gaps_are_closed_for_who_wants_it);
    tcase_add_test(tcase, padded_rows);
    tcase_add_test(tcase, a_result_in_gaps_is_copied_out);
    tcase_add_test(tcase, bools_become_canonical);
    tcase_add_test(tcase, the_mask_is_turned_for_an_opposite_kernel);
    tcase_add_test(tcase, absent_memory_is_an_error);
    tcase_add_test(tcase, absent_operands_are_null);
    suite_add_tcase(suite, tcase);
    return suite;
}
