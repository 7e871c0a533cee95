/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the plan layer, one a source file, and what the maintained
 * profiles must select.
 */
#ifndef KC_TESTS_UNIT_PLAN_SUITES_H
#define KC_TESTS_UNIT_PLAN_SUITES_H

#include <check.h>

Suite *suite_plan_admissible(void);
Suite *suite_plan_choose(void);
Suite *suite_plan_claim_text(void);
Suite *suite_plan_explain(void);
Suite *suite_plan_group(void);
Suite *suite_plan_inner(void);
Suite *suite_plan_limits(void);
Suite *suite_plan_maintained_selection(void);
Suite *suite_plan_plan(void);
Suite *suite_plan_reason(void);
Suite *suite_plan_rule_text(void);

#endif
