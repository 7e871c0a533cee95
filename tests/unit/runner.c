/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Runs the suites of one layer and writes TAP to stdout. The verdict is the TAP
 * text: the status is 0 whenever that text is complete, so that the test driver
 * does not count a failed test twice. */
#include "unit/runner.h"

#include <stdio.h>
#include <stdlib.h>

/* Seconds for one test. Check's own 4 are too few on a loaded machine with
 * sanitizers; CK_DEFAULT_TIMEOUT still overrides. */
#define TEST_TIMEOUT_S "60"

static SRunner *collect_suites(void)
{
    SRunner *runner = NULL;
    for (size_t idx = 0; kc_suites[idx] != NULL; ++idx) {
        Suite *suite = kc_suites[idx]();
        if (runner == NULL) {
            runner = srunner_create(suite);
        } else {
            srunner_add_suite(runner, suite);
        }
    }
    return runner;
}

int main(void)
{
    if (setenv("CK_DEFAULT_TIMEOUT", TEST_TIMEOUT_S, 0) != 0) {
        return EXIT_FAILURE;
    }
    SRunner *runner = collect_suites();
    if (runner == NULL) {
        puts("1..0 # SKIP no suites");
        return EXIT_SUCCESS;
    }
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    srunner_free(runner);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
