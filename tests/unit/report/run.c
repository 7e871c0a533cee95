/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the report layer, in the order in which they run. */
#include "unit/report/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_report_record_roles,
    suite_report_rule_text,
    NULL,
};
