/* SPDX-License-Identifier: Apache-2.0
 *
 * NAME=FILE options find their input or output; a name that the graph does
 * not have, one given twice, and an input without a value are named together
 * with what there is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/run.h"

typedef void (*port_fn)(const kc_graph_t *graph, size_t index,
                        kc_graph_port_t *out_port);

static int list_ports(const kc_graph_t *graph, size_t count, port_fn get,
                      cli_port_t **out_ports)
{
    cli_port_t *ports = calloc(count + 1, sizeof *ports);
    if (ports == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    for (size_t idx = 0; idx < count; idx++) {
        ports[idx].type.struct_size = sizeof ports[idx].type;
        get(graph, idx, &ports[idx].type);
    }
    *out_ports = ports;
    return CLI_DONE;
}

/* "; inputs of the graph: a, b" */
static int refuse_name(const char *option, const char *given, size_t length,
                       const char *kind, const cli_port_t *ports, size_t count)
{
    char names[512] = "none";
    size_t used = 0;
    for (size_t idx = 0; idx < count && used < sizeof names; idx++) {
        int written = snprintf(names + used, sizeof names - used, "%s%s",
                               idx > 0 ? ", " : "", ports[idx].type.name);
        used += (size_t)written;
    }
    return cli_refuse("run: --%s: the graph has no %s `%.*s`; it has: %s",
                      option, kind, (int)length, given, names);
}

/* Finds the port of "NAME=FILE" and its field to fill. */
static int assign(const char *option, const char *text, const char *kind,
                  cli_port_t *ports, size_t count, size_t field_offset)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == 0) {
        return cli_refuse("run: --%s: expected NAME=FILE, found `%s`", option,
                          text);
    }
    size_t length = (size_t)(equals - text);
    for (size_t idx = 0; idx < count; idx++) {
        const char *name = ports[idx].type.name;
        if (strlen(name) != length || memcmp(name, text, length) != 0) {
            continue;
        }
        const char **field =
            (const char **)(void *)((char *)&ports[idx] + field_offset);
        if (*field != NULL) {
            return cli_refuse("run: --%s: `%s` is given twice: %s and %s",
                              option, name, *field, equals + 1);
        }
        *field = equals + 1;
        return CLI_DONE;
    }
    return refuse_name(option, text, length, kind, ports, count);
}

static int assign_all(const char *option, const cli_list_t *list,
                      const char *kind, cli_port_t *ports, size_t count,
                      size_t field_offset)
{
    int code = CLI_DONE;
    for (size_t idx = 0; idx < list->count && code == CLI_DONE; idx++) {
        code =
            assign(option, list->items[idx], kind, ports, count, field_offset);
    }
    return code;
}

static int need_inputs(const cli_run_t *run)
{
    for (size_t idx = 0; idx < run->input_count; idx++) {
        const cli_port_t *input = &run->inputs[idx];
        if (input->path == NULL) {
            char type[CLI_TYPE_TEXT_SIZE];
            cli_port_text(run->graph, &input->type, type);
            return cli_refuse("run: input `%s` (%s) has no value: give "
                              "--input %s=FILE.npy",
                              input->type.name, type, input->type.name);
        }
    }
    return CLI_DONE;
}

int cli_run_match_ports(cli_run_t *run)
{
    const cli_options_t *options = run->options;
    run->input_count = kc_graph_input_count(run->graph);
    run->output_count = kc_graph_output_count(run->graph);
    int code =
        list_ports(run->graph, run->input_count, kc_graph_input, &run->inputs);
    if (code == CLI_DONE) {
        code = list_ports(run->graph, run->output_count, kc_graph_output,
                          &run->outputs);
    }
    if (code == CLI_DONE) {
        code = assign_all("input", &options->inputs, "input", run->inputs,
                          run->input_count, offsetof(cli_port_t, path));
    }
    if (code == CLI_DONE) {
        code = assign_all("output", &options->outputs, "output", run->outputs,
                          run->output_count, offsetof(cli_port_t, path));
    }
    if (code == CLI_DONE) {
        code = assign_all("labels", &options->labels, "output", run->outputs,
                          run->output_count, offsetof(cli_port_t, labels_path));
    }
    return code != CLI_DONE ? code : need_inputs(run);
}

int cli_run_read_inputs(cli_run_t *run)
{
    for (size_t idx = 0; idx < run->input_count; idx++) {
        kc_error_t error = KC_ERROR_INIT;
        cli_port_t *input = &run->inputs[idx];
        kc_status_t status = kc_tensor_read_npy(
            run->context.runtime, input->path, &input->tensor, &error);
        if (status != KC_OK) {
            return cli_report(status, &error);
        }
    }
    return CLI_DONE;
}

void cli_run_release_ports(cli_port_t *ports, size_t count)
{
    for (size_t idx = 0; ports != NULL && idx < count; idx++) {
        kc_tensor_release(ports[idx].tensor);
        kc_tensor_release(ports[idx].labels);
    }
    free(ports);
}
