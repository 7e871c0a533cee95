/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the ops layer, one a source file.
 */
#ifndef KC_TESTS_UNIT_OPS_SUITES_H
#define KC_TESTS_UNIT_OPS_SUITES_H

#include <check.h>

Suite *suite_ops_attention(void);
Suite *suite_ops_attribute_value(void);
Suite *suite_ops_attributes(void);
Suite *suite_ops_conv(void);
Suite *suite_ops_index(void);
Suite *suite_ops_infer(void);
Suite *suite_ops_layout(void);
Suite *suite_ops_matmul(void);
Suite *suite_ops_norm(void);
Suite *suite_ops_op_info(void);
Suite *suite_ops_pointwise(void);
Suite *suite_ops_pool(void);
Suite *suite_ops_random(void);
Suite *suite_ops_reduce(void);
Suite *suite_ops_rule(void);
Suite *suite_ops_scan(void);
Suite *suite_ops_softmax(void);
Suite *suite_ops_spectral(void);
Suite *suite_ops_vjp(void);
Suite *suite_ops_window(void);

#endif
