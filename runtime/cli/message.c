/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages on stderr, results on stdout.
 */
#include "cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Longer lines are cut. */
#define LINE_SIZE 4096

/* Bytes that would do something to a terminal, or end the line, become `?`:
 * names come from files and from whoever called. C1 controls are two bytes in
 * UTF-8, U+2028 and U+2029 three. */
static void make_one_line(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at != 0; at++) {
        if (*at < 0x20 || *at == 0x7f) {
            *at = '?';
        } else if (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) {
            at[0] = at[1] = '?';
        } else if (*at == 0xe2 && at[1] == 0x80 &&
                   (at[2] == 0xa8 || at[2] == 0xa9)) {
            at[0] = at[1] = at[2] = '?';
        }
    }
}

static void KC_PRINTF(1, 0) say(const char *format, va_list arguments)
{
    char line[LINE_SIZE];
    if (vsnprintf(line, sizeof line, format, arguments) < 0) {
        line[0] = 0;
    }
    make_one_line(line);
    fprintf(stderr, "kcapsule: %s\n", line);
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

int cli_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    return CLI_UNUSABLE;
}

/* The planner's line and the registry's. */
static int is_literal(kc_status_t status)
{
    return status == KC_ERR_NO_CAPSULE || status == KC_ERR_DUPLICATE;
}

int cli_report(kc_status_t status, const kc_error_t *error)
{
    if (is_literal(status)) {
        fprintf(stderr, "%s\n", error->message);
        return cli_exit_code(status);
    }
    cli_say("%s", error->message[0] != 0 ? error->message
                                         : "failed without a message");
    return cli_exit_code(status);
}

int cli_report_of_run(kc_status_t status, const kc_error_t *error)
{
    cli_report(status, error);
    return cli_exit_code_of_run(status);
}

void cli_print(const char *text)
{
    fputs(text, stdout);
}

/* A failure while the text was printed left its mark and not its reason; what
 * stopped that byte stops one more. */
static int output_errno(void)
{
    return write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
}

int cli_finish_output(int code)
{
    int has_failed = ferror(stdout) != 0;
    int reason = fflush(stdout) != 0 ? errno : 0;
    if (reason == 0 && has_failed) {
        reason = output_errno();
    }
    if (reason != 0) {
        cli_say("cannot write to standard output: %s", strerror(reason));
        return CLI_FAILED;
    }
    return code;
}
