/* SPDX-License-Identifier: Apache-2.0
 *
 * What may stand in a message. The table of well-formed byte sequences is
 * table 3-7 of the Unicode standard.
 */
#include "base/one_line.h"

#include <string.h>

typedef struct utf8_range {
    unsigned char first_low;
    unsigned char first_high;
    unsigned char second_low;
    unsigned char second_high;
    unsigned char size;
} utf8_range_t;

static const utf8_range_t utf8_ranges[] = {
    {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
    {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
    {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static bool has_continuations(const unsigned char *bytes, size_t size)
{
    for (size_t i = 2; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return false;
        }
    }
    return true;
}

size_t kci_utf8_character_size(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (length == 0) {
        return 0;
    }
    if (bytes[0] < 0x80) {
        return 1;
    }
    for (size_t i = 0; i < sizeof utf8_ranges / sizeof *utf8_ranges; i++) {
        const utf8_range_t *range = &utf8_ranges[i];
        if (bytes[0] < range->first_low || bytes[0] > range->first_high) {
            continue;
        }
        bool is_valid = length >= range->size &&
                        bytes[1] >= range->second_low &&
                        bytes[1] <= range->second_high &&
                        has_continuations(bytes, range->size);
        return is_valid ? range->size : 0;
    }
    return 0;
}

bool kci_is_utf8(const char *text, size_t length)
{
    size_t offset = 0;
    while (offset < length) {
        size_t size = kci_utf8_character_size(text + offset, length - offset);
        if (size == 0) {
            return false;
        }
        offset += size;
    }
    return true;
}

/* C0, DEL, C1 and the two line separators of Unicode. */
static bool is_control(const unsigned char *bytes, size_t size)
{
    if (size == 1) {
        return bytes[0] < 0x20 || bytes[0] == 0x7f;
    }
    if (size == 2) {
        return bytes[0] == 0xc2 && bytes[1] < 0xa0;
    }
    return size == 3 && bytes[0] == 0xe2 && bytes[1] == 0x80 &&
           (bytes[2] == 0xa8 || bytes[2] == 0xa9);
}

bool kci_is_one_line(const char *text)
{
    size_t length = strlen(text);
    size_t offset = 0;
    while (offset < length) {
        const char *character = text + offset;
        size_t size = kci_utf8_character_size(character, length - offset);
        if (size == 0 || is_control((const unsigned char *)character, size)) {
            return false;
        }
        offset += size;
    }
    return true;
}

void kci_make_one_line(char *text)
{
    size_t length = strlen(text);
    size_t offset = 0;
    while (offset < length) {
        char *character = text + offset;
        size_t size = kci_utf8_character_size(character, length - offset);
        if (size == 0) {
            *character = '?';
            size = 1;
        } else if (is_control((unsigned char *)character, size)) {
            memset(character, '?', size);
        }
        offset += size;
    }
}
