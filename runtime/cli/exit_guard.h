/* SPDX-License-Identifier: Apache-2.0
 *
 * A module must not end the process. If one does while the command executes,
 * the command still says so and does not end as if it had been done.
 */
#ifndef KC_CLI_EXIT_GUARD_H
#define KC_CLI_EXIT_GUARD_H

void cli_exit_guard_begin(void);
void cli_exit_guard_end(void);

#endif
