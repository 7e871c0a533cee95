/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * dispatch.element_count: each limit of a capsule, broken at call time. */
#include "dispatch/guard.h"
#include "unit/dispatch/relu_case.h"
#include "unit/dispatch/suites.h"
#include "unit/expect.h"
#include "unit/operand_fixture.h"

static kc_status_t judge(relu_case_t *limit)
{
    kci_flat_limits_t flat = kci_limits_flatten(&limit->capsule.limits);
    return kci_guard_limits(&limit->operands, &flat, &limit->error);
}

#define REFUSED(limit, text)                                                   \
    EXPECT_FAILURE((limit).error, KC_ERR_TENSOR,                               \
                   "dispatch.element_count: relu " text, judge(&(limit)))

START_TEST(no_limits_but_float32)
{
    relu_case_t limit;
    relu_begin(&limit);
    EXPECT_OK(limit.error, judge(&limit));
    limit.x.view.dtype.bits = 64;
    REFUSED(limit, "x: expected f32 (limit dtypes of acme.relu), found f64");
    limit.capsule.limits.dtypes = 1u << KC_DTYPE_F32 | 1u << KC_DTYPE_F64;
    EXPECT_OK(limit.error, judge(&limit));
    limit.x.view.dtype = (DLDataType){kDLInt, 64, 1};
    REFUSED(limit, "x: expected f32, f64 (limit dtypes");
}
END_TEST

START_TEST(ranks)
{
    relu_case_t limit;
    relu_begin(&limit);
    limit.capsule.limits.ranks = 1u << 3;
    REFUSED(limit, "x: expected a rank of the set 0x8 (limit ranks of "
                   "acme.relu), found 2");
    limit.capsule.limits.ranks = 1u << 3 | 1u << 2;
    EXPECT_OK(limit.error, judge(&limit));
}
END_TEST

START_TEST(extents_of_any_operand)
{
    relu_case_t limit;
    relu_begin(&limit);
    limit.capsule.limits.extent_max = 3;
    EXPECT_OK(limit.error, judge(&limit));
    limit.y.shape[1] = 4;
    REFUSED(limit, "output: expected extents up to 3 (limit extent_max of "
                   "acme.relu), found 4 on axis 1");
}
END_TEST

START_TEST(element_counts)
{
    relu_case_t limit;
    relu_begin(&limit);
    limit.capsule.limits.index_bits = 32;
    EXPECT_OK(limit.error, judge(&limit));
    limit.x.shape[0] = 65536;
    limit.x.shape[1] = 65537;
    REFUSED(limit, "x: too many elements: expected up to 2147483647 (limit "
                   "index_bits of acme.relu), found 4295032832");
    limit.capsule.limits.index_bits = 64;
    EXPECT_OK(limit.error, judge(&limit));
}
END_TEST

START_TEST(input_counts)
{
    relu_case_t limit;
    relu_begin(&limit);
    const DLTensor *inputs[] = {&limit.x.view, &limit.x.view};
    limit.operands.inputs = inputs;
    limit.operands.input_count = 2;
    EXPECT_OK(limit.error, judge(&limit));
    limit.capsule.limits.input_count_max = 1;
    REFUSED(limit, "x: expected at most 1 inputs (limit input_count_max of "
                   "acme.relu), found 2");
}
END_TEST

START_TEST(without_inputs_the_output_is_judged)
{
    relu_case_t limit;
    relu_begin(&limit);
    limit.operands.input_count = 0;
    limit.y.view.dtype.bits = 64;
    REFUSED(limit, "output: expected f32 (limit dtypes");
}
END_TEST

Suite *suite_dispatch_guard_limits(void)
{
    Suite *suite = suite_create("dispatch/guard_limits");
    TCase *tcase = tcase_create("guard_limits");
    tcase_add_test(tcase, no_limits_but_float32);
    tcase_add_test(tcase, ranks);
    tcase_add_test(tcase, extents_of_any_operand);
    tcase_add_test(tcase, element_counts);
    tcase_add_test(tcase, input_counts);
    tcase_add_test(tcase, without_inputs_the_output_is_judged);
    suite_add_tcase(suite, tcase);
    return suite;
}
