/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the ops layer, in the order in which they run. */
#include "unit/ops/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_ops_op_info, suite_ops_rule,       suite_ops_infer,
    suite_ops_window,  suite_ops_attributes, suite_ops_attribute_value,
    suite_ops_random,  suite_ops_pointwise,  suite_ops_softmax,
    suite_ops_reduce,  suite_ops_layout,     suite_ops_index,
    suite_ops_matmul,  suite_ops_norm,       suite_ops_conv,
    suite_ops_pool,    suite_ops_spectral,   suite_ops_scan,
    suite_ops_vjp,     suite_ops_attention,  NULL,
};
