/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the autograd layer. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_SUITES_H
#define KC_TESTS_UNIT_AUTOGRAD_SUITES_H

#include <check.h>

Suite *suite_autograd_attention(void);
Suite *suite_autograd_attention_blocked(void);
Suite *suite_autograd_attention_rows(void);
Suite *suite_autograd_both_modes(void);
Suite *suite_autograd_composed_blocked(void);
Suite *suite_autograd_composed_large(void);
Suite *suite_autograd_conv(void);
Suite *suite_autograd_conv_correlate(void);
Suite *suite_autograd_conv_slide(void);
Suite *suite_autograd_conv_transpose(void);
Suite *suite_autograd_gradient_plan(void);
Suite *suite_autograd_gradient_plan_request(void);
Suite *suite_autograd_gradient_plan_rule(void);
Suite *suite_autograd_gradient_plan_walk(void);
Suite *suite_autograd_gradient_values(void);
Suite *suite_autograd_index(void);
Suite *suite_autograd_layout(void);
Suite *suite_autograd_matmul(void);
Suite *suite_autograd_norm(void);
Suite *suite_autograd_panel(void);
Suite *suite_autograd_pointwise(void);
Suite *suite_autograd_pointwise_select(void);
Suite *suite_autograd_pool(void);
Suite *suite_autograd_reduce(void);
Suite *suite_autograd_rule(void);
Suite *suite_autograd_scan(void);
Suite *suite_autograd_softmax(void);
Suite *suite_autograd_spectral(void);
Suite *suite_autograd_tape(void);
Suite *suite_autograd_tape_backward(void);
Suite *suite_autograd_tape_composition(void);
Suite *suite_autograd_tape_gradients(void);
Suite *suite_autograd_tape_graph(void);
Suite *suite_autograd_tape_memory(void);
Suite *suite_autograd_tape_record(void);
Suite *suite_autograd_tape_reports(void);
Suite *suite_autograd_tape_request(void);
Suite *suite_autograd_tape_rule(void);
Suite *suite_autograd_tape_saved(void);
Suite *suite_autograd_tape_seed(void);
Suite *suite_autograd_tape_variable(void);

#endif
