/* SPDX-License-Identifier: Apache-2.0
 *
 * Where warnings go. Lines are made fit for one line of a terminal before
 * the application sees them.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/one_line.h"

void kci_log_write(const kci_log_t *log, int32_t level, const char *format, ...)
{
    if (log == NULL || log->function == NULL) {
        return;
    }
    char line[KC_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(line, sizeof line, format, arguments) < 0) {
        line[0] = '\0';
    }
    va_end(arguments);
    kci_make_one_line(line);
    log->function(log->context, level, line);
}
