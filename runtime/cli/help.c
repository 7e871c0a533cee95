/* SPDX-License-Identifier: Apache-2.0
 *
 * The --help text of a command, made from the option table.
 */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 26

static void print_option(const cli_option_t *option)
{
    char left[64];
    if (option->letter != 0) {
        snprintf(left, sizeof left, "  -%c, --%s%s%s", option->letter,
                 option->name, option->argument != NULL ? " " : "",
                 option->argument != NULL ? option->argument : "");
    } else {
        snprintf(left, sizeof left, "      --%s%s%s", option->name,
                 option->argument != NULL ? " " : "",
                 option->argument != NULL ? option->argument : "");
    }
    printf("%-*s", HELP_COLUMN, left);
    for (const char *line = option->help; line != NULL;) {
        const char *end = strchr(line, '\n');
        int length = end != NULL ? (int)(end - line) : (int)strlen(line);
        printf("%.*s\n", length, line);
        line = end != NULL ? end + 1 : NULL;
        if (line != NULL) {
            printf("%-*s", HELP_COLUMN, "");
        }
    }
}

void cli_print_help(const cli_command_t *command)
{
    printf("Usage: kcapsule %s %s\n\n%s\n\n", command->name, command->usage,
           command->summary);
    for (size_t idx = 0; idx < cli_option_count; idx++) {
        const cli_option_t *option = &cli_option_table[idx];
        if ((option->commands & 1u << command->id) != 0) {
            print_option(option);
        }
    }
    if (command->details != NULL) {
        printf("\n%s", command->details);
    }
}
