/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the plan layer, in the order in which they run. */
#include "unit/plan/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_plan_admissible, suite_plan_choose,
    suite_plan_claim_text, suite_plan_explain,
    suite_plan_group,      suite_plan_inner,
    suite_plan_limits,     suite_plan_maintained_selection,
    suite_plan_plan,       suite_plan_reason,
    suite_plan_rule_text,  NULL,
};
