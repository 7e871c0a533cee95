/* SPDX-License-Identifier: Apache-2.0
 *
 * The exit codes of the command, in one place: which status of the library
 * becomes which of the four.
 */
#ifndef KC_CLI_EXIT_CODE_H
#define KC_CLI_EXIT_CODE_H

#include <kcapsule/status.h>

enum {
    CLI_DONE = 0,
    CLI_NEGATIVE = 1, /* the verdict is no: no capsule, rejected, not sound */
    CLI_UNUSABLE = 2, /* usage, file, graph, profile or named module        */
    CLI_FAILED = 3    /* binding or a kernel failed, or writing a result    */
};

int cli_exit_code(kc_status_t status);
/* While operations are bound and called: a module that cannot be loaded is
 * then a failure of execution, no matter who named it; a tensor that a guard
 * refuses came from a file. */
int cli_exit_code_of_run(kc_status_t status);

#endif
