/* SPDX-License-Identifier: Apache-2.0
 *
 * What plan and check are about: a list of operations or a graph.
 */
#ifndef KC_CLI_SUBJECT_H
#define KC_CLI_SUBJECT_H

#include "cli/context.h"

/* Reads the operands or --graph and plans them. CLI_DONE also for a plan in
 * which operations found no capsule. */
int cli_plan_subject(const char *command, const cli_options_t *options,
                     const cli_context_t *context, kc_plan_t **out_plan);

/* CLI_NEGATIVE when operations found no capsule: their lines go to stderr,
 * to the letter. CLI_DONE when there are none. */
int cli_print_failures(const kc_plan_t *plan);

/* The complete gate on a plan of a graph: every reason is said. */
int cli_accept(kc_plan_t *plan, kc_accepted_plan_t **out_accepted);

#endif
