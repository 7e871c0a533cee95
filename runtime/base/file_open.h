/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening files to read. Regular files only: what a stranger's path names may
 * be a FIFO or a terminal, and opening it must neither hang nor have effects.
 */
#ifndef KC_BASE_FILE_OPEN_H
#define KC_BASE_FILE_OPEN_H

#include <stddef.h>
#include <stdint.h>
#include <kcapsule/status.h>

/* `*out_descriptor` is owned by the caller (close); `*out_size` is the size
 * at this moment. KC_ERR_IO names the path. */
KC_MUST_USE kc_status_t kci_file_open(const char *path, int *out_descriptor,
                                      uint64_t *out_size, kc_error_t *error);
/* Exactly `size` bytes from `offset`, leaving the descriptor's own offset
 * alone. `name` is what errors call the file. */
KC_MUST_USE kc_status_t kci_file_read_at(int descriptor, uint64_t offset,
                                         void *out_data, size_t size,
                                         const char *name, kc_error_t *error);

#endif
