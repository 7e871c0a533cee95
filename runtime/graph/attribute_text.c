/* SPDX-License-Identifier: Apache-2.0
 *
 * One level of an object as text; deeper values are only hinted at, so that
 * the work is bounded by the size of the text.
 */
#include "graph/attribute_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

typedef struct text {
    char *out;
    size_t length;
} text_t;

static bool is_full(const text_t *text)
{
    return text->length + 1 >= KCI_ATTRIBUTE_TEXT_SIZE;
}

static void add(text_t *text, const char *piece)
{
    size_t room = KCI_ATTRIBUTE_TEXT_SIZE - text->length - 1;
    size_t length = strlen(piece);
    if (length > room) {
        length = room;
    }
    memcpy(text->out + text->length, piece, length);
    text->length += length;
    text->out[text->length] = '\0';
}

static void add_scalar(text_t *text, const json_t *value)
{
    char number[32];
    switch (json_typeof(value)) {
    case JSON_STRING:
        add(text, json_string_value(value));
        break;
    case JSON_INTEGER:
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
        add(text, number);
        break;
    case JSON_REAL:
        kci_format_double(json_real_value(value), number);
        add(text, number);
        break;
    case JSON_ARRAY:
        add(text, "[...]");
        break;
    case JSON_OBJECT:
        add(text, "{...}");
        break;
    default:
        add(text, json_is_null(value)
                      ? "null"
                      : (json_is_true(value) ? "true" : "false"));
    }
}

static void add_value(text_t *text, const json_t *value)
{
    if (!json_is_array(value)) {
        add_scalar(text, value);
        return;
    }
    add(text, "[");
    for (size_t i = 0; i < json_array_size(value) && !is_full(text); i++) {
        add(text, i == 0 ? "" : ", ");
        add_scalar(text, json_array_get(value, i));
    }
    add(text, "]");
}

void kci_format_attributes(const json_t *attributes,
                           char out[KCI_ATTRIBUTE_TEXT_SIZE])
{
    text_t text = {out, 0};
    const char *key = NULL;
    json_t *value = NULL;
    out[0] = '\0';
    json_object_foreach((json_t *)(uintptr_t)attributes, key, value)
    {
        if (is_full(&text)) {
            return;
        }
        add(&text, text.length == 0 ? "" : " ");
        add(&text, key);
        add(&text, " ");
        add_value(&text, value);
    }
}
