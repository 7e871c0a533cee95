/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line as a value. Every option stands once, in option_table.c,
 * with the commands that take it; parsing and --help are made from it.
 */
#ifndef KC_CLI_OPTIONS_H
#define KC_CLI_OPTIONS_H

#include <stddef.h>
#include <kcapsule/report.h>

typedef enum cli_command_id {
    CLI_MODULES,
    CLI_INSPECT,
    CLI_OPS,
    CLI_PROFILES,
    CLI_PLAN,
    CLI_CHECK,
    CLI_RUN,
    CLI_DIFF,
    CLI_DOCTOR,
    CLI_PROBE,
    CLI_COMMAND_COUNT
} cli_command_id_t;

/* Texts in the order given; borrowed from argv, the array is owned. */
typedef struct cli_list {
    const char **items;
    size_t count;
} cli_list_t;

/* NULL, 0 or empty: not given. */
typedef struct cli_options {
    const char *profile;
    const char *device;
    const char *provider;
    const char *assurance;
    const char *vjp;
    const char *graph;
    const char *format_name;
    const char *weights;
    const char *record;
    const char *mode;
    const char *threads;
    const char *seed;
    const char *attributes;
    const char *dtype;
    cli_list_t profiles;
    cli_list_t shapes;
    cli_list_t modules;
    cli_list_t module_paths;
    cli_list_t inputs;
    cli_list_t outputs;
    cli_list_t labels;
    cli_list_t bindings;
    int wants_help;
    int is_verbose;
    int view_explain;
    int view_names;
    int view_groups;
    int view_full;
    int no_reuse;
    int keep_time;
    int wants_gradients;
    kc_format_t format;    /* from format_name */
    unsigned thread_count; /* from threads; 0: not given */
    const char *const *operands;
    size_t operand_count;
} cli_options_t;

typedef struct cli_command {
    cli_command_id_t id;
    const char *name;
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *details; /* for --help; lines end with a line break; or NULL */
    size_t operand_max;
    int (*run)(const cli_options_t *options);
} cli_command_t;

typedef enum cli_option_kind {
    CLI_FLAG, /* int at `offset` */
    CLI_TEXT, /* const char * at `offset`, at most once */
    CLI_LIST  /* cli_list_t at `offset` */
} cli_option_kind_t;

typedef struct cli_option {
    const char *name;
    const char *argument; /* NULL for a flag */
    const char *help;     /* further lines after a line break */
    unsigned commands;    /* bits 1u << cli_command_id_t */
    size_t offset;        /* into cli_options_t */
    cli_option_kind_t kind;
    char letter; /* 0: none */
} cli_option_t;

extern const cli_option_t cli_option_table[];
extern const size_t cli_option_count;

/* CLI_DONE, or CLI_UNUSABLE after naming what is wrong. `argv[0]` is the
 * command's name. Release the options in either case. */
int cli_options_parse(const cli_command_t *command, int argc, char **argv,
                      cli_options_t *out_options);
void cli_options_release(cli_options_t *options);

/* The --help text of a command, on stdout. */
void cli_print_help(const cli_command_t *command);

#endif
