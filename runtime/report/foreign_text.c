/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of files and texts of modules were written by others: in a text for
 * people they stay within their line and do nothing to a terminal.
 */
#include "report/report.h"

#include <string.h>

#include "base/one_line.h"

void kci_report_append_foreign(const char *text, size_t length,
                               kci_string_buffer_t *out)
{
    size_t start = out->length;
    kci_string_append_bytes(out, text, length);
    if (!out->has_failed && out->text != NULL) {
        kci_make_one_line(out->text + start);
    }
}

void kci_report_append_path(const char *path, kci_string_buffer_t *out)
{
    kci_report_append_foreign(path, strlen(path), out);
}

void kci_report_clean_lines(char *text)
{
    while (text != NULL) {
        char *end = strchr(text, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        kci_make_one_line(text);
        if (end != NULL) {
            *end++ = '\n';
        }
        text = end;
    }
}
