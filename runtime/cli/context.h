/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime and the profile that the options ask for. Each function gives
 * CLI_DONE, or an exit code after having said what went wrong.
 */
#ifndef KC_CLI_CONTEXT_H
#define KC_CLI_CONTEXT_H

#include "cli/options.h"

int cli_open_runtime(const cli_options_t *options, unsigned thread_count,
                     kc_runtime_t **out_runtime);
typedef void (*cli_log_fn)(void *context, int32_t level, const char *line);
/* The same with what the library logs going to `log`, not to stderr. */
int cli_open_runtime_with_log(const cli_options_t *options,
                              unsigned thread_count, cli_log_fn log,
                              void *log_context, kc_runtime_t **out_runtime);

typedef struct cli_context {
    kc_runtime_t *runtime;
    kc_profile_t *profile; /* with the overrides of the command line */
} cli_context_t;

/* `command` is named where -p is missing. */
int cli_context_open(const char *command, const cli_options_t *options,
                     cli_context_t *out_context);
/* The profile of the options into a context that has a runtime already. */
int cli_context_load(const cli_options_t *options, cli_context_t *context);
/* The same profile with another policy in force. */
int cli_context_set_policy(cli_context_t *context, const kc_policy_t *policy);
void cli_context_close(cli_context_t *context);

#endif
