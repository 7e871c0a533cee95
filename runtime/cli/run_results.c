/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that a run leaves: all of them or none. Each is complete beside
 * its target before the first target is replaced.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/message.h"
#include "cli/run.h"
#include "cli/run_stage.h"

/* One stage an output, then that of the record; `path` NULL: not asked for. */
typedef struct results {
    cli_run_t *run;
    cli_stage_t *stages;
    size_t count;
} results_t;

static const char *path_of(const results_t *results, size_t index)
{
    const cli_run_t *run = results->run;
    return index < run->output_count ? run->outputs[index].path
                                     : run->options->record;
}

static kc_status_t note_files(cli_run_t *run, const char *role,
                              const cli_port_t *ports, size_t count,
                              int of_labels, kc_error_t *error)
{
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < count && status == KC_OK; idx++) {
        const char *path = of_labels ? ports[idx].labels_path : ports[idx].path;
        if (path != NULL) {
            status = kc_record_add_file(run->record, role, ports[idx].type.name,
                                        path, error);
        }
    }
    return status;
}

static kc_status_t note_sources(cli_run_t *run, kc_error_t *error)
{
    const cli_options_t *options = run->options;
    kc_status_t status = cli_run_note_extents(run, error);
    if (status == KC_OK) {
        status =
            kc_record_add_file(run->record, "graph", "", options->graph, error);
    }
    if (status == KC_OK && options->weights != NULL) {
        status = kc_record_add_file(run->record, "weights", "",
                                    options->weights, error);
    }
    if (status == KC_OK) {
        status =
            note_files(run, "input", run->inputs, run->input_count, 0, error);
    }
    if (status == KC_OK) {
        status = note_files(run, "labels", run->outputs, run->output_count, 1,
                            error);
    }
    return status;
}

static int report_writing(const cli_stage_t *stage, const kc_error_t *error)
{
    cli_say("%s%s%s", stage->is_direct ? "" : stage->path,
            stage->is_direct ? "" : ": ", error->message);
    return CLI_FAILED;
}

static int write_one(results_t *results, size_t index)
{
    kc_error_t error = KC_ERROR_INIT;
    const cli_run_t *run = results->run;
    const cli_stage_t *stage = &results->stages[index];
    const char *file = cli_stage_file(stage);
    kc_status_t status =
        index < run->output_count
            ? kc_tensor_write_npy(run->outputs[index].tensor, file, &error)
            : kc_record_write(run->record, file, &error);
    return status == KC_OK ? CLI_DONE : report_writing(stage, &error);
}

/* What cannot be taken back, a byte on a device, is written last. */
static int write_all(results_t *results, size_t first, size_t end,
                     int is_direct)
{
    int code = CLI_DONE;
    for (size_t idx = first; idx < end && code == CLI_DONE; idx++) {
        const cli_stage_t *stage = &results->stages[idx];
        if (stage->path != NULL && stage->is_direct == is_direct) {
            code = write_one(results, idx);
        }
    }
    return code;
}

/* The hash of a file under the name that it is about to have; what goes to a
 * device has none. */
static int note_outputs(results_t *results)
{
    cli_run_t *run = results->run;
    for (size_t idx = 0; idx < run->output_count; idx++) {
        kc_error_t error = KC_ERROR_INIT;
        const cli_stage_t *stage = &results->stages[idx];
        if (stage->path != NULL &&
            kc_record_add_result(
                run->record, "output", run->outputs[idx].type.name, stage->path,
                stage->is_direct ? NULL : stage->file, &error) != KC_OK) {
            return report_writing(stage, &error);
        }
    }
    return CLI_DONE;
}

static int note_all(results_t *results)
{
    kc_error_t error = KC_ERROR_INIT;
    if (note_sources(results->run, &error) != KC_OK) {
        cli_say("%s", error.message);
        return CLI_FAILED;
    }
    return note_outputs(results);
}

static int begin_all(results_t *results)
{
    int code = CLI_DONE;
    for (size_t idx = 0; idx < results->count && code == CLI_DONE; idx++) {
        const char *path = path_of(results, idx);
        if (path != NULL) {
            code = cli_stage_begin(&results->stages[idx], path);
        }
    }
    return code;
}

static int finish_all(results_t *results)
{
    int code = CLI_DONE;
    for (size_t idx = 0; idx < results->count && code == CLI_DONE; idx++) {
        if (results->stages[idx].path != NULL) {
            code = cli_stage_finish(&results->stages[idx]);
        }
    }
    for (size_t idx = 0; idx < results->count && code != CLI_DONE; idx++) {
        cli_stage_undo(&results->stages[idx]);
    }
    return code;
}

/* Hashes are taken only when somebody gets to see them. */
static int write_results(results_t *results)
{
    const cli_run_t *run = results->run;
    size_t record = run->output_count;
    int code = begin_all(results);
    if (code == CLI_DONE) {
        code = write_all(results, 0, record, 0);
    }
    if (code == CLI_DONE && (run->options->record != NULL ||
                             run->options->format == KC_FORMAT_JSON)) {
        code = note_all(results);
    }
    if (code == CLI_DONE) {
        code = write_all(results, record, results->count, 0);
    }
    if (code == CLI_DONE) {
        code = write_all(results, 0, results->count, 1);
    }
    return code == CLI_DONE ? finish_all(results) : code;
}

int cli_run_write_files(cli_run_t *run)
{
    results_t results = {run, NULL, run->output_count + 1};
    results.stages = calloc(results.count, sizeof *results.stages);
    if (results.stages == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    int code = write_results(&results);
    for (size_t idx = 0; idx < results.count; idx++) {
        cli_stage_release(&results.stages[idx]);
    }
    free(results.stages);
    return code;
}
