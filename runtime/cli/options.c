/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing: the rows of the option table that a command takes become the
 * arrays of getopt_long. Everything wrong with a command line is named.
 */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

/* Long options get values above those of letters. */
#define FIRST_VALUE 256
#define OPTION_MAX  64
#define THREADS_MAX 1024
#define HELP_OFFSET offsetof(cli_options_t, wants_help)

typedef struct parser {
    const cli_command_t *command;
    struct option longs[OPTION_MAX + 1];
    char shorts[2 * OPTION_MAX + 2];
    int argc;
} parser_t;

static void prepare(parser_t *parser, const cli_command_t *command, int argc)
{
    size_t long_count = 0;
    size_t length = 0;
    memset(parser, 0, sizeof *parser);
    parser->command = command;
    parser->argc = argc;
    parser->shorts[length++] = ':';
    for (size_t idx = 0; idx < cli_option_count; idx++) {
        const cli_option_t *option = &cli_option_table[idx];
        if ((option->commands & 1u << command->id) == 0) {
            continue;
        }
        struct option *entry = &parser->longs[long_count++];
        entry->name = option->name;
        entry->has_arg = option->argument != NULL;
        entry->val = FIRST_VALUE + (int)idx;
        if (option->letter != 0) {
            parser->shorts[length++] = option->letter;
            if (option->argument != NULL) {
                parser->shorts[length++] = ':';
            }
        }
    }
}

static const cli_option_t *option_of(const parser_t *parser, int value)
{
    if (value >= FIRST_VALUE) {
        return &cli_option_table[value - FIRST_VALUE];
    }
    for (size_t idx = 0; idx < cli_option_count; idx++) {
        const cli_option_t *option = &cli_option_table[idx];
        if (option->letter == value &&
            (option->commands & 1u << parser->command->id) != 0) {
            return option;
        }
    }
    return NULL;
}

static int append(cli_list_t *list, const char *text, int capacity)
{
    if (list->items == NULL) {
        list->items = calloc((size_t)capacity, sizeof *list->items);
        if (list->items == NULL) {
            cli_say("out of memory");
            return CLI_FAILED;
        }
    }
    list->items[list->count++] = text;
    return CLI_DONE;
}

static int store(const parser_t *parser, const cli_option_t *option,
                 const char *argument, cli_options_t *options)
{
    char *field = (char *)options + option->offset;
    if (option->kind == CLI_FLAG) {
        if (*(int *)field != 0 && option->offset != HELP_OFFSET) {
            return cli_refuse("%s: --%s is given twice", parser->command->name,
                              option->name);
        }
        *(int *)field = 1;
        return CLI_DONE;
    }
    if (argument[0] == 0) {
        return cli_refuse("%s: --%s: expected %s, found ``",
                          parser->command->name, option->name,
                          option->argument);
    }
    if (option->kind == CLI_LIST) {
        return append((cli_list_t *)field, argument, parser->argc);
    }
    if (*(const char **)field != NULL) {
        return cli_refuse("%s: --%s is given twice: `%s` and `%s`",
                          parser->command->name, option->name,
                          *(const char **)field, argument);
    }
    *(const char **)field = argument;
    return CLI_DONE;
}

/* getopt_long stops after the argument that it does not understand. */
static int refuse_option(const parser_t *parser, int value, char **argv)
{
    const char *command = parser->command->name;
    if (optopt != 0 && optopt < FIRST_VALUE && value == '?') {
        return cli_refuse("%s: unknown option -%c; see kcapsule %s --help",
                          command, optopt, command);
    }
    if (value == ':') {
        return cli_refuse("%s: option %s needs an argument", command,
                          argv[optind - 1]);
    }
    if (optopt != 0) {
        return cli_refuse("%s: option %s takes no argument", command,
                          argv[optind - 1]);
    }
    return cli_refuse("%s: unknown option %s; see kcapsule %s --help", command,
                      argv[optind - 1], command);
}

