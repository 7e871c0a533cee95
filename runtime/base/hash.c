/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 by libsodium, which never fails on memory it can read; files are
 * hashed in pieces so that their size does not matter.
 */
#include "base/hash.h"

#include <errno.h>
#include <sodium.h>
#include <stdint.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_open.h"

#define PIECE_SIZE 16384

static void write_text(const unsigned char digest[crypto_hash_sha256_BYTES],
                       char out_text[KCI_SHA256_TEXT_SIZE])
{
    (void)sodium_bin2hex(out_text, KCI_SHA256_TEXT_SIZE, digest,
                         crypto_hash_sha256_BYTES);
}

/* Safe to repeat and from any thread. Should it fail there is no source of
 * random numbers, which a hash does not need. */
static void prepare_library(void)
{
    if (sodium_init() < 0) {
        return;
    }
}

void kci_sha256_bytes(const void *data, size_t size,
                      char out_text[KCI_SHA256_TEXT_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    prepare_library();
    (void)crypto_hash_sha256(digest, data, size);
    write_text(digest, out_text);
}

static kc_status_t hash_pieces(int descriptor, crypto_hash_sha256_state *state,
                               kc_error_t *error)
{
    unsigned char piece[PIECE_SIZE];
    off_t offset = 0;
    for (;;) {
        ssize_t got = pread(descriptor, piece, sizeof piece, offset);
        if (got == 0) {
            return KC_OK;
        }
        if (got > 0) {
            (void)crypto_hash_sha256_update(state, piece, (size_t)got);
            offset += got;
        } else if (errno != EINTR) {
            return kci_fail(error, KC_ERR_IO, "cannot be read: %s",
                            kci_errno_text(errno));
        }
    }
}

kc_status_t kci_sha256_descriptor(int descriptor,
                                  char out_text[KCI_SHA256_TEXT_SIZE],
                                  kc_error_t *error)
{
    crypto_hash_sha256_state state;
    unsigned char digest[crypto_hash_sha256_BYTES];
    prepare_library();
    (void)crypto_hash_sha256_init(&state);
    KC_RETURN_IF_ERROR(hash_pieces(descriptor, &state, error));
    (void)crypto_hash_sha256_final(&state, digest);
    write_text(digest, out_text);
    return KC_OK;
}

kc_status_t kci_sha256_file(const char *path,
                            char out_text[KCI_SHA256_TEXT_SIZE],
                            kc_error_t *error)
{
    int descriptor = -1;
    uint64_t size = 0;
    KC_RETURN_IF_ERROR(kci_file_open(path, &descriptor, &size, error));
    kc_status_t status = kci_sha256_descriptor(descriptor, out_text, error);
    (void)close(descriptor);
    if (status != KC_OK) {
        kci_error_prepend(error, "%s", path);
    }
    return status;
}
