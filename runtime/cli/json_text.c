/* SPDX-License-Identifier: Apache-2.0
 *
 * Quoting for JSON, and nesting of texts that are JSON already.
 */
#include "cli/json_text.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at `text`, 0 if there is none: no overlong
 * forms, no surrogates, nothing above U+10FFFF. */
static size_t character_length(const unsigned char *text)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        unsigned char length;
    } forms[] = {{0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
                 {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
                 {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
                 {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t idx = 0; idx < sizeof forms / sizeof forms[0]; idx++) {
        if (text[0] < forms[idx].first_low || text[0] > forms[idx].first_high) {
            continue;
        }
        size_t length = forms[idx].length;
        if (length > 1 && (text[1] < forms[idx].second_low ||
                           text[1] > forms[idx].second_high)) {
            return 0;
        }
        for (size_t place = 2; place < length; place++) {
            if ((text[place] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return length;
    }
    return 0;
}

static void put_character(const unsigned char *text, size_t length)
{
    if (length == 0) {
        fputs("\\ufffd", stdout);
    } else if (length == 1 && (text[0] == '"' || text[0] == '\\')) {
        printf("\\%c", text[0]);
    } else if (length == 1 && (text[0] < 0x20 || text[0] == 0x7f)) {
        printf("\\u%04x", text[0]);
    } else {
        fwrite(text, 1, length, stdout);
    }
}

void cli_json_string(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    putchar('"');
    while (*at != 0) {
        size_t length = character_length(at);
        put_character(at, length);
        at += length > 0 ? length : 1;
    }
    putchar('"');
}

void cli_json_nested(const char *json)
{
    while (*json != 0) {
        const char *end = strchr(json, '\n');
        size_t length = end != NULL ? (size_t)(end - json) : strlen(json);
        fwrite(json, 1, length, stdout);
        if (end == NULL || end[1] == 0) {
            return;
        }
        fputs("\n  ", stdout);
        json = end + 1;
    }
}
