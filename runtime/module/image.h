/* SPDX-License-Identifier: Apache-2.0
 *
 * What is mapped of module files, one image a file and process. Internal to
 * the layer.
 */
#ifndef KC_MODULE_IMAGE_H
#define KC_MODULE_IMAGE_H

#include "module/module_file.h"

typedef struct kci_image kci_image_t;

/* One opening or closing at a time in the whole process: the dynamic linker's
 * list and what the state guard restores belong to the process. Recursive, so
 * that a module's `open` may open other modules. */
void kci_loader_lock(void);
void kci_loader_unlock(void);

/* Maps the judged file, or counts one more user of its image. Refuses a file
 * whose bytes are not what was judged, before and after mapping, and anything
 * else that answers under its name. */
KC_MUST_USE kc_status_t kci_image_acquire_locked(const kci_module_file_t *file,
                                                 kci_image_t **out_image,
                                                 kc_error_t *error);
/* The last user unmaps it, unless it stays. Accepts NULL. */
void kci_image_release_locked(kci_image_t *image);

void *kci_image_library(const kci_image_t *image);
/* The getter, if it is a function inside of the image itself. */
KC_MUST_USE kc_status_t kci_image_entry(const kci_image_t *image,
                                        kc_module_entry_fn *out_entry,
                                        kc_error_t *error);

#endif
