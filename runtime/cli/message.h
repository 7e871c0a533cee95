/* SPDX-License-Identifier: Apache-2.0
 *
 * What the command says on stderr, and whether its results reached stdout.
 */
#ifndef KC_CLI_MESSAGE_H
#define KC_CLI_MESSAGE_H

#include "cli/exit_code.h"

/* One line "kcapsule: TEXT" on stderr. */
void cli_say(const char *format, ...) KC_PRINTF(1, 2);

/* Says it and gives CLI_UNUSABLE. */
int cli_refuse(const char *format, ...) KC_PRINTF(1, 2);

/* Says the message of a failed call and gives the exit code of its status.
 * Lines that the seed text prints stand alone, to the letter. */
int cli_report(kc_status_t status, const kc_error_t *error);
int cli_report_of_run(kc_status_t status, const kc_error_t *error);

/* One line of a result, on stdout, whatever names in it contain. */
void cli_print_line(const char *format, ...) KC_PRINTF(1, 2);
/* A result, on stdout. Failures are found by cli_finish_output. */
void cli_print(const char *text);
/* What a report gave: the text, which is released, on stdout; or the failure
 * as cli_report says it. */
int cli_print_report(kc_status_t status, char *text, const kc_error_t *error);

/* Flushes stdout. What could not be written (full disk, closed pipe) is said
 * and turns `code` into CLI_FAILED. */
int cli_finish_output(int code);

#endif
