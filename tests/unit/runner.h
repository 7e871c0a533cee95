/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The one main of all unit test runners. A runner is runner.c and a run.c that
 * defines kc_suites; each test_<file>.c exports suite_<layer>_<file>(). */
#ifndef KC_TESTS_UNIT_RUNNER_H
#define KC_TESTS_UNIT_RUNNER_H

#include <check.h>

typedef Suite *(*kc_suite_fn)(void);

/* The suites of one layer in the order in which they run; ends with NULL. */
extern kc_suite_fn const kc_suites[];

#endif
