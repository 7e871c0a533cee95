/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages on stderr, results on stdout.
 */
#include "cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void KC_PRINTF(1, 0) say(const char *format, va_list arguments)
{
    fputs("kcapsule: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
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

int cli_finish_output(int code)
{
    int has_failed = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) != 0 || has_failed) {
        cli_say("cannot write to standard output%s%s", errno != 0 ? ": " : "",
                errno != 0 ? strerror(errno) : "");
        return CLI_FAILED;
    }
    return code;
}
