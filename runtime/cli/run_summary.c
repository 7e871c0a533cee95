/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run says on standard output when it is done.
 */
#include <stdio.h>

#include "cli/json_text.h"
#include "cli/message.h"
#include "cli/run.h"

/* Labels that no answer could have met. */
static void note_outside(const cli_port_t *output,
                         const cli_label_count_t *count)
{
    int64_t width = output->type.dims[output->type.rank - 1];
    if (count->outside > 0) {
        cli_say("note: %s: %lld label%s outside 0..%lld", output->labels_path,
                (long long)count->outside, count->outside == 1 ? "" : "s",
                (long long)width - 1);
    }
}

static void print_text(cli_run_t *run)
{
    for (size_t idx = 0; idx < run->output_count; idx++) {
        const cli_port_t *output = &run->outputs[idx];
        char type[CLI_TYPE_TEXT_SIZE];
        cli_tensor_text(output->tensor, type);
        cli_print_line("  output %s: %s%s%s", output->type.name, type,
                       output->path != NULL ? " -> " : "",
                       output->path != NULL ? output->path : "");
    }
    for (size_t idx = 0; idx < run->output_count; idx++) {
        cli_port_t *output = &run->outputs[idx];
        if (output->labels != NULL) {
            cli_label_count_t count = cli_run_count_labels(output);
            cli_print_line("%s: %lld of %lld labels right", output->type.name,
                           (long long)count.right, (long long)count.total);
            note_outside(output, &count);
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
        printf(", \"labels_right\": %lld, \"labels\": %lld, "
               "\"labels_outside\": %lld",
               (long long)count.right, (long long)count.total,
               (long long)count.outside);
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
