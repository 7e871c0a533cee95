/* SPDX-License-Identifier: Apache-2.0
 *
 * Where warnings go: to a function the application gave. The library itself
 * never prints.
 */
#ifndef KC_BASE_LOG_H
#define KC_BASE_LOG_H

#include <stdint.h>
#include <kcapsule/host.h>

typedef void (*kci_log_fn)(void *context, int32_t level, const char *line);

typedef struct kci_log {
    kci_log_fn function; /* NULL: silent */
    void *context;
} kci_log_t;

/* `level` is KC_LOG_*. One line, cut at KC_ERROR_MESSAGE_SIZE. */
void kci_log_write(const kci_log_t *log, int32_t level, const char *format, ...)
    KC_PRINTF(3, 4);

#endif
