/* SPDX-License-Identifier: Apache-2.0
 *
 * Named extents get their values: from --bind, else from the inputs that
 * carry them. Then every input is held against the bound graph.
 */
#include <stdlib.h>
#include <string.h>
#include <kcapsule/tensor.h>

#include "cli/binding.h"
#include "cli/message.h"
#include "cli/run.h"

/* The name, its value, and who gave it; names are borrowed. */
typedef struct extent {
    const char *name;
    int64_t value;
    const cli_port_t *input; /* NULL: --bind, or nobody yet */
    int is_given;
} extent_t;

typedef struct extents {
    extent_t *items;
    size_t count;
} extents_t;

static extent_t *find_extent(extents_t *extents, const char *name,
                             size_t length)
{
    for (size_t idx = 0; idx < extents->count; idx++) {
        extent_t *extent = &extents->items[idx];
        if (strlen(extent->name) == length &&
            memcmp(extent->name, name, length) == 0) {
            return extent;
        }
    }
    return NULL;
}

/* One --bind NAME=NUMBER. */
static int take_binding(extents_t *extents, const char *text)
{
    size_t length = 0;
    int64_t value = 0;
    int code = cli_read_binding("run", text, &length, &value);
    if (code != CLI_DONE) {
        return code;
    }
    extent_t *extent = find_extent(extents, text, length);
    if (extent == NULL) {
        return cli_refuse("run: --bind: the graph has no named extent `%.*s`",
                          (int)length, text);
    }
    if (extent->is_given) {
        return cli_refuse("run: --bind: `%s` is given twice", extent->name);
    }
    extent->is_given = 1;
    extent->value = value;
    return CLI_DONE;
}

/* An input whose leading extent has a name says what it is. */
static int take_leading(extents_t *extents, const cli_port_t *input)
{
    const DLTensor *view = kc_tensor_view(input->tensor);
    if (input->type.rank == 0 || input->type.dims[0] >= 0 || view->ndim == 0) {
        return CLI_DONE;
    }
    extent_t *extent = &extents->items[-1 - input->type.dims[0]];
    int64_t found = view->shape[0];
    if (!extent->is_given) {
        extent->is_given = 1;
        extent->value = found;
        extent->input = input;
        return CLI_DONE;
    }
    if (extent->value == found) {
        return CLI_DONE;
    }
    if (extent->input == NULL) {
        return cli_refuse("run: extent `%s` is %lld by --bind and %lld in "
                          "input `%s`",
                          extent->name, (long long)extent->value,
                          (long long)found, input->type.name);
    }
    return cli_refuse("run: extent `%s` is %lld in input `%s` and %lld in "
                      "input `%s`",
                      extent->name, (long long)extent->value,
                      extent->input->type.name, (long long)found,
                      input->type.name);
}

static int collect(const cli_run_t *run, extents_t *extents)
{
    const cli_list_t *bindings = &run->options->bindings;
    int code = CLI_DONE;
    for (size_t idx = 0; idx < bindings->count && code == CLI_DONE; idx++) {
        code = take_binding(extents, bindings->items[idx]);
    }
    for (size_t idx = 0; idx < run->input_count && code == CLI_DONE; idx++) {
        code = take_leading(extents, &run->inputs[idx]);
    }
    for (size_t idx = 0; idx < extents->count && code == CLI_DONE; idx++) {
        if (!extents->items[idx].is_given) {
            code =
                cli_refuse("run: no input has the extent `%s`: give "
                           "--bind %s=NUMBER",
                           extents->items[idx].name, extents->items[idx].name);
        }
    }
    return code;
}

/* For the record, since the bound graph has no names any more. */
static int keep_extents(cli_run_t *run, const extents_t *extents)
{
    run->extents = calloc(extents->count + 1, sizeof *run->extents);
    for (size_t idx = 0; run->extents != NULL && idx < extents->count; idx++) {
        cli_extent_t *extent = &run->extents[idx];
        extent->name = strdup(extents->items[idx].name);
        extent->value = extents->items[idx].value;
        if (extent->name == NULL) {
            break;
        }
        run->extent_count++;
    }
    if (run->extents == NULL || run->extent_count < extents->count) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    return CLI_DONE;
}

kc_status_t cli_run_note_extents(const cli_run_t *run, kc_error_t *error)
{
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < run->extent_count && status == KC_OK; idx++) {
        status = kc_record_add_extent(run->record, run->extents[idx].name,
                                      run->extents[idx].value, error);
    }
    return status;
}

void cli_run_release_extents(cli_run_t *run)
{
    for (size_t idx = 0; idx < run->extent_count; idx++) {
        free(run->extents[idx].name);
    }
    free(run->extents);
    run->extents = NULL;
    run->extent_count = 0;
}

static int bind_graph(cli_run_t *run, const extents_t *extents)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *bound = NULL;
    kc_status_t status = KC_ERR_MEMORY;
    const char **names = calloc(extents->count, sizeof *names);
    int64_t *values = calloc(extents->count, sizeof *values);
    if (names != NULL && values != NULL) {
        for (size_t idx = 0; idx < extents->count; idx++) {
            names[idx] = extents->items[idx].name;
            values[idx] = extents->items[idx].value;
        }
        status = kc_graph_bind(run->graph, names, values, extents->count,
                               &bound, &error);
    }
    free((void *)names);
    free(values);
    if (status != KC_OK) {
        return cli_report(status, &error);
    }
    kc_graph_release(run->graph);
    run->graph = bound;
    return CLI_DONE;
}

/* A port's name was borrowed from the graph as it was before binding. */
static void read_bound_types(cli_run_t *run)
{
    for (size_t idx = 0; idx < run->input_count; idx++) {
        kc_graph_input(run->graph, idx, &run->inputs[idx].type);
    }
    for (size_t idx = 0; idx < run->output_count; idx++) {
        kc_graph_output(run->graph, idx, &run->outputs[idx].type);
    }
}

static int has_type(const cli_port_t *port)
{
    const DLTensor *view = kc_tensor_view(port->tensor);
    if (kc_tensor_dtype(view) != port->type.dtype ||
        view->ndim != port->type.rank) {
        return 0;
    }
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        if (view->shape[axis] != port->type.dims[axis]) {
            return 0;
        }
    }
    return 1;
}

static int check_types(const cli_run_t *run)
{
    for (size_t idx = 0; idx < run->input_count; idx++) {
        const cli_port_t *input = &run->inputs[idx];
        if (!has_type(input)) {
            char wanted[CLI_TYPE_TEXT_SIZE];
            char found[CLI_TYPE_TEXT_SIZE];
            cli_port_text(run->graph, &input->type, wanted);
            cli_tensor_text(input->tensor, found);
            return cli_refuse("run: input `%s` is %s, but %s holds %s",
                              input->type.name, wanted, input->path, found);
        }
    }
    return CLI_DONE;
}

int cli_run_bind(cli_run_t *run)
{
    extents_t extents = {NULL, kc_graph_extent_name_count(run->graph)};
    extents.items = calloc(extents.count + 1, sizeof *extents.items);
    if (extents.items == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    for (size_t idx = 0; idx < extents.count; idx++) {
        extents.items[idx].name = kc_graph_extent_name(run->graph, idx);
    }
    int code = collect(run, &extents);
    if (code == CLI_DONE) {
        code = keep_extents(run, &extents);
    }
    if (code == CLI_DONE && extents.count > 0) {
        code = bind_graph(run, &extents);
    }
    free(extents.items);
    if (code != CLI_DONE) {
        return code;
    }
    read_bound_types(run);
    return check_types(run);
}
