/* SPDX-License-Identifier: Apache-2.0
 *
 * The kcapsule command: its subcommands, --help and --version.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/probe.h"

#define EXIT_STATUS                                                            \
    "Exit status: 0 done, 1 a negative verdict, 2 bad usage, file, graph,\n"   \
    "profile or named module, 3 execution or writing a result failed.\n"

static const cli_command_t commands[] = {
    {CLI_MODULES, "modules", "[OPTION...]",
     "The module files that were found, and each file's verdict.", NULL, 0,
     cli_modules},
    {CLI_INSPECT, "inspect", "MODULE|FILE.so|CAPSULE [OPTION...]",
     "What a module or capsule promises, read without running it.", NULL, 1,
     cli_inspect},
    {CLI_OPS, "ops", "[OP] [OPTION...]",
     "The catalogue of operations, or one with its attributes.", NULL, 1,
     cli_ops},
    {CLI_PROFILES, "profiles", "[OPTION...]",
     "The maintained profiles and those on the profile path.", NULL, 0,
     cli_profiles},
    {CLI_PLAN, "plan", "-p PROFILE (OP... | --graph FILE) [OPTION...]",
     "Which capsule serves each operation, or that none does.",
     "Exit status: 0 all planned, 1 an operation has no admissible capsule,\n"
     "2 bad usage, file, graph, profile or module.\n",
     SIZE_MAX, cli_plan},
    {CLI_CHECK, "check", "-p PROFILE (OP... | --graph FILE) [OPTION...]",
     "Whether what the plan rests on is acceptable.",
     "Exit status: 0 accepted, 1 rejected or not planned, 2 bad usage, file,\n"
     "graph, profile or module.\n",
     SIZE_MAX, cli_check},
    {CLI_RUN, "run", "-p PROFILE --graph FILE [OPTION...]",
     "Run a graph with accepted capsules and account for what ran.",
     "Exit status: 0 done, 1 no admissible capsule or rejected, 2 bad usage,\n"
     "file, graph, profile or module, 3 binding, a kernel or writing a\n"
     "result failed. Files are written only after the run succeeded.\n",
     0, cli_run},
    {CLI_DIFF, "diff",
     "-p A -p B (--graph FILE | OP --shape DIMS...) [OPTION...]",
     "Run the same under two profiles and show where they part.",
     "Exit status: 0 all within what the numerical policies allow, 1 not, or\n"
     "no admissible capsule, or rejected, 2 bad usage, file, graph, profile "
     "or\n"
     "module, 3 binding or a kernel failed.\n",
     1, cli_diff},
    {CLI_DOCTOR, "doctor", "[OPTION...]",
     "Check what is installed: folders, modules, profiles.",
     "Each module is loaded in a process of its own.\n\n"
     "Exit status: 0 all well, 1 something is wrong, 2 bad usage.\n",
     0, cli_doctor},
    {CLI_PROBE, CLI_PROBE_COMMAND, "FILE",
     "Not for users: what doctor starts for each module file.", NULL, 1,
     cli_probe_module},
};

/* Named in the design and not in this build. */
static const char *const absent[] = {"train", "conform", "attest", "bench"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void print_usage(FILE *stream)
{
    fputs("Usage: kcapsule COMMAND [OPTION...]\n\n", stream);
    for (size_t idx = 0; idx < COUNT(commands); idx++) {
        if (commands[idx].id != CLI_PROBE) {
            fprintf(stream, "  %-10s%s\n", commands[idx].name,
                    commands[idx].summary);
        }
    }
    fputs("\n  help [COMMAND]  print this text, or the options of a command\n"
          "  --help          the same; after a command: its options\n"
          "  --version       print the version\n\n" EXIT_STATUS,
          stream);
}

static const cli_command_t *find_command(const char *name)
{
    for (size_t idx = 0; idx < COUNT(commands); idx++) {
        if (strcmp(commands[idx].name, name) == 0) {
            return &commands[idx];
        }
    }
    return NULL;
}

static int refuse_command(const char *name)
{
    for (size_t idx = 0; idx < COUNT(absent); idx++) {
        if (strcmp(absent[idx], name) == 0) {
            return cli_refuse("%s: not in this build", name);
        }
    }
    return cli_refuse("unknown %s: %s; see kcapsule --help",
                      name[0] == '-' ? "option" : "command", name);
}

static int run_command(const cli_command_t *command, int argc, char **argv)
{
    cli_options_t options;
    int code = cli_options_parse(command, argc, argv, &options);
    if (code == CLI_DONE && options.wants_help) {
        cli_print_help(command);
    } else if (code == CLI_DONE) {
        code = command->run(&options);
    }
    cli_options_release(&options);
    return code;
}

/* kcapsule help [COMMAND] */
static int help(int argc, char **argv)
{
    if (argc < 3) {
        print_usage(stdout);
        return CLI_DONE;
    }
    const cli_command_t *command = find_command(argv[2]);
    if (command == NULL) {
        return refuse_command(argv[2]);
    }
    if (argc > 3) {
        return cli_refuse("help: unexpected argument: %s", argv[3]);
    }
    cli_print_help(command);
    return CLI_DONE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_UNUSABLE;
    }
    if (argv[1][0] == '-' && argc > 2) {
        return cli_refuse("unexpected argument after %s: %s", argv[1], argv[2]);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("kcapsule %s\n", kc_library_version());
        return CLI_DONE;
    }
    if (strcmp(argv[1], "help") == 0) {
        return help(argc, argv);
    }
    const cli_command_t *command = find_command(argv[1]);
    if (command == NULL) {
        return refuse_command(argv[1]);
    }
    return run_command(command, argc - 1, argv + 1);
}

/* Without this a file that is opened could become standard output. What is
 * put there instead fails when it is used. */
static void open_missing_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0) {
            int mode = descriptor == 0 ? O_WRONLY : O_RDONLY;
            if (open("/dev/null", mode) < 0) {
                return;
            }
        }
    }
}

int main(int argc, char **argv)
{
    open_missing_streams();
    /* A closed pipe and a limit on sizes are then errors of writing. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    setlocale(LC_ALL, "");
    /* Messages are not translated, so the system's words are not either. */
    setlocale(LC_MESSAGES, "C");
    return cli_finish_output(dispatch(argc, argv));
}
