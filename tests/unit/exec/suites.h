/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the exec layer. */
#ifndef KC_TESTS_UNIT_EXEC_SUITES_H
#define KC_TESTS_UNIT_EXEC_SUITES_H

#include <check.h>

Suite *suite_exec_arena(void);
Suite *suite_exec_arena_gaps(void);
Suite *suite_exec_attach(void);
Suite *suite_exec_compile(void);
Suite *suite_exec_composed_operands(void);
Suite *suite_exec_composed_products(void);
Suite *suite_exec_digits(void);
Suite *suite_exec_executor(void);
Suite *suite_exec_graph_values(void);
Suite *suite_exec_link(void);
Suite *suite_exec_liveness(void);
Suite *suite_exec_ports(void);
Suite *suite_exec_program(void);
Suite *suite_exec_program_composition(void);
Suite *suite_exec_program_forward(void);
Suite *suite_exec_record(void);
Suite *suite_exec_record_rows(void);
Suite *suite_exec_run(void);
Suite *suite_exec_runtime(void);
Suite *suite_exec_session(void);
Suite *suite_exec_session_choice(void);
Suite *suite_exec_session_composed(void);
Suite *suite_exec_session_composition(void);
Suite *suite_exec_session_gradient(void);
Suite *suite_exec_session_graph(void);
Suite *suite_exec_threads(void);
Suite *suite_exec_weights(void);

#endif
