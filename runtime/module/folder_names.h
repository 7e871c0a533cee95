/* SPDX-License-Identifier: Apache-2.0
 *
 * Names in a folder, sorted. Internal to the layer.
 */
#ifndef KC_MODULE_FOLDER_NAMES_H
#define KC_MODULE_FOLDER_NAMES_H

#include <stddef.h>
#include <kcapsule/status.h>

typedef struct kci_folder_names {
    char **names; /* owned */
    size_t count;
} kci_folder_names_t;

/* Visible names that end in `ending` and have something before it, sorted by
 * their bytes. A folder that cannot be read is no error: `*out_reason` is then
 * an errno value, otherwise 0. */
KC_MUST_USE kc_status_t kci_folder_names_read(const char *folder,
                                              const char *ending,
                                              kci_folder_names_t *out_names,
                                              int *out_reason,
                                              kc_error_t *error);
void kci_folder_names_release(kci_folder_names_t *names);

#endif
