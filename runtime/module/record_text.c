/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides what may stand in a text of a record: it will be printed on
 * terminals and in reports, so it must neither break a line nor hide or
 * reorder what stands beside it.
 */
#include "module/record_text.h"

#include <stdint.h>
#include <string.h>
#include "base/error.h"
#include "base/one_line.h"

/* The code point of a well-formed character of `size` bytes. */
static uint32_t code_point(const unsigned char *text, size_t size)
{
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t point = text[0] & first_bits[size];
    for (size_t idx = 1; idx < size; idx++) {
        point = point << 6 | (text[idx] & 0x3f);
    }
    return point;
}

/* Not printable: control characters, line and paragraph separators, and the
 * marks that change the direction of text. */
static bool is_printable(uint32_t point)
{
    return point >= 0x20 && !(point >= 0x7f && point <= 0x9f) &&
           !(point >= 0x200b && point <= 0x200f) &&
           !(point >= 0x2028 && point <= 0x202e) &&
           !(point >= 0x2060 && point <= 0x206f) && point != 0xfeff;
}

/* Bytes of the longest printable beginning. */
static size_t printable_length(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length) {
        size_t size = kci_utf8_character_size(text + at, length - at);
        if (size == 0 ||
            !is_printable(code_point((const unsigned char *)text + at, size))) {
            break;
        }
        at += size;
    }
    return at;
}

kc_status_t kci_record_text_check(char *text, size_t size, const char *field,
                                  kc_error_t *error)
{
    size_t length = strnlen(text, size);
    if (length == size) {
        return kci_fail(error, KC_ERR_MODULE,
                        "%s: expected a text that ends within %zu bytes, "
                        "found no end",
                        field, size);
    }
    size_t printable = printable_length(text, length);
    if (printable < length) {
        return kci_fail(error, KC_ERR_MODULE,
                        "%s: expected printable text, found byte 0x%02x at "
                        "%zu",
                        field, (unsigned)(unsigned char)text[printable],
                        printable);
    }
    memset(text + length, 0, size - length);
    return KC_OK;
}

bool kci_is_module_name(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    return text[0] >= 'a' && text[0] <= 'z' &&
           text[strspn(text, allowed)] == '\0';
}

bool kci_is_capsule_name(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (*at <= ' ' || *at > '~' || *at == ',') {
            return false;
        }
    }
    return text[0] != '\0';
}
