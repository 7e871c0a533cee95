/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the base layer, in the order in which they run. */
#include "unit/base/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_base_alloc,
    suite_base_c_locale,
    suite_base_clock,
    suite_base_error,
    suite_base_file_bytes,
    suite_base_file_open,
    suite_base_file_writer,
    suite_base_hash,
    suite_base_host_allocator,
    suite_base_json,
    suite_base_json_depth,
    suite_base_json_format,
    suite_base_label,
    suite_base_log,
    suite_base_number,
    suite_base_one_line,
    suite_base_short_name,
    suite_base_string_buffer,
    NULL,
};
