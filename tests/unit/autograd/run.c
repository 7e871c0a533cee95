/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the autograd layer, in the order in which they run. */
#include "unit/autograd/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_autograd_attention,
    suite_autograd_attention_blocked,
    suite_autograd_attention_rows,
    suite_autograd_both_modes,
    suite_autograd_composed_blocked,
    suite_autograd_composed_large,
    suite_autograd_conv,
    suite_autograd_conv_correlate,
    suite_autograd_conv_slide,
    suite_autograd_conv_transpose,
    suite_autograd_gradient_plan,
    suite_autograd_gradient_plan_request,
    suite_autograd_gradient_plan_rule,
    suite_autograd_gradient_plan_walk,
    suite_autograd_gradient_values,
    suite_autograd_index,
    suite_autograd_layout,
    suite_autograd_matmul,
    suite_autograd_norm,
    suite_autograd_panel,
    suite_autograd_pointwise,
    suite_autograd_pointwise_select,
    suite_autograd_pool,
    suite_autograd_reduce,
    suite_autograd_scan,
    suite_autograd_softmax,
    suite_autograd_spectral,
    suite_autograd_rule, /* of all the others */
    suite_autograd_tape,
    suite_autograd_tape_backward,
    suite_autograd_tape_composition,
    suite_autograd_tape_gradients,
    suite_autograd_tape_graph,
    suite_autograd_tape_memory,
    suite_autograd_tape_record,
    suite_autograd_tape_reports,
    suite_autograd_tape_request,
    suite_autograd_tape_rule,
    suite_autograd_tape_saved,
    suite_autograd_tape_seed,
    suite_autograd_tape_variable,
    NULL,
};
