/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of this folder, one a file.
 */
#ifndef KC_TESTS_UNIT_MODULE_SUITES_H
#define KC_TESTS_UNIT_MODULE_SUITES_H

#include <check.h>

Suite *suite_module_alignment(void);
Suite *suite_module_elf_words(void);
Suite *suite_module_entry_check(void);
Suite *suite_module_file_judge(void);
Suite *suite_module_folder_names(void);
Suite *suite_module_handler_check(void);
Suite *suite_module_image(void);
Suite *suite_module_inspect_capsule(void);
Suite *suite_module_inspect_dynamic(void);
Suite *suite_module_inspect_elf(void);
Suite *suite_module_inspect_notes(void);
Suite *suite_module_inspect_records(void);
Suite *suite_module_inspect_symbol(void);
Suite *suite_module_loaded_image(void);
Suite *suite_module_module_file(void);
Suite *suite_module_module_search(void);
Suite *suite_module_open(void);
Suite *suite_module_openmp_runtimes(void);
Suite *suite_module_record_text(void);
Suite *suite_module_state_guard(void);

#endif
