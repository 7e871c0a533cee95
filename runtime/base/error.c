/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing error records. Texts are formatted beside the record first, since
 * an argument may point into the message that is being replaced.
 */
#include "base/error.h"

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/one_line.h"

/* Bytes that the record has for its message by its own statement. */
static size_t message_capacity(const kc_error_t *error)
{
    size_t start = offsetof(kc_error_t, message);
    if (error->struct_size <= start) {
        return 0;
    }
    size_t capacity = error->struct_size - start;
    return capacity < KC_ERROR_MESSAGE_SIZE ? capacity : KC_ERROR_MESSAGE_SIZE;
}

static void store_message(kc_error_t *error, const char *text)
{
    size_t capacity = message_capacity(error);
    if (capacity == 0) {
        return;
    }
    size_t length = strlen(text);
    if (length > capacity - 1) {
        length = capacity - 1;
    }
    memmove(error->message, text, length);
    error->message[length] = '\0';
    kci_make_one_line(error->message);
}

kc_status_t kci_fail(kc_error_t *error, kc_status_t status, const char *format,
                     ...)
{
    if (error == NULL) {
        return status;
    }
    char text[KC_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) {
        text[0] = '\0';
    }
    va_end(arguments);
    if (message_capacity(error) > 0) {
        error->status = status;
    }
    store_message(error, text);
    return status;
}

void kci_error_prepend(kc_error_t *error, const char *format, ...)
{
    if (error == NULL || message_capacity(error) == 0) {
        return;
    }
    char text[2 * KC_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, KC_ERROR_MESSAGE_SIZE, format, arguments) < 0) {
        text[0] = '\0';
    }
    va_end(arguments);
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, ": %s", error->message);
    store_message(error, text);
}

const char *kci_errno_text(int errno_value)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0) {
        return "system error";
    }
    const char *text = strerror_l(errno_value, c_locale);
    freelocale(c_locale);
    return text;
}
