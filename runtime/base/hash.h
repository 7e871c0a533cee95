/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 of bytes and files, as 64 lower-case hexadecimal digits.
 */
#ifndef KC_BASE_HASH_H
#define KC_BASE_HASH_H

#include <stddef.h>
#include <kcapsule/status.h>

#define KCI_SHA256_TEXT_SIZE 65

void kci_sha256_bytes(const void *data, size_t size,
                      char out_text[KCI_SHA256_TEXT_SIZE]);
KC_MUST_USE kc_status_t kci_sha256_file(const char *path,
                                        char out_text[KCI_SHA256_TEXT_SIZE],
                                        kc_error_t *error);
/* From the start of an open descriptor; its offset is left alone. */
KC_MUST_USE kc_status_t kci_sha256_descriptor(
    int descriptor, char out_text[KCI_SHA256_TEXT_SIZE], kc_error_t *error);

#endif
