/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts in the fixed arrays of records. Internal to the layer.
 */
#ifndef KC_MODULE_RECORD_TEXT_H
#define KC_MODULE_RECORD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <kcapsule/status.h>

/* Fails unless the array holds one printable line of UTF-8 ended by NUL;
 * otherwise makes what follows the NUL zero, so that equal texts are equal
 * arrays. `field` is what the error calls it. */
KC_MUST_USE kc_status_t kci_record_text_check(char *text, size_t size,
                                              const char *field,
                                              kc_error_t *error);

/* [a-z][a-z0-9_]* */
bool kci_is_module_name(const char *text);
/* Printable ASCII without blanks and commas, so that lists of names read. */
bool kci_is_capsule_name(const char *text);

#endif
