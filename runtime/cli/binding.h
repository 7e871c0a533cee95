/* SPDX-License-Identifier: Apache-2.0
 *
 * What --bind gives: the value of a named extent.
 */
#ifndef KC_CLI_BINDING_H
#define KC_CLI_BINDING_H

#include <stddef.h>
#include <stdint.h>

/* NAME=NUMBER, a number of 0 or more. The name is the first
 * `*out_name_length` bytes of the text. `command` is named in a refusal.
 * Gives CLI_DONE, or an exit code after having said what went wrong. */
int cli_read_binding(const char *command, const char *text,
                     size_t *out_name_length, int64_t *out_value);

#endif
