/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the report layer.
 */
#ifndef KC_TESTS_UNIT_REPORT_SUITES_H
#define KC_TESTS_UNIT_REPORT_SUITES_H

#include <check.h>

Suite *suite_report_record_roles(void);
Suite *suite_report_rule_text(void);

#endif
