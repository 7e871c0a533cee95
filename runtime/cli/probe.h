/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading a module in a process of its own, so that a module that crashes,
 * exits or hangs is a finding and not the end of the command.
 */
#ifndef KC_CLI_PROBE_H
#define KC_CLI_PROBE_H

#include "cli/openmp.h"
#include "cli/options.h"

/* The hidden subcommand of the child. */
#define CLI_PROBE_COMMAND    "probe-module"
#define CLI_PROBE_DEADLINE_S 20

typedef struct cli_probe {
    int is_loaded;
    size_t handler_count; /* of a module that was loaded, as the next */
    kc_openmp_runtimes_t openmp;
    char line[KC_ERROR_MESSAGE_SIZE + 64]; /* why it was not, or "" */
} cli_probe_t;

/* Starts this very program again for the module file and waits for its
 * answer until the deadline. Whatever happens is in `*out_probe`. */
void cli_probe(const char *path, const cli_list_t *module_paths,
               cli_probe_t *out_probe);

#endif
