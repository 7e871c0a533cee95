/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The numbers of a demand, also of tensors that are nonsense. */
#include "dispatch/demand.h"

#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/operand_fixture.h"

START_TEST(numbers_of_all_operands)
{
    operand_t a;
    operand_t y;
    kci_demand_t demand;
    operand_init(&a, KC_DTYPE_F64, 2, DIMS(3, 5));
    operand_init(&y, KC_DTYPE_F64, 1, DIMS(40));
    const DLTensor *inputs[] = {&a.view, NULL};
    ck_assert(
        kci_operand_demand(KC_OP_LINEAR, inputs, 2, &y.view, true, &demand));
    ck_assert_int_eq(demand.op, KC_OP_LINEAR);
    ck_assert_int_eq(demand.dtype, KC_DTYPE_F64);
    ck_assert_int_eq(demand.rank, 2);
    ck_assert_int_eq(demand.input_count, 2);
    ck_assert_int_eq(demand.is_bound, 1);
    ck_assert_int_eq(demand.extent_max, 40);
    ck_assert_int_eq(demand.element_max, 40);
    ck_assert(kci_operand_demand(KC_OP_LINEAR, inputs, 2, NULL, true, &demand));
    ck_assert_int_eq(demand.extent_max, 5);
    ck_assert_int_eq(demand.element_max, 15);
    ck_assert(
        kci_operand_demand(KC_OP_LINEAR, inputs, 2, &y.view, false, &demand));
    ck_assert_int_eq(demand.extent_max, 0);
}
END_TEST

START_TEST(without_inputs_the_output_speaks)
{
    operand_t y;
    kci_demand_t demand;
    operand_init(&y, KC_DTYPE_F32, 1, DIMS(7));
    ck_assert(kci_operand_demand(KC_OP_RAND_UNIFORM, NULL, 0, &y.view, true,
                                 &demand));
    ck_assert_int_eq(demand.dtype, KC_DTYPE_F32);
    ck_assert_int_eq(demand.rank, 1);
    ck_assert_int_eq(demand.extent_max, 7);
    ck_assert(
        !kci_operand_demand(KC_OP_RAND_UNIFORM, NULL, 0, NULL, true, &demand));
}
END_TEST

START_TEST(zero_and_overflowing_counts)
{
    operand_t a;
    kci_demand_t demand;
    operand_init(&a, KC_DTYPE_F32, 3, DIMS(1, 1, 1));
    const DLTensor *inputs[] = {&a.view};
    a.shape[0] = INT64_MAX;
    a.shape[1] = INT64_MAX;
    a.shape[2] = 0;
    ck_assert(kci_operand_demand(KC_OP_RELU, inputs, 1, NULL, true, &demand));
    ck_assert_int_eq(demand.element_max, 0);
    a.shape[2] = 4;
    ck_assert(kci_operand_demand(KC_OP_RELU, inputs, 1, NULL, true, &demand));
    ck_assert(demand.element_max == INT64_MAX);
}
END_TEST

START_TEST(nonsense_is_left_to_the_guards)
{
    operand_t a;
    kci_demand_t demand;
    operand_init(&a, KC_DTYPE_F32, 1, DIMS(4));
    const DLTensor *inputs[] = {&a.view};
    a.view.ndim = 1000;
    ck_assert(!kci_operand_demand(KC_OP_RELU, inputs, 1, NULL, true, &demand));
    a.view.ndim = -1;
    ck_assert(!kci_operand_demand(KC_OP_RELU, inputs, 1, NULL, true, &demand));
    a.view.ndim = 1;
    a.shape[0] = -4;
    ck_assert(!kci_operand_demand(KC_OP_RELU, inputs, 1, NULL, true, &demand));
    a.shape[0] = 4;
    a.view.dtype.bits = 16;
    ck_assert(!kci_operand_demand(KC_OP_RELU, inputs, 1, NULL, true, &demand));
    const DLTensor *absent[] = {NULL};
    ck_assert(!kci_operand_demand(KC_OP_RELU, absent, 1, NULL, true, &demand));
}
END_TEST

START_TEST(limits_that_need_no_extents)
{
    kc_limits_t limits = {.ranks = 1u << 2};
    kci_flat_limits_t flat = kci_limits_flatten(&limits);
    ck_assert(!kci_limits_have_sizes(&flat));
    limits.index_bits = 32;
    flat = kci_limits_flatten(&limits);
    ck_assert(kci_limits_have_sizes(&flat));
    limits.index_bits = 0;
    limits.extent_max = 9;
    flat = kci_limits_flatten(&limits);
    ck_assert(kci_limits_have_sizes(&flat));
}
END_TEST

Suite *suite_dispatch_demand(void)
{
    Suite *suite = suite_create("dispatch/demand");
    TCase *tcase = tcase_create("demand");
    tcase_add_test(tcase, numbers_of_all_operands);
    tcase_add_test(tcase, without_inputs_the_output_speaks);
    tcase_add_test(tcase, zero_and_overflowing_counts);
    tcase_add_test(tcase, nonsense_is_left_to_the_guards);
    tcase_add_test(tcase, limits_that_need_no_extents);
    suite_add_tcase(suite, tcase);
    return suite;
}
