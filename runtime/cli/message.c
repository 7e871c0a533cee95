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

#include <kcapsule/api.h>

/* Longer lines are cut. */
#define LINE_SIZE 4096

/* Bytes of the UTF-8 character at the start, 0 for none. */
static size_t character_size(const unsigned char *at)
{
    static const unsigned char first_of_size[] = {0, 0, 0xc2, 0xe0, 0xf0, 0xf5};
    if (at[0] < 0x80) {
        return 1;
    }
    for (size_t size = 2; size <= 4; size++) {
        if (at[0] < first_of_size[size] || at[0] >= first_of_size[size + 1]) {
            continue;
        }
        for (size_t idx = 1; idx < size; idx++) {
            if ((at[idx] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return size;
    }
    return 0;
}

/* C0, DEL, C1, and the two line separators of Unicode. */
static int is_control(const unsigned char *at, size_t size)
{
    if (size == 1) {
        return at[0] < 0x20 || at[0] == 0x7f;
    }
    if (size == 2) {
        return at[0] == 0xc2 && at[1] < 0xa0;
    }
    return size == 3 && at[0] == 0xe2 && at[1] == 0x80 &&
           (at[2] == 0xa8 || at[2] == 0xa9);
}

/* Names come from files and from whoever called: bytes that would do something
 * to a terminal, end the line or are no text become `?`. */
static void make_one_line(char *text)
{
    unsigned char *at = (unsigned char *)text;
    while (*at != 0) {
        size_t size = character_size(at);
        if (size == 0 || is_control(at, size)) {
            size = size > 0 ? size : 1;
            memset(at, '?', size);
        }
        at += size;
    }
}

static void KC_PRINTF(3, 0)
    put(FILE *stream, const char *before, const char *format, va_list arguments)
{
    char line[LINE_SIZE];
    if (vsnprintf(line, sizeof line, format, arguments) < 0) {
        line[0] = 0;
    }
    make_one_line(line);
    fprintf(stream, "%s%s\n", before, line);
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(stderr, "kcapsule: ", format, arguments);
    va_end(arguments);
}

int cli_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(stderr, "kcapsule: ", format, arguments);
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

void cli_print_line(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(stdout, "", format, arguments);
    va_end(arguments);
}

void cli_print(const char *text)
{
    fputs(text, stdout);
}

int cli_print_report(kc_status_t status, char *text, const kc_error_t *error)
{
    int code = CLI_DONE;
    if (status == KC_OK) {
        cli_print(text);
    } else {
        code = cli_report(status, error);
    }
    kc_text_release(text);
    return code;
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