/* getopt_long takes any beginning of a name that only one option has; a
 * script would break with the next option of that beginning. */
static int is_whole_name(const cli_option_t *option, int value, char **argv)
{
    if (value < FIRST_VALUE) {
        return 1;
    }
    int is_apart = optarg != NULL && optarg == argv[optind - 1];
    const char *text = argv[optind - (is_apart ? 2 : 1)];
    size_t length = strlen(option->name);
    return strncmp(text, "--", 2) == 0 &&
           strncmp(text + 2, option->name, length) == 0 &&
           (text[2 + length] == 0 || text[2 + length] == '=');
}

static int refuse_beginning(const parser_t *parser, const cli_option_t *option,
                            char **argv)
{
    int is_apart = optarg != NULL && optarg == argv[optind - 1];
    return cli_refuse("%s: unknown option %s; expected the whole name --%s",
                      parser->command->name, argv[optind - (is_apart ? 2 : 1)],
                      option->name);
}

static int read_options(const parser_t *parser, char **argv,
                        cli_options_t *options)
{
    int value;
    opterr = 0;
    while ((value = getopt_long(parser->argc, argv, parser->shorts,
                                parser->longs, NULL)) != -1) {
        const cli_option_t *option = NULL;
        if (value != '?' && value != ':') {
            option = option_of(parser, value);
        }
        if (option == NULL) {
            return refuse_option(parser, value, argv);
        }
        if (!is_whole_name(option, value, argv)) {
            return refuse_beginning(parser, option, argv);
        }
        int code = store(parser, option, optarg, options);
        if (code != CLI_DONE) {
            return code;
        }
    }
    options->operands = (const char *const *)argv + optind;
    options->operand_count = (size_t)(parser->argc - optind);
    return CLI_DONE;
}

static int read_format(const char *command, cli_options_t *options)
{
    const char *name = options->format_name;
    if (name == NULL || strcmp(name, "text") == 0) {
        options->format = KC_FORMAT_TEXT;
        return CLI_DONE;
    }
    if (strcmp(name, "json") == 0) {
        options->format = KC_FORMAT_JSON;
        return CLI_DONE;
    }
    return cli_refuse("%s: unknown format `%s`; known: text, json", command,
                      name);
}

static int read_threads(const char *command, cli_options_t *options)
{
    const char *text = options->threads;
    char *end = NULL;
    if (text == NULL) {
        return CLI_DONE;
    }
    errno = 0;
    unsigned long count = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0 ||
        count == 0 || count > THREADS_MAX) {
        return cli_refuse("%s: --threads: expected 1 to %d, found `%s`",
                          command, THREADS_MAX, text);
    }
    options->thread_count = (unsigned)count;
    return CLI_DONE;
}

int cli_options_parse(const cli_command_t *command, int argc, char **argv,
                      cli_options_t *out_options)
{
    parser_t parser;
    memset(out_options, 0, sizeof *out_options);
    prepare(&parser, command, argc);
    int code = read_options(&parser, argv, out_options);
    if (code != CLI_DONE || out_options->wants_help) {
        return code;
    }
    if (out_options->operand_count > command->operand_max) {
        return cli_refuse("%s: unexpected argument: %s", command->name,
                          out_options->operands[command->operand_max]);
    }
    code = read_format(command->name, out_options);
    return code != CLI_DONE ? code : read_threads(command->name, out_options);
}

void cli_options_release(cli_options_t *options)
{
    cli_list_t *const lists[] = {&options->modules,  &options->module_paths,
                                 &options->inputs,   &options->outputs,
                                 &options->labels,   &options->bindings,
                                 &options->profiles, &options->shapes};
    for (size_t idx = 0; idx < sizeof lists / sizeof lists[0]; idx++) {
        free((void *)lists[idx]->items);
        lists[idx]->items = NULL;
        lists[idx]->count = 0;
    }
}
