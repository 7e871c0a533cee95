/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of a file in a few words, for the errors that refuse them: they
 * may be anything a JSON object can hold.
 */
#ifndef KC_GRAPH_ATTRIBUTE_TEXT_H
#define KC_GRAPH_ATTRIBUTE_TEXT_H

#include <jansson.h>
#include <stddef.h>

#define KCI_ATTRIBUTE_TEXT_SIZE 92

/* "axis 0 start 3", cut to the size; empty for NULL and what is no object. */
void kci_format_attributes(const json_t *attributes,
                           char out[KCI_ATTRIBUTE_TEXT_SIZE]);

#endif
