/* SPDX-License-Identifier: Apache-2.0
 *
 * What passes between a probe and its parent: one line on a descriptor of
 * its own, "loaded N" or "refused MESSAGE".
 */
#ifndef KC_CLI_PROBE_ANSWER_H
#define KC_CLI_PROBE_ANSWER_H

#include "cli/probe.h"

#define CLI_PROBE_ANSWER_FD   3
#define CLI_PROBE_ANSWER_SIZE (KC_ERROR_MESSAGE_SIZE + 32)

/* Whether `text` is a complete answer; writes it to `*out_probe`. */
int cli_probe_answer_parse(const char *text, cli_probe_t *out_probe);

#endif
