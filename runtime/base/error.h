/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing error records. The function that detects an error calls kci_fail;
 * its callers may put context in front and never overwrite.
 */
#ifndef KC_BASE_ERROR_H
#define KC_BASE_ERROR_H

#include <kcapsule/status.h>

/* Writes one line (line breaks, control bytes and what is not UTF-8 become
 * '?') and `status` to `error`, which may be NULL, and returns `status`. An
 * argument may be the message of `error` itself. */
KC_MUST_USE kc_status_t kci_fail(kc_error_t *error, kc_status_t status,
                                 const char *format, ...) KC_PRINTF(3, 4);

/* Puts "context: " in front of the message; the status stays. */
void kci_error_prepend(kc_error_t *error, const char *format, ...)
    KC_PRINTF(2, 3);

/* The system's words for an errno value, the same under every locale. */
const char *kci_errno_text(int errno_value);

/* The one macro that returns; only where nothing is owned. */
#define KC_RETURN_IF_ERROR(expression)                                         \
    do {                                                                       \
        kc_status_t status_ = (expression);                                    \
        if (status_ != KC_OK) {                                                \
            return status_;                                                    \
        }                                                                      \
    } while (0)

#endif
