/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the exec layer, in the order in which they run. */
#include "unit/exec/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_exec_record,
    suite_exec_arena,
    suite_exec_arena_gaps,
    suite_exec_runtime,
    suite_exec_weights,
    suite_exec_graph_values,
    suite_exec_session_choice,
    suite_exec_session,
    suite_exec_session_composition,
    suite_exec_composed_operands,
    suite_exec_composed_products,
    suite_exec_session_composed,
    suite_exec_session_gradient,
    suite_exec_session_graph,
    suite_exec_program,
    suite_exec_program_forward,
    suite_exec_program_composition,
    suite_exec_compile,
    suite_exec_record_rows,
    suite_exec_liveness,
    suite_exec_link,
    suite_exec_ports,
    suite_exec_attach,
    suite_exec_executor,
    suite_exec_run,
    suite_exec_digits,
    suite_exec_threads,
    NULL,
};
