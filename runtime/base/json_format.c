/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON out. jansson prints doubles with 17 digits and recurses; this writer
 * prints the shortest text that reads back and walks with a stack of its own,
 * as deep as what the parser accepts.
 */
#include "base/json.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/string_buffer.h"

typedef struct open_container {
    json_t *container;
    void *iterator; /* of an object: the next pair */
    size_t index;   /* members written */
} open_container_t;

typedef struct json_writer {
    kci_string_buffer_t text;
    open_container_t open[KCI_JSON_DEPTH_MAX];
    size_t depth;
    kc_status_t status;
    kc_error_t *error;
} json_writer_t;

static void fail_writer(json_writer_t *writer, const char *message)
{
    if (writer->status == KC_OK) {
        writer->status =
            kci_fail(writer->error, KC_ERR_ARGUMENT, "%s", message);
    }
}

static int append_piece(const char *bytes, size_t size, void *context)
{
    kci_string_append_bytes(context, bytes, size);
    return 0;
}

static void write_string(json_writer_t *writer, const char *value)
{
    json_t *string = json_string(value);
    if (string == NULL) {
        fail_writer(writer, "a text for JSON is not UTF-8");
        return;
    }
    if (json_dump_callback(string, append_piece, &writer->text,
                           JSON_ENCODE_ANY) != 0) {
        writer->text.has_failed = true;
    }
    json_decref(string);
}

/* A real stays one when it is read again, so it has a point or exponent. */
static void write_real(json_writer_t *writer, double value)
{
    char number[32];
    if (!isfinite(value)) {
        fail_writer(writer, "a number for JSON is not finite");
        return;
    }
    kci_format_double(value, number);
    kci_string_append(&writer->text, number);
    if (strpbrk(number, ".e") == NULL) {
        kci_string_append(&writer->text, ".0");
    }
}

static void write_line_break(json_writer_t *writer)
{
    kci_string_append(&writer->text, "\n");
    for (size_t i = 0; i < writer->depth; i++) {
        kci_string_append(&writer->text, "  ");
    }
}

static void open_value(json_writer_t *writer, json_t *container)
{
    bool is_object = json_is_object(container);
    if ((is_object ? json_object_size(container)
                   : json_array_size(container)) == 0) {
        kci_string_append(&writer->text, is_object ? "{}" : "[]");
        return;
    }
    if (writer->depth == KCI_JSON_DEPTH_MAX) {
        fail_writer(writer, "a value for JSON nests too deep");
        return;
    }
    kci_string_append(&writer->text, is_object ? "{" : "[");
    writer->open[writer->depth++] = (open_container_t){
        container, is_object ? json_object_iter(container) : NULL, 0};
}

static void write_value(json_writer_t *writer, json_t *value)
{
    if (json_is_object(value) || json_is_array(value)) {
        open_value(writer, value);
    } else if (json_is_string(value)) {
        write_string(writer, json_string_value(value));
    } else if (json_is_integer(value)) {
        kci_string_appendf(&writer->text, "%" JSON_INTEGER_FORMAT,
                           json_integer_value(value));
    } else if (json_is_real(value)) {
        write_real(writer, json_real_value(value));
    } else if (json_is_boolean(value)) {
        kci_string_append(&writer->text,
                          json_is_true(value) ? "true" : "false");
    } else if (json_is_null(value)) {
        kci_string_append(&writer->text, "null");
    } else {
        fail_writer(writer, "a value for JSON is missing");
    }
}

/* The next member of the innermost container, NULL at its end. */
static json_t *next_member(json_writer_t *writer, open_container_t *top)
{
    bool is_object = json_is_object(top->container);
    bool is_at_end = is_object ? top->iterator == NULL
                               : top->index == json_array_size(top->container);
    if (is_at_end) {
        return NULL;
    }
    kci_string_append(&writer->text, top->index == 0 ? "" : ",");
    write_line_break(writer);
    if (!is_object) {
        return json_array_get(top->container, top->index++);
    }
    json_t *value = json_object_iter_value(top->iterator);
    write_string(writer, json_object_iter_key(top->iterator));
    kci_string_append(&writer->text, ": ");
    top->iterator = json_object_iter_next(top->container, top->iterator);
    top->index++;
    return value;
}

static void close_innermost(json_writer_t *writer)
{
    bool is_object = json_is_object(writer->open[writer->depth - 1].container);
    writer->depth--;
    write_line_break(writer);
    kci_string_append(&writer->text, is_object ? "}" : "]");
}

kc_status_t kci_json_format(const json_t *json, char **out_text,
                            kc_error_t *error)
{
    json_writer_t writer = {.text = KCI_STRING_BUFFER_INIT, .error = error};
    write_value(&writer, (json_t *)(uintptr_t)json);
    while (writer.depth > 0 && writer.status == KC_OK &&
           !writer.text.has_failed) {
        json_t *member = next_member(&writer, &writer.open[writer.depth - 1]);
        if (member == NULL) {
            close_innermost(&writer);
        } else {
            write_value(&writer, member);
        }
    }
    kci_string_append(&writer.text, "\n");
    if (writer.status != KC_OK) {
        kci_string_release(&writer.text);
        return writer.status;
    }
    return kci_string_take(&writer.text, out_text, error);
}
