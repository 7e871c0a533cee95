/* SPDX-License-Identifier: Apache-2.0
 *
 * What files and --bind say about the inputs of a graph.
 */
#ifndef KC_CLI_DIFF_PORTS_H
#define KC_CLI_DIFF_PORTS_H

#include "cli/run.h"

typedef struct cli_diff_ports {
    kc_graph_t *graph;     /* given up for the bound one, by the reader */
    kc_tensor_t **tensors; /* one an input; NULL: no file */
    size_t input_count;
    const char **names; /* of extents; gone once the graph is bound */
    int64_t *extents;   /* -1: nobody said */
    size_t extent_count;
} cli_diff_ports_t;

int cli_diff_ports_read(cli_diff_ports_t *ports, const cli_options_t *options,
                        kc_runtime_t *runtime);
/* All but the graph. */
void cli_diff_ports_release(cli_diff_ports_t *ports);

#endif
