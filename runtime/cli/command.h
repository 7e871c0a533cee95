/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands: one file each, listed in main.c. Each gets parsed options
 * and gives an exit code after having said what went wrong.
 */
#ifndef KC_CLI_COMMAND_H
#define KC_CLI_COMMAND_H

#include "cli/message.h"
#include "cli/options.h"

int cli_modules(const cli_options_t *options);
int cli_inspect(const cli_options_t *options);
int cli_ops(const cli_options_t *options);
int cli_profiles(const cli_options_t *options);
int cli_plan(const cli_options_t *options);
int cli_check(const cli_options_t *options);
int cli_run(const cli_options_t *options);
int cli_diff(const cli_options_t *options);
int cli_doctor(const cli_options_t *options);
/* Not for users: what doctor starts for each module file (probe.h). */
int cli_probe_module(const cli_options_t *options);

#endif
