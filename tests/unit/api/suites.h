/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the exported interface.
 */
#ifndef KC_TESTS_UNIT_API_SUITES_H
#define KC_TESTS_UNIT_API_SUITES_H

#include <check.h>

Suite *suite_api_lifetime(void);
Suite *suite_api_arguments(void);
Suite *suite_api_reports(void);
Suite *suite_api_given_modules(void);
Suite *suite_api_mixed_owners(void);
Suite *suite_api_tape(void);
Suite *suite_api_gradients(void);
Suite *suite_api_compose(void);
Suite *suite_api_graph_nodes(void);

#endif
