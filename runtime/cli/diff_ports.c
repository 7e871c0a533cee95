/* SPDX-License-Identifier: Apache-2.0
 *
 * Files for the inputs of a graph: --input finds its input, --bind and the
 * files give named extents their values.
 */
#include <stdlib.h>
#include <string.h>
#include <kcapsule/tensor.h>

#include "cli/binding.h"
#include "cli/diff_ports.h"
#include "cli/message.h"

static int find_input(const cli_diff_ports_t *ports, const char *text,
                      size_t length, size_t *out_index)
{
    for (size_t idx = 0; idx < ports->input_count; idx++) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        kc_graph_input(ports->graph, idx, &port);
        if (strlen(port.name) == length &&
            memcmp(port.name, text, length) == 0) {
            *out_index = idx;
            return 1;
        }
    }
    return 0;
}

/* NAME=FILE */
static int take_input(cli_diff_ports_t *ports, kc_runtime_t *runtime,
                      const char *text)
{
    kc_error_t error = KC_ERROR_INIT;
    const char *equals = strchr(text, '=');
    size_t index = 0;
    if (equals == NULL || equals == text || equals[1] == 0) {
        return cli_refuse("diff: --input: expected NAME=FILE, found `%s`",
                          text);
    }
    int length = (int)(equals - text);
    if (!find_input(ports, text, (size_t)length, &index)) {
        return cli_refuse("diff: --input: the graph has no input `%.*s`",
                          length, text);
    }
    if (ports->tensors[index] != NULL) {
        return cli_refuse("diff: --input: `%.*s` is given twice", length, text);
    }
    kc_status_t status =
        kc_tensor_read_npy(runtime, equals + 1, &ports->tensors[index], &error);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

static int set_extent(cli_diff_ports_t *ports, size_t index, int64_t value,
                      const char *source)
{
    if (ports->extents[index] >= 0 && ports->extents[index] != value) {
        return cli_refuse("diff: extent `%s` is %lld and, by %s, %lld",
                          ports->names[index], (long long)ports->extents[index],
                          source, (long long)value);
    }
    ports->extents[index] = value;
    return CLI_DONE;
}

/* One --bind NAME=NUMBER. */
static int take_binding(cli_diff_ports_t *ports, const char *text)
{
    size_t length = 0;
    int64_t value = 0;
    int code = cli_read_binding("diff", text, &length, &value);
    if (code != CLI_DONE) {
        return code;
    }
    for (size_t idx = 0; idx < ports->extent_count; idx++) {
        if (strlen(ports->names[idx]) == length &&
            memcmp(ports->names[idx], text, length) == 0) {
            return set_extent(ports, idx, value, "--bind");
        }
    }
    return cli_refuse("diff: --bind: the graph has no named extent `%.*s`",
                      (int)length, text);
}

/* A file says what the leading extent of its input is. */
static int take_leading(cli_diff_ports_t *ports, size_t index)
{
    kc_graph_port_t port = {.struct_size = sizeof port};
    kc_graph_input(ports->graph, index, &port);
    if (ports->tensors[index] == NULL || port.rank == 0 || port.dims[0] >= 0) {
        return CLI_DONE;
    }
    const DLTensor *view = kc_tensor_view(ports->tensors[index]);
    return view->ndim == 0 ? CLI_DONE
                           : set_extent(ports, (size_t)(-1 - port.dims[0]),
                                        view->shape[0], port.name);
}

static int bind(cli_diff_ports_t *ports)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *bound = NULL;
    for (size_t idx = 0; idx < ports->extent_count; idx++) {
        if (ports->extents[idx] < 0) {
            return cli_refuse("diff: no file has the extent `%s`: give "
                              "--bind %s=NUMBER",
                              ports->names[idx], ports->names[idx]);
        }
    }
    if (ports->extent_count == 0) {
        return CLI_DONE;
    }
    kc_status_t status =
        kc_graph_bind(ports->graph, ports->names, ports->extents,
                      ports->extent_count, &bound, &error);
    if (status != KC_OK) {
        return cli_report(status, &error);
    }
    kc_graph_release(ports->graph);
    ports->graph = bound;
    return CLI_DONE;
}

static int check_type(const cli_diff_ports_t *ports, size_t index)
{
    kc_graph_port_t port = {.struct_size = sizeof port};
    if (ports->tensors[index] == NULL) {
        return CLI_DONE;
    }
    const DLTensor *view = kc_tensor_view(ports->tensors[index]);
    kc_graph_input(ports->graph, index, &port);
    int is_right =
        kc_tensor_dtype(view) == port.dtype && view->ndim == port.rank;
    for (int32_t axis = 0; is_right && axis < port.rank; axis++) {
        is_right = view->shape[axis] == port.dims[axis];
    }
    if (is_right) {
        return CLI_DONE;
    }
    char wanted[CLI_TYPE_TEXT_SIZE];
    char found[CLI_TYPE_TEXT_SIZE];
    cli_port_text(ports->graph, &port, wanted);
    cli_tensor_text(ports->tensors[index], found);
    return cli_refuse("diff: input `%s` is %s, but its file holds %s",
                      port.name, wanted, found);
}

static int allocate(cli_diff_ports_t *ports)
{
    ports->input_count = kc_graph_input_count(ports->graph);
    ports->extent_count = kc_graph_extent_name_count(ports->graph);
    ports->tensors = calloc(ports->input_count + 1, sizeof *ports->tensors);
    ports->names = calloc(ports->extent_count + 1, sizeof *ports->names);
    ports->extents = calloc(ports->extent_count + 1, sizeof *ports->extents);
    if (ports->tensors == NULL || ports->names == NULL ||
        ports->extents == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    for (size_t idx = 0; idx < ports->extent_count; idx++) {
        ports->names[idx] = kc_graph_extent_name(ports->graph, idx);
        ports->extents[idx] = -1;
    }
    return CLI_DONE;
}

int cli_diff_ports_read(cli_diff_ports_t *ports, const cli_options_t *options,
                        kc_runtime_t *runtime)
{
    int code = allocate(ports);
    for (size_t idx = 0; idx < options->inputs.count && code == CLI_DONE;
         idx++) {
        code = take_input(ports, runtime, options->inputs.items[idx]);
    }
    for (size_t idx = 0; idx < options->bindings.count && code == CLI_DONE;
         idx++) {
        code = take_binding(ports, options->bindings.items[idx]);
    }
    for (size_t idx = 0; idx < ports->input_count && code == CLI_DONE; idx++) {
        code = take_leading(ports, idx);
    }
    if (code == CLI_DONE) {
        code = bind(ports);
    }
    for (size_t idx = 0; idx < ports->input_count && code == CLI_DONE; idx++) {
        code = check_type(ports, idx);
    }
    return code;
}

void cli_diff_ports_release(cli_diff_ports_t *ports)
{
    for (size_t idx = 0; ports->tensors != NULL && idx < ports->input_count;
         idx++) {
        kc_tensor_release(ports->tensors[idx]);
    }
    free(ports->tensors);
    free((void *)ports->names);
    free(ports->extents);
}
