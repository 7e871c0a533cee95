/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an array file: in memory, or in a file that is read piece by
 * piece straight to where the piece belongs. A reader of a format asks for
 * ranges, and no range beyond what is there is ever read.
 */
#ifndef KC_TENSOR_BYTE_SOURCE_H
#define KC_TENSOR_BYTE_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <kcapsule/status.h>

typedef struct kci_byte_source {
    const unsigned char *bytes; /* borrowed; NULL: read from `descriptor` */
    int descriptor;             /* owned; -1: in memory */
    uint64_t size;
    struct timespec modified; /* of the file when it was opened */
} kci_byte_source_t;

kci_byte_source_t kci_byte_source_from_memory(const unsigned char *bytes,
                                              size_t size);
KC_MUST_USE kc_status_t kci_byte_source_open(const char *path,
                                             kci_byte_source_t *out_source,
                                             kc_error_t *error);
void kci_byte_source_close(kci_byte_source_t *source);
/* KC_ERR_FORMAT with the offset when fewer than `size` bytes are there;
 * `what` says of what they are. */
KC_MUST_USE kc_status_t kci_byte_source_read(const kci_byte_source_t *source,
                                             uint64_t offset, void *out_data,
                                             size_t size, const char *name,
                                             const char *what,
                                             kc_error_t *error);
/* KC_ERR_IO when the file was written to since it was opened. */
KC_MUST_USE kc_status_t kci_byte_source_check_unchanged(
    const kci_byte_source_t *source, const char *name, kc_error_t *error);
/* SHA-256 of all bytes; `out_text` as in base/hash.h. */
KC_MUST_USE kc_status_t kci_byte_source_sha256(const kci_byte_source_t *source,
                                               char *out_text, const char *name,
                                               kc_error_t *error);

#endif
