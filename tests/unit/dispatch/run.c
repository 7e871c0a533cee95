/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the dispatch layer, in the order in which they run. */
#include "unit/dispatch/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_dispatch_thread_pool,
    suite_dispatch_host,
    suite_dispatch_cpu_features,
    suite_dispatch_bind,
    suite_dispatch_demand,
    suite_dispatch_operands,
    suite_dispatch_guard_type,
    suite_dispatch_guard_layout,
    suite_dispatch_guard_limits,
    suite_dispatch_guard_contents,
    suite_dispatch_operand_copy,
    suite_dispatch_invoke,
    suite_dispatch_call,
    suite_dispatch_call_vjp,
    suite_dispatch_vjp_mocks,
    suite_dispatch_thread_trial,
    NULL,
};
