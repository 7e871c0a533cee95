/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The table of rules against the operation table that planning reads: what
 * is planned as composed is composed, what is planned as the runtime's runs. */
#include "autograd/rule.h"

#include "unit/autograd/suites.h"

START_TEST(an_operation_has_the_rules_that_planning_counts_on)
{
    const kci_rule_t *rule = kci_rule(_i);
    const kci_vjp_info_t *info = kci_vjp_info(_i);
    bool is_either = info->rule == KCI_VJP_RULE_EITHER;
    ck_assert_msg((rule->compose != NULL) ==
                      (is_either || info->rule == KCI_VJP_RULE_COMPOSED),
                  "op %d: composed rule: found %d", _i, rule->compose != NULL);
    ck_assert_msg((rule->run != NULL) ==
                      (is_either || info->rule == KCI_VJP_RULE_RUNTIME),
                  "op %d: rule of the runtime: found %d", _i,
                  rule->run != NULL);
    ck_assert(rule->workspace == NULL || rule->run != NULL);
}
END_TEST

START_TEST(an_operation_has_a_rule_if_it_requires_one)
{
    const kci_rule_t *rule = kci_rule(_i);
    ck_assert_int_eq((rule->compose != NULL || rule->run != NULL),
                     kci_op_info(_i)->requires_vjp);
}
END_TEST

/* A line of the table that was copied. */
START_TEST(no_two_operations_have_one_rule)
{
    for (int32_t other = 0; other < _i; other++) {
        ck_assert_msg(!kci_op_info(_i)->requires_vjp ||
                          kci_rule(_i) != kci_rule(other),
                      "op %d has the rule of op %d", _i, other);
    }
}
END_TEST

Suite *suite_autograd_rule(void)
{
    Suite *suite = suite_create("autograd/rule");
    TCase *tests = tcase_create("rule");
    tcase_add_loop_test(tests, no_two_operations_have_one_rule, 0, KC_OP_COUNT);
    tcase_add_loop_test(tests,
                        an_operation_has_the_rules_that_planning_counts_on, 0,
                        KC_OP_COUNT);
    tcase_add_loop_test(tests, an_operation_has_a_rule_if_it_requires_one, 0,
                        KC_OP_COUNT);
    suite_add_tcase(suite, tests);
    return suite;
}
