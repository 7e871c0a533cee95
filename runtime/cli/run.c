/* SPDX-License-Identifier: Apache-2.0
 *
 * kcapsule run: the order of the steps. Everything that can be refused is
 * refused before anything runs, and files are written after all of it ran.
 */
#include "cli/run.h"

#include <string.h>

#include "cli/command.h"
#include "cli/exit_guard.h"

/* Names in full, before a number of others. */
#define NOTE_MAX 4

static int read_mode(const cli_options_t *options, int *out_is_graph_mode)
{
    const char *mode = options->mode != NULL ? options->mode : "eager";
    int is_graph_mode = strcmp(mode, "graph") == 0;
    if (!is_graph_mode && strcmp(mode, "eager") != 0) {
        return cli_refuse("run: unknown mode `%s`; known: eager, graph", mode);
    }
    if (options->no_reuse && !is_graph_mode) {
        return cli_refuse("run: --no-reuse needs --mode graph: eager mode "
                          "lays out no buffers");
    }
    *out_is_graph_mode = is_graph_mode;
    return CLI_DONE;
}

static int check_options(cli_run_t *run)
{
    const cli_options_t *options = run->options;
    if (options->graph == NULL) {
        return cli_refuse("run: no graph: give one with --graph");
    }
    if (options->vjp != NULL && strcmp(options->vjp, "none") != 0) {
        return cli_refuse("run: --vjp %s: a run computes no gradients; the "
                          "VJP mode in force is none",
                          options->vjp);
    }
    return read_mode(options, &run->is_graph_mode);
}

/* Without gradients the policy in force has the VJP mode none. */
static int open_context(cli_run_t *run)
{
    kc_policy_t policy = {.struct_size = sizeof policy};
    int code = cli_context_open("run", run->options, &run->context);
    if (code != CLI_DONE) {
        return code;
    }
    kc_profile_policy(run->context.profile, &policy);
    policy.vjp_mode = KC_VJP_NONE;
    return cli_context_set_policy(&run->context, &policy);
}

static int graph_has_const(const kc_graph_t *graph, const char *name)
{
    size_t count = kc_graph_const_count(graph);
    for (size_t idx = 0; idx < count; idx++) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        kc_graph_const(graph, idx, &port);
        if (strcmp(port.name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

static void note_unused_weights(const cli_run_t *run)
{
    size_t count = kc_weights_count(run->weights);
    size_t unused = 0;
    for (size_t idx = 0; idx < count; idx++) {
        const char *name = kc_weights_name(run->weights, idx);
        if (!graph_has_const(run->graph, name) && ++unused <= NOTE_MAX) {
            cli_say("note: %s: `%s` is not used by the graph",
                    run->options->weights, name);
        }
    }
    if (unused > NOTE_MAX) {
        cli_say("note: %s: and %zu more", run->options->weights,
                unused - NOTE_MAX);
    }
}

static int weights_have(const kc_weights_t *weights, const char *name)
{
    size_t count = kc_weights_count(weights);
    for (size_t idx = 0; idx < count; idx++) {
        if (strcmp(kc_weights_name(weights, idx), name) == 0) {
            return 1;
        }
    }
    return 0;
}

static int need_all_weights(const cli_run_t *run)
{
    size_t count = kc_graph_const_count(run->graph);
    for (size_t idx = 0; idx < count; idx++) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        kc_graph_const(run->graph, idx, &port);
        if (!weights_have(run->weights, port.name)) {
            return cli_refuse("run: %s: expected an entry `%s`, a const of "
                              "the graph, found none among %zu",
                              run->options->weights, port.name,
                              kc_weights_count(run->weights));
        }
    }
    return CLI_DONE;
}

static int open_weights(cli_run_t *run)
{
    kc_error_t error = KC_ERROR_INIT;
    const char *path = run->options->weights;
    if (path == NULL) {
        kc_graph_port_t port = {.struct_size = sizeof port};
        if (kc_graph_const_count(run->graph) == 0) {
            return CLI_DONE;
        }
        kc_graph_const(run->graph, 0, &port);
        return cli_refuse("run: const `%s` has no value: give --weights",
                          port.name);
    }
    kc_status_t status =
        kc_weights_open(run->context.runtime, path, &run->weights, &error);
    if (status != KC_OK) {
        return cli_report(status, &error);
    }
    note_unused_weights(run);
    return need_all_weights(run);
}

static int open_graph(cli_run_t *run)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status =
        kc_graph_read(run->options->graph, &run->graph, &error);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

typedef int (*step_fn)(cli_run_t *run);

static const step_fn steps[] = {
    check_options,       open_context,        open_graph,
    cli_run_match_ports, cli_run_check_files, cli_run_read_inputs,
    cli_run_bind,        cli_run_read_labels, open_weights,
    cli_run_execute,     cli_run_write_files, cli_run_print_summary};

int cli_run(const cli_options_t *options)
{
    cli_run_t run = {.options = options};
    int code = CLI_DONE;
    cli_exit_guard_begin();
    for (size_t idx = 0;
         idx < sizeof steps / sizeof steps[0] && code == CLI_DONE; idx++) {
        code = steps[idx](&run);
    }
    cli_exit_guard_end();
    kc_record_release(run.record);
    cli_run_release_extents(&run);
    cli_run_release_ports(run.outputs, run.output_count);
    cli_run_release_ports(run.inputs, run.input_count);
    kc_weights_release(run.weights);
    kc_graph_release(run.graph);
    cli_context_close(&run.context);
    return code;
}
