/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole files in and out. Reading takes regular files only (a FIFO or device
 * is an error, never a hang); writing goes to a temporary file in the same
 * folder that is renamed when complete, so a failure leaves nothing behind.
 */
#ifndef KC_BASE_FILE_BYTES_H
#define KC_BASE_FILE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <kcapsule/status.h>

typedef struct kci_bytes {
    unsigned char *data; /* owned, followed by one NUL that is not counted */
    size_t size;
} kci_bytes_t;

KC_MUST_USE kc_status_t kci_file_read(const char *path, kci_bytes_t *out_bytes,
                                      kc_error_t *error);
void kci_bytes_release(kci_bytes_t *bytes);
KC_MUST_USE kc_status_t kci_file_write(const char *path, const void *data,
                                       size_t size, kc_error_t *error);

/* A writer in pieces: begin, any number of puts, then commit or abandon. */
typedef struct kci_file_writer {
    int descriptor;
    char *path;
    char *temporary_path;
} kci_file_writer_t;
KC_MUST_USE kc_status_t kci_file_writer_begin(kci_file_writer_t *writer,
                                              const char *path,
                                              kc_error_t *error);
KC_MUST_USE kc_status_t kci_file_writer_put(kci_file_writer_t *writer,
                                            const void *data, size_t size,
                                            kc_error_t *error);
KC_MUST_USE kc_status_t kci_file_writer_commit(kci_file_writer_t *writer,
                                               kc_error_t *error);
void kci_file_writer_abandon(kci_file_writer_t *writer);

#endif
