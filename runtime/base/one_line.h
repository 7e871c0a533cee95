/* SPDX-License-Identifier: Apache-2.0
 *
 * What may stand in a message: one line of valid UTF-8 without control
 * characters, so that terminals and JSON take it whatever a file contained.
 */
#ifndef KC_BASE_ONE_LINE_H
#define KC_BASE_ONE_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed UTF-8 character at the start of `text`, 0 if there
 * is none. NUL counts as a character of one byte. */
size_t kci_utf8_character_size(const char *text, size_t length);
bool kci_is_utf8(const char *text, size_t length);
/* Whether all of `text` may stand in a message. */
bool kci_is_one_line(const char *text);
/* Replaces in place what does not belong in a line by '?', byte for byte. */
void kci_make_one_line(char *text);

#endif
