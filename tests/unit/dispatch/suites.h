/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the dispatch layer. */
#ifndef KC_TESTS_UNIT_DISPATCH_SUITES_H
#define KC_TESTS_UNIT_DISPATCH_SUITES_H

#include <check.h>

Suite *suite_dispatch_bind(void);
Suite *suite_dispatch_call(void);
Suite *suite_dispatch_call_vjp(void);
Suite *suite_dispatch_cpu_features(void);
Suite *suite_dispatch_demand(void);
Suite *suite_dispatch_guard_contents(void);
Suite *suite_dispatch_guard_layout(void);
Suite *suite_dispatch_guard_limits(void);
Suite *suite_dispatch_guard_type(void);
Suite *suite_dispatch_host(void);
Suite *suite_dispatch_invoke(void);
Suite *suite_dispatch_operand_copy(void);
Suite *suite_dispatch_operands(void);
Suite *suite_dispatch_thread_pool(void);
Suite *suite_dispatch_thread_trial(void);
Suite *suite_dispatch_vjp_mocks(void);

#endif
