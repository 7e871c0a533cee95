/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the audit layer, in the order in which they run. */
#include "unit/audit/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_audit_accept,         suite_audit_accept_failures,
    suite_audit_accept_inner,   suite_audit_audit,
    suite_audit_contract_check, suite_audit_evidence,
    suite_audit_guards,         suite_audit_inner_rows,
    suite_audit_key_set,        NULL,
};
