/* SPDX-License-Identifier: Apache-2.0
 *
 * A growing text. After a failed append the buffer stays failed and further
 * appends do nothing, so writers check once, at the end.
 */
#ifndef KC_BASE_STRING_BUFFER_H
#define KC_BASE_STRING_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <kcapsule/status.h>

typedef struct kci_string_buffer {
    char *text; /* owned; NULL while empty */
    size_t length;
    size_t capacity;
    bool has_failed;
} kci_string_buffer_t;

#define KCI_STRING_BUFFER_INIT                                                 \
    {                                                                          \
        NULL, 0, 0, false                                                      \
    }

void kci_string_append(kci_string_buffer_t *buffer, const char *text);
void kci_string_append_bytes(kci_string_buffer_t *buffer, const char *bytes,
                             size_t length);
/* Independent of the locale as long as no floating-point conversion is used;
 * for numbers with a fraction see base/number.h. */
void kci_string_appendf(kci_string_buffer_t *buffer, const char *format, ...)
    KC_PRINTF(2, 3);
/* Moves the text (never NULL on KC_OK) to the caller and empties the buffer. */
KC_MUST_USE kc_status_t kci_string_take(kci_string_buffer_t *buffer,
                                        char **out_text, kc_error_t *error);
void kci_string_release(kci_string_buffer_t *buffer);

#endif
