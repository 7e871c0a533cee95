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

/* Reads the lines about OpenMP; returns what follows them. */
static const char *parse_openmp(const char *text,
                                kc_openmp_runtimes_t *out_openmp)
{
    char name[KC_OPENMP_NAME_SIZE];
    int used = 0;
    while (sscanf(text, "openmp %63[^\n]%n", name, &used) == 1 &&
           text[used] == '\n') {
        cli_openmp_add(out_openmp, name);
        text += used + 1;
    }
    return text;
}

int cli_probe_answer_parse(const char *text, cli_probe_t *out_probe)
{
    int used = 0;
    text = parse_openmp(text, &out_probe->openmp);
    const char *end = strchr(text, '\n');
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

static void answer_loaded(const kc_module_probe_t *probe)
{
    for (uint32_t idx = 0; idx < probe->openmp.count; idx++) {
        dprintf(CLI_PROBE_ANSWER_FD, "openmp %s\n", probe->openmp.names[idx]);
    }
    dprintf(CLI_PROBE_ANSWER_FD, "loaded %zu\n", probe->handler_count);
}

int cli_probe_module(const cli_options_t *options)
{
    const struct rlimit no_core = {0, 0};
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    kc_module_probe_t probe = {.struct_size = sizeof probe};
    if (options->operand_count == 0 ||
        fcntl(CLI_PROBE_ANSWER_FD, F_SETFD, FD_CLOEXEC) != 0) {
        return cli_refuse(CLI_PROBE_COMMAND ": is started by doctor");
    }
    setrlimit(RLIMIT_CORE, &no_core);
    int code = cli_open_runtime(options, 1, &runtime);
    if (code != CLI_DONE) {
        return code;
    }
    kc_status_t status =
        kc_runtime_probe_module(runtime, options->operands[0], &probe, &error);
    if (status == KC_OK) {
        answer_loaded(&probe);
    } else {
        dprintf(CLI_PROBE_ANSWER_FD, "refused %s\n", error.message);
    }
    kc_runtime_release(runtime);
    return CLI_DONE;
}
