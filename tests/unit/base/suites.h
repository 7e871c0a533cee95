/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the base layer, one a source file.
 */
#ifndef KC_TESTS_UNIT_BASE_SUITES_H
#define KC_TESTS_UNIT_BASE_SUITES_H

#include <check.h>

Suite *suite_base_alloc(void);
Suite *suite_base_c_locale(void);
Suite *suite_base_clock(void);
Suite *suite_base_error(void);
Suite *suite_base_file_bytes(void);
Suite *suite_base_file_open(void);
Suite *suite_base_file_writer(void);
Suite *suite_base_hash(void);
Suite *suite_base_host_allocator(void);
Suite *suite_base_json(void);
Suite *suite_base_json_depth(void);
Suite *suite_base_json_format(void);
Suite *suite_base_label(void);
Suite *suite_base_log(void);
Suite *suite_base_number(void);
Suite *suite_base_one_line(void);
Suite *suite_base_short_name(void);
Suite *suite_base_string_buffer(void);

#endif
