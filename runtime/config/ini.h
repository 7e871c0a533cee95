/* SPDX-License-Identifier: Apache-2.0
 *
 * A small strict reader of INI text: [section], key = value, comments on
 * lines of their own with # or ;, LF or CRLF. No limit on line length but
 * the file's, no continuation, no quoting. Double keys, text outside of a
 * section and NUL bytes are errors naming file and line.
 */
#ifndef KC_CONFIG_INI_H
#define KC_CONFIG_INI_H

#include <stdbool.h>
#include <stddef.h>
#include <kcapsule/status.h>

typedef struct kci_ini_entry {
    const char *section;
    const char *key;
    const char *value; /* trimmed; may be empty */
    int line;
    bool is_used; /* set by kci_ini_find, so unknown keys can be reported */
} kci_ini_entry_t;

typedef struct kci_ini kci_ini_t;

KC_MUST_USE kc_status_t kci_ini_parse(const char *text, size_t length,
                                      const char *name, kci_ini_t **out_ini,
                                      kc_error_t *error);
void kci_ini_release(kci_ini_t *ini); /* accepts NULL */
const char *kci_ini_name(const kci_ini_t *ini);
/* NULL when absent; marks the entry as used. Borrowed until release. */
const kci_ini_entry_t *kci_ini_find(kci_ini_t *ini, const char *section,
                                    const char *key);
/* Whether the section is there, with keys or without. */
bool kci_ini_has_section(const kci_ini_t *ini, const char *section);
/* Fails on the first entry nobody asked for, or section nobody knows:
 * "FILE:LINE: unknown key `x` in section [y]". */
KC_MUST_USE kc_status_t kci_ini_check_all_used(const kci_ini_t *ini,
                                               kc_error_t *error);

#endif
