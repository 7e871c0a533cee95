/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the config layer, one a source file.
 */
#ifndef KC_TESTS_UNIT_CONFIG_SUITES_H
#define KC_TESTS_UNIT_CONFIG_SUITES_H

#include <check.h>

Suite *suite_config_environment(void);
Suite *suite_config_ini(void);
Suite *suite_config_search_path(void);

#endif
