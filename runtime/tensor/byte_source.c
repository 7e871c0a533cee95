/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an array file. Every range is compared with the size before
 * anything is read or, by the readers, allocated.
 */
#include "tensor/byte_source.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_open.h"
#include "base/hash.h"

KC_STATIC_ASSERT(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                 "array files are little-endian and read as they are");

kci_byte_source_t kci_byte_source_from_memory(const unsigned char *bytes,
                                              size_t size)
{
    return (kci_byte_source_t){
        .bytes = size == 0 ? (const unsigned char *)"" : bytes,
        .descriptor = -1,
        .size = size,
    };
}

kc_status_t kci_byte_source_open(const char *path,
                                 kci_byte_source_t *out_source,
                                 kc_error_t *error)
{
    struct stat status;
    kci_byte_source_t source = {.descriptor = -1};
    KC_RETURN_IF_ERROR(
        kci_file_open(path, &source.descriptor, &source.size, error));
    if (fstat(source.descriptor, &status) != 0) {
        kci_byte_source_close(&source);
        return kci_fail(error, KC_ERR_IO, "%s: cannot be examined: %s", path,
                        kci_errno_text(errno));
    }
    source.size = (uint64_t)status.st_size;
    source.modified = status.st_mtim;
    *out_source = source;
    return KC_OK;
}

void kci_byte_source_close(kci_byte_source_t *source)
{
    if (source->descriptor >= 0) {
        (void)close(source->descriptor);
    }
    *source = (kci_byte_source_t){.descriptor = -1};
}

kc_status_t kci_byte_source_read(const kci_byte_source_t *source,
                                 uint64_t offset, void *out_data, size_t size,
                                 const char *name, const char *what,
                                 kc_error_t *error)
{
    if (offset > source->size || size > source->size - offset) {
        uint64_t left = offset > source->size ? 0 : source->size - offset;
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: byte %" PRIu64 ": expected %zu bytes of %s, "
                        "found %" PRIu64,
                        name, offset, size, what, left);
    }
    if (source->bytes == NULL) {
        return kci_file_read_at(source->descriptor, offset, out_data, size,
                                name, error);
    }
    if (size > 0) {
        memcpy(out_data, source->bytes + offset, size);
    }
    return KC_OK;
}

kc_status_t kci_byte_source_check_unchanged(const kci_byte_source_t *source,
                                            const char *name, kc_error_t *error)
{
    struct stat now;
    if (source->bytes != NULL) {
        return KC_OK;
    }
    if (fstat(source->descriptor, &now) != 0) {
        return kci_fail(error, KC_ERR_IO, "%s: cannot be examined: %s", name,
                        kci_errno_text(errno));
    }
    if ((uint64_t)now.st_size != source->size ||
        now.st_mtim.tv_sec != source->modified.tv_sec ||
        now.st_mtim.tv_nsec != source->modified.tv_nsec) {
        return kci_fail(error, KC_ERR_IO,
                        "%s: was written to after it was opened", name);
    }
    return KC_OK;
}

kc_status_t kci_byte_source_sha256(const kci_byte_source_t *source,
                                   char *out_text, const char *name,
                                   kc_error_t *error)
{
    if (source->bytes != NULL) {
        kci_sha256_bytes(source->bytes, (size_t)source->size, out_text);
        return KC_OK;
    }
    kc_status_t status =
        kci_sha256_descriptor(source->descriptor, out_text, error);
    if (status != KC_OK) {
        kci_error_prepend(error, "%s", name);
    }
    return status;
}
