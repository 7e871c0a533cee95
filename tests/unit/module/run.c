/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the module layer, in the order in which they run. */
#include "unit/module/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_module_alignment,
    suite_module_elf_words,
    suite_module_entry_check,
    suite_module_file_judge,
    suite_module_folder_names,
    suite_module_handler_check,
    suite_module_image,
    suite_module_inspect_capsule,
    suite_module_inspect_dynamic,
    suite_module_inspect_elf,
    suite_module_inspect_notes,
    suite_module_inspect_records,
    suite_module_inspect_symbol,
    suite_module_loaded_image,
    suite_module_module_file,
    suite_module_module_search,
    suite_module_open,
    suite_module_openmp_runtimes,
    suite_module_record_text,
    suite_module_state_guard,
    NULL,
};
