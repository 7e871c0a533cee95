/* SPDX-License-Identifier: Apache-2.0
 *
 * An exit handler that is registered before any module is loaded, so it runs
 * after those that modules register.
 */
#include "cli/exit_guard.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/message.h"

/* Exit handlers have no argument; the process has one command. */
static int is_executing;

static void refuse_early_exit(void)
{
    if (is_executing) {
        cli_say("a module ended the process during the run; there is no "
                "result");
        _exit(CLI_FAILED);
    }
}

void cli_exit_guard_begin(void)
{
    is_executing = atexit(refuse_early_exit) == 0;
}

void cli_exit_guard_end(void)
{
    is_executing = 0;
}
