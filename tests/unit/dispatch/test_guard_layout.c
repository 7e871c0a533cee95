/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * dispatch.layout and dispatch.alias: where memory may lie. */
#include <string.h>

#include "dispatch/guard.h"
#include "unit/dispatch/relu_case.h"
#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/operand_fixture.h"

#define LAYOUT_REFUSED(relu, text)                                             \
    EXPECT_FAILURE((relu).error, KC_ERR_TENSOR, "dispatch.layout: relu " text, \
                   kci_guard_layout(&(relu).operands, &(relu).error))
#define LAYOUT_PASSES(relu)                                                    \
    EXPECT_OK((relu).error, kci_guard_layout(&(relu).operands, &(relu).error))

START_TEST(strides_are_not_negative)
{
    relu_case_t relu;
    relu_begin(&relu);
    LAYOUT_PASSES(relu);
    relu.x.strides[1] = -1;
    LAYOUT_REFUSED(relu, "x: expected strides >= 0, found -1 on axis 1");
    relu_begin(&relu);
    relu.y.strides[0] = -3;
    LAYOUT_REFUSED(relu, "output: expected strides >= 0, found -3 on axis 0");
    relu_begin(&relu);
    relu.x.strides[0] = 0;
    LAYOUT_PASSES(relu);
}
END_TEST

START_TEST(memory_is_there_and_aligned)
{
    relu_case_t relu;
    relu_begin(&relu);
    relu.x.view.data = NULL;
    LAYOUT_REFUSED(relu, "x: expected memory, found NULL");
    relu_begin(&relu);
    relu.x.view.byte_offset = 2;
    LAYOUT_REFUSED(relu, "x: expected an address aligned to 4 bytes");
    relu_begin(&relu);
    relu.y.view.data = relu.y.bytes + 1;
    relu.y.view.byte_offset = 3;
    LAYOUT_PASSES(relu);
}
END_TEST

START_TEST(empty_tensors_need_no_memory)
{
    relu_case_t relu;
    relu_begin(&relu);
    relu.x.shape[0] = 0;
    relu.y.shape[0] = 0;
    relu.x.view.data = NULL;
    relu.y.view.data = NULL;
    LAYOUT_PASSES(relu);
    EXPECT_OK(relu.error, kci_guard_alias(&relu.operands, &relu.error));
}
END_TEST

START_TEST(strides_stay_in_the_address_space)
{
    relu_case_t relu;
    relu_begin(&relu);
    relu.x.strides[0] = INT64_MAX;
    LAYOUT_REFUSED(relu, "x: expected elements within the address space");
    relu.x.strides[0] = INT64_MAX / 4;
    relu.x.strides[1] = INT64_MAX / 4;
    LAYOUT_REFUSED(relu, "x: expected elements within the address space");
}
END_TEST

START_TEST(output_elements_are_distinct)
{
    relu_case_t relu;
    relu_begin(&relu);
    relu.y.strides[0] = 2;
    LAYOUT_REFUSED(relu, "output: expected elements that do not overlap");
    relu.y.strides[0] = 0;
    LAYOUT_REFUSED(relu, "output: expected elements that do not overlap");
    relu.y.strides[0] = 5; /* gaps */
    LAYOUT_PASSES(relu);
    relu.y.strides[0] = 1; /* columns */
    relu.y.strides[1] = 2;
    LAYOUT_PASSES(relu);
    relu.y.shape[0] = 1; /* of one row the stride does not matter */
    relu.y.strides[0] = 0;
    LAYOUT_PASSES(relu);
}
END_TEST

#define ALIAS_REFUSED(relu)                                                    \
    EXPECT_FAILURE((relu).error, KC_ERR_TENSOR,                                \
                   "dispatch.alias: relu output: expected memory apart from "  \
                   "all inputs, found it overlaps x (capsule acme.relu)",      \
                   kci_guard_alias(&(relu).operands, &(relu).error))

START_TEST(the_output_lies_apart)
{
    relu_case_t relu;
    relu_begin(&relu);
    EXPECT_OK(relu.error, kci_guard_alias(&relu.operands, &relu.error));
    relu.y.view.data = relu.x.bytes;
    ALIAS_REFUSED(relu);
    relu.y.view.byte_offset = 20;
    ALIAS_REFUSED(relu);
    relu.y.view.byte_offset = 24; /* just behind */
    EXPECT_OK(relu.error, kci_guard_alias(&relu.operands, &relu.error));
    relu.x.strides[0] = 6; /* reaches further */
    ALIAS_REFUSED(relu);
}
END_TEST

START_TEST(what_may_be_overwritten)
{
    relu_case_t relu;
    relu_begin(&relu);
    relu.capsule.limits.overwrites = 1;
    relu.y.view.data = relu.x.bytes;
    EXPECT_OK(relu.error, kci_guard_alias(&relu.operands, &relu.error));
    relu.y.view.byte_offset = 4; /* not the same start */
    ALIAS_REFUSED(relu);
    relu.y.view.byte_offset = 0;
    relu.x.strides[0] = 1; /* not the same layout */
    relu.x.strides[1] = 2;
    ALIAS_REFUSED(relu);
    relu_begin(&relu);
    relu.capsule.limits.overwrites = 2; /* another operand */
    relu.y.view.data = relu.x.bytes;
    ALIAS_REFUSED(relu);
}
END_TEST

Suite *suite_dispatch_guard_layout(void)
{
    Suite *suite = suite_create("dispatch/guard_layout");
    TCase *tcase = tcase_create("guard_layout");
    tcase_add_test(tcase, strides_are_not_negative);
    tcase_add_test(tcase, memory_is_there_and_aligned);
    tcase_add_test(tcase, empty_tensors_need_no_memory);
    tcase_add_test(tcase, strides_stay_in_the_address_space);
    tcase_add_test(tcase, output_elements_are_distinct);
    tcase_add_test(tcase, the_output_lies_apart);
    tcase_add_test(tcase, what_may_be_overwritten);
    suite_add_tcase(suite, tcase);
    return suite;
}
