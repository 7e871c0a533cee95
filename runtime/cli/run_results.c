/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run leaves: output files, the record, the summary.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/json_text.h"
#include "cli/message.h"
#include "cli/run.h"

/* Two results in one file would leave only the second. */
static int need_distinct_files(const cli_run_t *run)
{
    for (size_t idx = 0; idx < run->output_count; idx++) {
        const char *path = run->outputs[idx].path;
        const char *record = run->options->record;
        int is_double =
            path != NULL && record != NULL && strcmp(path, record) == 0;
        for (size_t other = 0; path != NULL && other < idx; other++) {
            const char *earlier = run->outputs[other].path;
            is_double |= earlier != NULL && strcmp(path, earlier) == 0;
        }
        if (is_double) {
            return cli_refuse("run: two results go to one file: %s", path);
        }
    }
    return CLI_DONE;
}

/* A missing folder is found before the run and not after it. */
static int need_folder(const char *path)
{
    struct stat facts;
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash == NULL) {
        return CLI_DONE;
    }
    char *folder = strndup(path, (size_t)(slash - path) + 1);
    if (folder == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    int is_folder = stat(folder, &facts) == 0 && S_ISDIR(facts.st_mode);
    free(folder);
    return is_folder ? CLI_DONE
                     : cli_refuse("run: %s cannot be written: there is no "
                                  "such folder",
                                  path);
}

int cli_run_check_files(cli_run_t *run)
{
    int code = need_distinct_files(run);
    if (code == CLI_DONE) {
        code = need_folder(run->options->record);
    }
    for (size_t idx = 0; idx < run->output_count && code == CLI_DONE; idx++) {
        code = need_folder(run->outputs[idx].path);
    }
    return code;
}

static kc_status_t note_files(cli_run_t *run, const char *role,
                              cli_port_t *ports, size_t count,
                              size_t path_offset, kc_error_t *error)
{
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < count && status == KC_OK; idx++) {
        const char *path =
            *(const char *const *)(const void *)((const char *)&ports[idx] +
                                                 path_offset);
        if (path != NULL) {
            status = kc_record_add_file(run->record, role, ports[idx].type.name,
                                        path, error);
        }
    }
    return status;
}

/* What was read, hashed before an output may replace one of the files. */
static kc_status_t note_sources(cli_run_t *run, kc_error_t *error)
{
    const cli_options_t *options = run->options;
    kc_status_t status =
        kc_record_add_file(run->record, "graph", "", options->graph, error);
    if (status == KC_OK && options->weights != NULL) {
        status = kc_record_add_file(run->record, "weights", "",
                                    options->weights, error);
    }
    if (status == KC_OK) {
        status = note_files(run, "input", run->inputs, run->input_count,
                            offsetof(cli_port_t, path), error);
    }
    if (status == KC_OK) {
        status = note_files(run, "labels", run->outputs, run->output_count,
                            offsetof(cli_port_t, labels_path), error);
    }
    return status;
}

static kc_status_t write_outputs(cli_run_t *run, kc_error_t *error)
{
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < run->output_count && status == KC_OK; idx++) {
        const cli_port_t *output = &run->outputs[idx];
        if (output->path != NULL) {
            status = kc_tensor_write_npy(output->tensor, output->path, error);
        }
    }
    return status;
}

/* Hashes are taken only when somebody gets to see them. */
int cli_run_write_files(cli_run_t *run)
{
    kc_error_t error = KC_ERROR_INIT;
    const char *path = run->options->record;
    int is_recorded = path != NULL || run->options->format == KC_FORMAT_JSON;
    kc_status_t status = is_recorded ? note_sources(run, &error) : KC_OK;
    if (status == KC_OK) {
        status = write_outputs(run, &error);
    }
    if (status == KC_OK && is_recorded) {
        status = note_files(run, "output", run->outputs, run->output_count,
                            offsetof(cli_port_t, path), &error);
    }
    if (status == KC_OK && path != NULL) {
        status = kc_record_write(run->record, path, &error);
    }
    if (status == KC_OK) {
        return CLI_DONE;
    }
    cli_report(status, &error);
    return CLI_FAILED;
}

static void print_text(cli_run_t *run)
{
    for (size_t idx = 0; idx < run->output_count; idx++) {
        const cli_port_t *output = &run->outputs[idx];
        char type[CLI_TYPE_TEXT_SIZE];
        cli_tensor_text(output->tensor, type);
        printf("  output %s: %s%s%s\n", output->type.name, type,
               output->path != NULL ? " -> " : "",
               output->path != NULL ? output->path : "");
    }
    for (size_t idx = 0; idx < run->output_count; idx++) {
        cli_port_t *output = &run->outputs[idx];
        if (output->labels != NULL) {
            cli_label_count_t count = cli_run_count_labels(output);
            printf("%s: %lld of %lld labels right\n", output->type.name,
                   (long long)count.right, (long long)count.total);
        }
    }
}

static void print_output_json(cli_port_t *output)
{
    char type[CLI_TYPE_TEXT_SIZE];
    cli_tensor_text(output->tensor, type);
    fputs("\n    {\"name\": ", stdout);
    cli_json_string(output->type.name);
    fputs(", \"type\": ", stdout);
    cli_json_string(type);
    if (output->labels != NULL) {
        cli_label_count_t count = cli_run_count_labels(output);
        printf(", \"labels_right\": %lld, \"labels\": %lld",
               (long long)count.right, (long long)count.total);
    }
    putchar('}');
}

static void print_json(cli_run_t *run, const char *record)
{
    fputs("{\n  \"format\": \"kcapsule-run\",\n  \"version\": 1,\n"
          "  \"outputs\": [",
          stdout);
    for (size_t idx = 0; idx < run->output_count; idx++) {
        fputs(idx > 0 ? "," : "", stdout);
        print_output_json(&run->outputs[idx]);
    }
    fputs("\n  ],\n  \"record\": ", stdout);
    cli_json_nested(record);
    fputs("\n}\n", stdout);
}

int cli_run_print_summary(cli_run_t *run)
{
    kc_error_t error = KC_ERROR_INIT;
    char *record = NULL;
    kc_status_t status =
        kc_report_record(run->record, run->options->format, &record, &error);
    if (status != KC_OK) {
        return cli_report(status, &error);
    }
    if (run->options->format == KC_FORMAT_JSON) {
        print_json(run, record);
    } else {
        cli_print(record);
        print_text(run);
    }
    kc_text_release(record);
    return CLI_DONE;
}
