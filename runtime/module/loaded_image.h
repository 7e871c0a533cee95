/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to the dynamic linker about something loaded; the one file that
 * translates its messages. Internal to the layer.
 */
#ifndef KC_MODULE_LOADED_IMAGE_H
#define KC_MODULE_LOADED_IMAGE_H

#include <stddef.h>
#include <kcapsule/module.h>

/* Fails with the linker's reason, without the name under which it was asked
 * for the file. `text` may be NULL. */
KC_MUST_USE kc_status_t kci_loaded_explain(const char *text, const char *name,
                                           const char *path, kc_error_t *error);

/* Whether the note segments in memory equal the judged ones. */
KC_MUST_USE kc_status_t kci_loaded_compare_notes(void *library,
                                                 const unsigned char *notes,
                                                 size_t size,
                                                 kc_error_t *error);

/* The getter of the library itself, not of one that it needs. */
KC_MUST_USE kc_status_t kci_loaded_entry(void *library,
                                         kc_module_entry_fn *out_entry,
                                         kc_error_t *error);

#endif
