/* SPDX-License-Identifier: Apache-2.0
 *
 * A growing text. Failure is kept in the buffer, and the text always ends
 * with NUL as soon as there is one.
 */
#include "base/string_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked_size.h"
#include "base/error.h"

/* Room for `extra` more bytes and the NUL. */
static bool reserve(kci_string_buffer_t *buffer, size_t extra)
{
    size_t needed = 0;
    void *text = buffer->text;
    bool has_room =
        !buffer->has_failed && kci_size_add(buffer->length, extra, &needed) &&
        kci_size_add(needed, 1, &needed) &&
        kci_grow_array(&text, &buffer->capacity, needed, 1, NULL) == KC_OK;
    if (!has_room) {
        buffer->has_failed = true;
        return false;
    }
    buffer->text = text;
    return true;
}

void kci_string_append_bytes(kci_string_buffer_t *buffer, const char *bytes,
                             size_t length)
{
    if (!reserve(buffer, length)) {
        return;
    }
    if (length > 0) {
        memcpy(buffer->text + buffer->length, bytes, length);
    }
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

void kci_string_append(kci_string_buffer_t *buffer, const char *text)
{
    kci_string_append_bytes(buffer, text, strlen(text));
}

void kci_string_appendf(kci_string_buffer_t *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0) {
        buffer->has_failed = true;
    } else if (reserve(buffer, (size_t)length)) {
        (void)vsnprintf(buffer->text + buffer->length, (size_t)length + 1,
                        format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

kc_status_t kci_string_take(kci_string_buffer_t *buffer, char **out_text,
                            kc_error_t *error)
{
    kci_string_append_bytes(buffer, "", 0);
    if (buffer->has_failed) {
        kci_string_release(buffer);
        return kci_fail(error, KC_ERR_MEMORY, "out of memory for a text");
    }
    *out_text = buffer->text;
    buffer->text = NULL;
    kci_string_release(buffer);
    return KC_OK;
}

void kci_string_release(kci_string_buffer_t *buffer)
{
    kci_free(buffer->text);
    *buffer = (kci_string_buffer_t)KCI_STRING_BUFFER_INIT;
}
