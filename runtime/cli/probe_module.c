/* SPDX-License-Identifier: Apache-2.0
 *
 * The child's side of a probe: loads one module file as a first binding
 * would, says how that went, and ends like any program.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/probe_answer.h"

int cli_probe_answer_parse(const char *text, cli_probe_t *out_probe)
{
    const char *end = strchr(text, '\n');
    int used = 0;
    if (end == NULL) {
        return 0;
    }
    if (sscanf(text, "loaded %zu%n", &out_probe->handler_count, &used) == 1 &&
        text + used == end) {
        out_probe->is_loaded = 1;
        return 1;
    }
    if (strncmp(text, "refused ", 8) != 0) {
        return 0;
    }
    snprintf(out_probe->line, sizeof out_probe->line, "%.*s",
             (int)(end - text - 8), text + 8);
    return 1;
}

int cli_probe_module(const cli_options_t *options)
{
    const struct rlimit no_core = {0, 0};
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    size_t handler_count = 0;
    if (options->operand_count == 0 ||
        fcntl(CLI_PROBE_ANSWER_FD, F_SETFD, FD_CLOEXEC) != 0) {
        return cli_refuse(CLI_PROBE_COMMAND ": is started by doctor");
    }
    setrlimit(RLIMIT_CORE, &no_core);
    int code = cli_open_runtime(options, 1, &runtime);
    if (code != CLI_DONE) {
        return code;
    }
    kc_status_t status = kc_runtime_probe_module(runtime, options->operands[0],
                                                 &handler_count, &error);
    if (status == KC_OK) {
        dprintf(CLI_PROBE_ANSWER_FD, "loaded %zu\n", handler_count);
    } else {
        dprintf(CLI_PROBE_ANSWER_FD, "refused %s\n", error.message);
    }
    kc_runtime_release(runtime);
    return CLI_DONE;
}
