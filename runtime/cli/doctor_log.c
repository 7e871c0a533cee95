/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library warns of while doctor looks is part of its report, once:
 * it does not go to standard error as well.
 */
#include <stdlib.h>
#include <string.h>
#include <kcapsule/host.h>

#include "cli/doctor.h"
#include "cli/message.h"

/* "FIRST; SECOND"; NULL when memory ran out. */
static char *join(char *text, const char *line)
{
    size_t length = text != NULL ? strlen(text) + 2 : 0;
    size_t size = length + strlen(line) + 1;
    char *joined = realloc(text, size);
    if (joined == NULL) {
        free(text);
        return NULL;
    }
    if (length > 0) {
        memcpy(joined + length - 2, "; ", 2);
    }
    memcpy(joined + length, line, size - length);
    return joined;
}

/* The line without "profile NAME: ", which the report says itself. */
static const char *after_name(const char *line)
{
    static const char word[] = "profile ";
    const char *colon = strstr(line, ": ");
    return strncmp(line, word, sizeof word - 1) == 0 && colon != NULL
               ? colon + 2
               : line;
}

static void add_warning(cli_doctor_log_t *log, const char *line)
{
    char **items =
        realloc(log->warnings, (log->warning_count + 1) * sizeof *items);
    char *copy = strdup(line);
    if (items != NULL) {
        log->warnings = items;
    }
    if (items == NULL || copy == NULL) {
        free(copy);
        cli_say("warning: %s", line);
        return;
    }
    log->warnings[log->warning_count++] = copy;
}

void cli_doctor_log(void *context, int32_t level, const char *line)
{
    static const char of_folder[] = "module folder ";
    cli_doctor_log_t *log = context;
    if (level > KC_LOG_WARNING) {
        return;
    }
    if (log->profile != NULL) {
        log->profile->line = join(log->profile->line, after_name(line));
        log->profile->is_problem = 1;
        return;
    }
    if (strncmp(line, of_folder, sizeof of_folder - 1) != 0) {
        add_warning(log, line); /* those are findings of their own */
    }
}

void cli_doctor_log_release(cli_doctor_log_t *log)
{
    for (size_t idx = 0; idx < log->warning_count; idx++) {
        free(log->warnings[idx]);
    }
    free(log->warnings);
}
