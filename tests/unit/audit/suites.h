/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the audit layer, one a source file.
 */
#ifndef KC_TESTS_UNIT_AUDIT_SUITES_H
#define KC_TESTS_UNIT_AUDIT_SUITES_H

#include <check.h>

Suite *suite_audit_accept(void);
Suite *suite_audit_accept_failures(void);
Suite *suite_audit_accept_inner(void);
Suite *suite_audit_audit(void);
Suite *suite_audit_contract_check(void);
Suite *suite_audit_evidence(void);
Suite *suite_audit_guards(void);
Suite *suite_audit_inner_rows(void);
Suite *suite_audit_key_set(void);

#endif
