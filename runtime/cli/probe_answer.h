/* SPDX-License-Identifier: Apache-2.0
 *
 * What passes between a probe and its parent on a descriptor of its own: a
 * line "openmp NAME" for each OpenMP runtime, then "loaded N" or "refused
 * MESSAGE".
 */
#ifndef KC_CLI_PROBE_ANSWER_H
#define KC_CLI_PROBE_ANSWER_H

#include "cli/probe.h"

#define CLI_PROBE_ANSWER_FD 3
#define CLI_PROBE_ANSWER_SIZE                                                  \
    (KC_ERROR_MESSAGE_SIZE + 32 +                                              \
     KC_OPENMP_RUNTIMES_MAX * (KC_OPENMP_NAME_SIZE + 8))

/* Whether `text` is a complete answer; writes it to `*out_probe`. */
int cli_probe_answer_parse(const char *text, cli_probe_t *out_probe);

#endif
