/* SPDX-License-Identifier: Apache-2.0
 *
 * The record that a module's getter returned, judged before any of it is
 * used. Internal to the layer.
 */
#ifndef KC_MODULE_ENTRY_CHECK_H
#define KC_MODULE_ENTRY_CHECK_H

#include "module/module_file.h"

/* Copies of the sizes that this host knows; texts and functions are the
 * module's and valid as long as it is loaded. */
typedef struct kci_entry {
    kc_module_t module;
    kc_handler_t *handlers; /* owned */
    size_t handler_count;
    kc_device_services_t *devices; /* owned */
    size_t device_count;
} kci_entry_t;

/* `given` is what the getter returned, perhaps NULL. It must agree with the
 * notes of `file`, and every handler with a capsule of it. Errors name
 * the file. */
KC_MUST_USE kc_status_t kci_entry_check(const kci_module_file_t *file,
                                        const kc_module_t *given,
                                        kci_entry_t *out_entry,
                                        kc_error_t *error);
void kci_entry_release(kci_entry_t *entry); /* accepts a zeroed record */

/* One handler, copied; `*out_is_known` is false for an operation of a newer
 * minor version, which is left out. */
KC_MUST_USE kc_status_t kci_handler_check(const kci_module_file_t *file,
                                          const kc_handler_t *given,
                                          kc_handler_t *out_handler,
                                          bool *out_is_known,
                                          kc_error_t *error);

/* Copies what a record states of itself, at most `size_known` bytes, and
 * makes the rest zero. Fails if that is less than `size_min` or absurd. */
KC_MUST_USE kc_status_t kci_record_copy(const void *given, size_t size_known,
                                        size_t size_min, void *out_record,
                                        kc_error_t *error);

#endif
