/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run did besides the operations that were asked for: inner operations
 * of compositions, derivative rules with theirs, sums. Nothing is said of a
 * run that did none of it.
 */
#ifndef KC_REPORT_RECORD_ROLES_H
#define KC_REPORT_RECORD_ROLES_H

#include <jansson.h>
#include "base/string_buffer.h"
#include "exec/record.h"

/* Adds "inner", and "backward" with "sums", each only where there is one. */
void kci_record_roles_json(const kci_run_record_t *run, json_t *object);
/* The tables below the one of operations. */
void kci_record_roles_text(const kci_run_record_t *run,
                           kci_string_buffer_t *out);
/* Times of the entries that are no operations, a list. */
json_t *kci_record_roles_times_json(const kci_run_record_t *run);
bool kci_record_has_roles(const kci_run_record_t *run);

/* How the backward of the capsule was computed. */
typedef enum kci_rule_code {
    KCI_RULE_CODE_BACKEND,  /* by the capsule's own module */
    KCI_RULE_CODE_COMPOSED, /* by operations */
    KCI_RULE_CODE_RUNTIME   /* by code of the runtime */
} kci_rule_code_t;
kci_rule_code_t kci_record_rule_code(const kci_record_entry_t *row);

#endif
