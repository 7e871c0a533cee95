/* SPDX-License-Identifier: Apache-2.0
 *
 * How deep a JSON text nests. Brackets in strings do not count; closing
 * brackets beyond the opening ones are left to the parser.
 */
#include "base/json_depth.h"

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static void advance(kci_text_position_t *position, char byte)
{
    if (byte == '\n') {
        position->line++;
        position->column = 1;
    } else if (!is_continuation(byte)) {
        position->column++;
    }
}

bool kci_json_depth_is_within(const char *text, size_t length, size_t depth_max,
                              kci_text_position_t *out_position)
{
    kci_text_position_t position = {1, 1};
    size_t depth = 0;
    bool is_in_string = false;
    bool is_escaped = false;
    for (size_t i = 0; i < length; i++) {
        char byte = text[i];
        if (is_in_string) {
            is_in_string = is_escaped || byte != '"';
            is_escaped = !is_escaped && byte == '\\';
        } else if (byte == '"') {
            is_in_string = true;
        } else if (byte == '[' || byte == '{') {
            depth++;
        } else if ((byte == ']' || byte == '}') && depth > 0) {
            depth--;
        }
        if (depth > depth_max) {
            *out_position = position;
            return false;
        }
        advance(&position, byte);
    }
    return true;
}
