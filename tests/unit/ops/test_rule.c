/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks that families share, and how they word what they found.
 */
#include "ops/rule.h"

#include <math.h>
#include "unit/expect.h"
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

START_TEST(operands_have_names)
{
    ck_assert_str_eq(kci_rule_operand_name(KC_OP_CONV, 1), "weight");
    ck_assert_str_eq(kci_rule_operand_name(KC_OP_CONV, 7), "input");
    ck_assert_str_eq(kci_rule_operand_name(KC_OP_CONCAT, 40), "input");
    ck_assert_str_eq(kci_rule_operand_name(KC_OP_RAND_UNIFORM, 0), "input");
}
END_TEST

START_TEST(absent_operands_are_null)
{
    operand_list_t list;
    operand_list_parse(&list, KC_OP_LINEAR, "f32[2] - f32[3]");
    ck_assert(kci_rule_operand(&list.request, 0) != NULL);
    ck_assert(kci_rule_operand(&list.request, 1) == NULL);
    ck_assert(kci_rule_operand(&list.request, 3) == NULL);
}
END_TEST

START_TEST(shapes_of_messages_are_cut)
{
    operand_list_t list;
    char text[KCI_RULE_SHAPE_SIZE];
    kci_shape_t wide = {.rank = KC_MAX_RANK};
    operand_list_parse(&list, KC_OP_ADD, "f32[N,3] f32[2]");
    kci_rule_format(&list.request, &list.types[0].shape, text);
    ck_assert_str_eq(text, "[N, 3]");
    for (int32_t axis = 0; axis < KC_MAX_RANK; axis++) {
        wide.dims[axis] = INT64_MAX;
    }
    kci_rule_format(&list.request, &wide, text);
    ck_assert_uint_lt(strlen(text), KCI_RULE_SHAPE_SIZE);
}
END_TEST

START_TEST(float32_judges_the_rounded_value)
{
    static const double good[] = {1, -1, 1e-45, 3.4e38, -2.5};
    static const double bad[] = {0,    1e-50, 1e39,     -1e39,
                                 -0.0, NAN,   INFINITY, -INFINITY};
    kci_op_request_t request = {.op = KC_OP_SMOOTH_MAX_POOL};
    kc_error_t error = KC_ERROR_INIT;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        EXPECT_OK(error, kci_rule_float32(&request, "beta", good[i], &error));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT_FAILURE(error, KC_ERR_GRAPH, "smooth_max_pool: attribute beta",
                       kci_rule_float32(&request, "beta", bad[i], &error));
    }
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "attribute eps: expected a number "
                   "above 0, found -1",
                   kci_rule_epsilon(&request, -1, &error));
}
END_TEST

START_TEST(counts_leave_the_name_out)
{
    operand_list_t list;
    kc_error_t error = KC_ERROR_INIT;
    int64_t count = 0;
    operand_list_parse(&list, KC_OP_ADD, "f32[N,3,5]");
    EXPECT_OK(error, kci_rule_count(&list.request, &list.types[0].shape, "x",
                                    &count, &error));
    ck_assert_int_eq(count, 15);
    kci_shape_t huge = {.rank = 2, .dims = {INT64_MAX, 2}};
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "add: x: too many elements",
                   kci_rule_count(&list.request, &huge, "x", &count, &error));
    ck_assert_int_eq(kci_rule_count(&list.request, &huge, "x", &count, NULL),
                     KC_ERR_GRAPH);
}
END_TEST

START_TEST(axes_disappear)
{
    kci_shape_t shape = {.rank = 3, .dims = {2, 3, 4}};
    kci_rule_remove_axis(&shape, 1);
    ck_assert_int_eq(shape.rank, 2);
    ck_assert(shape.dims[0] == 2 && shape.dims[1] == 4);
    kci_shape_t vector = kci_rule_vector(9);
    ck_assert(vector.rank == 1 && vector.dims[0] == 9);
}
END_TEST

Suite *suite_ops_rule(void)
{
    Suite *suite = suite_create("ops/rule");
    TCase *tcase = tcase_create("rule");
    tcase_add_test(tcase, operands_have_names);
    tcase_add_test(tcase, absent_operands_are_null);
    tcase_add_test(tcase, shapes_of_messages_are_cut);
    tcase_add_test(tcase, float32_judges_the_rounded_value);
    tcase_add_test(tcase, counts_leave_the_name_out);
    tcase_add_test(tcase, axes_disappear);
    suite_add_tcase(suite, tcase);
    return suite;
}
