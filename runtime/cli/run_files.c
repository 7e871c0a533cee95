/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether results can go where the command line says, known before anything
 * runs: to a file, in a folder that can be written, one result a file, and
 * never over a file that the run reads.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/run.h"

#define OPTION_TEXT_SIZE 200

/* A file by what it is, so that other spellings of its path and links to it
 * are the same file. One that does not exist yet is a name in a folder. */
typedef struct place {
    char option[OPTION_TEXT_SIZE]; /* "--output y" */
    const char *path;
    const char *base; /* the last part of the path */
    struct stat file;
    struct stat folder; /* only of a file that does not exist */
    int exists;
} place_t;

static int is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int is_same_place(const place_t *a, const place_t *b)
{
    if (a->exists || b->exists) {
        return a->exists && b->exists && is_same_inode(&a->file, &b->file);
    }
    return is_same_inode(&a->folder, &b->folder) &&
           strcmp(a->base, b->base) == 0;
}

/* The folder that a path names its file in; owned by the caller. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? strndup(path, (size_t)(slash - path) + 1)
                         : strdup(".");
}

static int refuse_place(const place_t *place, const char *reason)
{
    return cli_refuse("run: %s: %s cannot be written: %s", place->option,
                      place->path, reason);
}

static int need_folder(place_t *place, const char *path)
{
    char *folder = folder_of(path);
    if (folder == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    int code = CLI_DONE;
    if (stat(folder, &place->folder) != 0 || !S_ISDIR(place->folder.st_mode)) {
        code = refuse_place(place, "there is no such folder");
    } else if (access(folder, W_OK | X_OK) != 0) {
        code = refuse_place(place, strerror(errno));
    }
    free(folder);
    return code;
}

/* What is replaced is the file itself, in its own folder. */
static int need_replaceable(place_t *place)
{
    char *real = realpath(place->path, NULL);
    int code = need_folder(place, real != NULL ? real : place->path);
    free(real);
    return code;
}

static int look_at(place_t *place)
{
    const char *slash = strrchr(place->path, '/');
    place->base = slash != NULL ? slash + 1 : place->path;
    place->exists = stat(place->path, &place->file) == 0;
    if (place->exists && S_ISDIR(place->file.st_mode)) {
        return cli_refuse("run: %s: expected a file to write, found the "
                          "folder `%s`",
                          place->option, place->path);
    }
    if (place->base[0] == 0) {
        return cli_refuse("run: %s: expected the name of a file, found `%s`",
                          place->option, place->path);
    }
    if (place->exists && !S_ISREG(place->file.st_mode)) {
        return access(place->path, W_OK) == 0
                   ? CLI_DONE
                   : refuse_place(place, strerror(errno));
    }
    return place->exists ? need_replaceable(place)
                         : need_folder(place, place->path);
}

/* A result must not replace what the run reads; what is missing is found
 * when it is read. */
static int need_other(const place_t *result, const char *option,
                      const char *name, const char *path)
{
    struct stat facts;
    if (path == NULL || !result->exists || stat(path, &facts) != 0 ||
        !is_same_inode(&facts, &result->file)) {
        return CLI_DONE;
    }
    return cli_refuse("run: %s: expected a file that the run does not read, "
                      "found %s, the file of %s%s%s",
                      result->option, result->path, option,
                      name[0] != 0 ? " " : "", name);
}

static int need_no_port(const place_t *result, const char *option,
                        const cli_port_t *ports, size_t count, int of_labels)
{
    int code = CLI_DONE;
    for (size_t idx = 0; idx < count && code == CLI_DONE; idx++) {
        const char *path = of_labels ? ports[idx].labels_path : ports[idx].path;
        code = need_other(result, option, ports[idx].type.name, path);
    }
    return code;
}

/* Also those that the profile does not use: another run will. */
static int need_no_module(const cli_run_t *run, const place_t *result)
{
    kc_runtime_t *runtime = run->context.runtime;
    const cli_list_t *given = &run->options->modules;
    int code = CLI_DONE;
    for (size_t idx = 0; idx < given->count && code == CLI_DONE; idx++) {
        code = need_other(result, "--module", "", given->items[idx]);
    }
    size_t count = kc_runtime_module_count(runtime);
    for (size_t idx = 0; idx < count && code == CLI_DONE; idx++) {
        kc_module_info_t info = {.struct_size = sizeof info};
        kc_runtime_module_info(runtime, idx, &info);
        code = need_other(result, "a module", "of the search path", info.path);
    }
    return code;
}

static int need_no_source(const cli_run_t *run, const place_t *result)
{
    const cli_options_t *options = run->options;
    int code = need_other(result, "--graph", "", options->graph);
    if (code == CLI_DONE) {
        code = need_other(result, "--weights", "", options->weights);
    }
    if (code == CLI_DONE) {
        code = need_other(result, "--profile", "",
                          kc_profile_source(run->context.profile));
    }
    if (code == CLI_DONE) {
        code = need_no_module(run, result);
    }
    if (code == CLI_DONE) {
        code =
            need_no_port(result, "--input", run->inputs, run->input_count, 0);
    }
    if (code == CLI_DONE) {
        code = need_no_port(result, "--labels", run->outputs, run->output_count,
                            1);
    }
    return code;
}

static int check_place(const cli_run_t *run, place_t *places, size_t count)
{
    place_t *place = &places[count];
    int code = look_at(place);
    if (code == CLI_DONE) {
        code = need_no_source(run, place);
    }
    for (size_t idx = 0; idx < count && code == CLI_DONE; idx++) {
        if (is_same_place(&places[idx], place)) {
            code = cli_refuse("run: two results go to one file: %s (%s) and "
                              "%s (%s)",
                              places[idx].path, places[idx].option, place->path,
                              place->option);
        }
    }
    return code;
}

int cli_run_check_files(cli_run_t *run)
{
    int code = CLI_DONE;
    size_t count = 0;
    place_t *places = calloc(run->output_count + 1, sizeof *places);
    if (places == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    for (size_t idx = 0; idx < run->output_count && code == CLI_DONE; idx++) {
        const cli_port_t *output = &run->outputs[idx];
        if (output->path != NULL) {
            places[count].path = output->path;
            snprintf(places[count].option, OPTION_TEXT_SIZE, "--output %s",
                     output->type.name);
            code = check_place(run, places, count++);
        }
    }
    if (code == CLI_DONE && run->options->record != NULL) {
        places[count].path = run->options->record;
        snprintf(places[count].option, OPTION_TEXT_SIZE, "--record");
        code = check_place(run, places, count);
    }
    free(places);
    return code;
}
