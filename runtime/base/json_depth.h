/* SPDX-License-Identifier: Apache-2.0
 *
 * How deep a JSON text nests, found in one pass without recursion. jansson
 * recurses as it parses and as it frees, so this comes before it.
 */
#ifndef KC_BASE_JSON_DEPTH_H
#define KC_BASE_JSON_DEPTH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct kci_text_position {
    size_t line;   /* from 1 */
    size_t column; /* from 1, in characters of UTF-8 */
} kci_text_position_t;

/* False, with the position of the bracket, when brackets nest deeper than
 * `depth_max`. Says nothing about anything else that is wrong. */
bool kci_json_depth_is_within(const char *text, size_t length, size_t depth_max,
                              kci_text_position_t *out_position);

#endif
