/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole files in. How much is read follows from the file's size, never from
 * what the file says about itself.
 */
#include "base/file_bytes.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file_open.h"

static kc_status_t read_all(int descriptor, uint64_t file_size,
                            const char *path, kci_bytes_t *out_bytes,
                            kc_error_t *error)
{
    void *data = NULL;
    if (file_size >= SIZE_MAX) {
        return kci_fail(error, KC_ERR_MEMORY, "%s: too large to be read", path);
    }
    size_t size = (size_t)file_size;
    kc_status_t status = kci_alloc_array(size + 1, 1, &data, error);
    if (status != KC_OK) {
        kci_error_prepend(error, "%s", path);
        return status;
    }
    status = kci_file_read_at(descriptor, 0, data, size, path, error);
    if (status != KC_OK) {
        kci_free(data);
        return status;
    }
    out_bytes->data = data;
    out_bytes->size = size;
    return KC_OK;
}

kc_status_t kci_file_read(const char *path, kci_bytes_t *out_bytes,
                          kc_error_t *error)
{
    int descriptor = -1;
    uint64_t size = 0;
    KC_RETURN_IF_ERROR(kci_file_open(path, &descriptor, &size, error));
    kc_status_t status = read_all(descriptor, size, path, out_bytes, error);
    (void)close(descriptor);
    return status;
}

void kci_bytes_release(kci_bytes_t *bytes)
{
    kci_free(bytes->data);
    bytes->data = NULL;
    bytes->size = 0;
}

kc_status_t kci_file_write(const char *path, const void *data, size_t size,
                           kc_error_t *error)
{
    kci_file_writer_t writer;
    KC_RETURN_IF_ERROR(kci_file_writer_begin(&writer, path, error));
    kc_status_t status = kci_file_writer_put(&writer, data, size, error);
    if (status != KC_OK) {
        kci_file_writer_abandon(&writer);
        return status;
    }
    return kci_file_writer_commit(&writer, error);
}
