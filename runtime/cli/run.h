/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of a graph: what the steps of kcapsule run hand on to each other.
 * Each step gives CLI_DONE, or an exit code after having said what is wrong.
 */
#ifndef KC_CLI_RUN_H
#define KC_CLI_RUN_H

#include "cli/context.h"

/* What the command line says about one input or output of the graph. */
typedef struct cli_port {
    kc_graph_port_t type;    /* extents bound after cli_run_bind */
    const char *path;        /* --input, --output; NULL: not given */
    const char *labels_path; /* --labels; outputs only */
    kc_tensor_t *tensor;
    kc_tensor_t *labels;
} cli_port_t;

/* A named extent of the graph and its value; the name is owned. */
typedef struct cli_extent {
    char *name;
    int64_t value;
} cli_extent_t;

typedef struct cli_run {
    const cli_options_t *options;
    int is_graph_mode;
    cli_context_t context; /* its policy has the VJP mode none */
    kc_graph_t *graph;
    kc_weights_t *weights; /* NULL without --weights */
    cli_port_t *inputs;
    size_t input_count;
    cli_port_t *outputs;
    size_t output_count;
    cli_extent_t *extents; /* after cli_run_bind */
    size_t extent_count;
    kc_record_t *record;
} cli_run_t;

/* run_ports.c: options to the inputs and outputs of the graph, and files to
 * their values. */
int cli_run_match_ports(cli_run_t *run);
int cli_run_read_inputs(cli_run_t *run);
void cli_run_release_ports(cli_port_t *ports, size_t count);

/* run_extents.c: named extents from --bind or from what the inputs have,
 * then every value against the type the graph says. */
int cli_run_bind(cli_run_t *run);
kc_status_t cli_run_note_extents(const cli_run_t *run, kc_error_t *error);
void cli_run_release_extents(cli_run_t *run);

/* port_text.c: "f32 [359, 64]" of a port or a tensor. */
#define CLI_TYPE_TEXT_SIZE 400
void cli_port_text(const kc_graph_t *graph, const kc_graph_port_t *port,
                   char out[CLI_TYPE_TEXT_SIZE]);
void cli_tensor_text(kc_tensor_t *tensor, char out[CLI_TYPE_TEXT_SIZE]);

/* run_execute.c: plan, accept, run; fills outputs and record. */
int cli_run_execute(cli_run_t *run);

/* run_labels.c */
int cli_run_read_labels(cli_run_t *run);
typedef struct cli_label_count {
    int64_t right;
    int64_t total;
    int64_t outside; /* no place in a row */
} cli_label_count_t;
cli_label_count_t cli_run_count_labels(cli_port_t *output);

/* run_files.c: whether results can go where they should. */
int cli_run_check_files(cli_run_t *run);
/* run_results.c: writes all of them, or none. */
int cli_run_write_files(cli_run_t *run);
/* run_summary.c */
int cli_run_print_summary(cli_run_t *run);

#endif
