/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands and operations of rules as lists.
 */
#include "plan/rule_text.h"

#include <string.h>
#include <kcapsule/vocabulary.h>
#include "ops/vjp.h"
#include "unit/plan/suites.h"

START_TEST(operands_have_number_and_name)
{
    char text[96];
    kci_rule_format_operands(KC_OP_MATMUL, 0, 0, text, sizeof text);
    ck_assert_str_eq(text, "nothing");
    kci_rule_format_operands(KC_OP_MATMUL, UINT32_MAX, 0, text, sizeof text);
    ck_assert_str_eq(text, "input 0 (a), input 1 (b)");
    kci_rule_format_operands(KC_OP_HARD_MASKED_SOFTMAX, 2, 1, text,
                             sizeof text);
    ck_assert_str_eq(text, "input 1 (mask), the output");
    kci_rule_format_operands(KC_OP_CONCAT, UINT32_C(1) << 31, 0, text,
                             sizeof text);
    ck_assert_str_eq(text, "input 31 (input)");
}
END_TEST

START_TEST(operations_are_in_the_order_of_the_catalogue)
{
    char text[96];
    kci_rule_format_ops(0, text, sizeof text);
    ck_assert_str_eq(text, "nothing");
    kci_rule_format_ops(KCI_OP_BIT(KC_OP_PERMUTE) | KCI_OP_BIT(KC_OP_ADD), text,
                        sizeof text);
    ck_assert_str_eq(text, "add, permute");
}
END_TEST

START_TEST(a_list_that_is_too_long_is_cut_and_ends)
{
    char text[12];
    kci_rule_format_operands(KC_OP_MATMUL, 3, 0, text, sizeof text);
    ck_assert_str_eq(text, "input 0 (a)");
    kci_rule_format_ops(UINT64_MAX, text, sizeof text);
    ck_assert_uint_eq(strlen(text), sizeof text - 1);
}
END_TEST

Suite *suite_plan_rule_text(void)
{
    Suite *suite = suite_create("plan/rule_text");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, operands_have_number_and_name);
    tcase_add_test(tcase, operations_are_in_the_order_of_the_catalogue);
    tcase_add_test(tcase, a_list_that_is_too_long_is_cut_and_ends);
    suite_add_tcase(suite, tcase);
    return suite;
}
