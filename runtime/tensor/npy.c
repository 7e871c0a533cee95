/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading NumPy's array files. The data goes from the file straight into the
 * tensor, after its size was compared with what the shape needs.
 */
#include "tensor/npy.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked_size.h"
#include "base/error.h"
#include "tensor/byte_source.h"
#include "tensor/dtype.h"
#include "tensor/npy_header.h"

#define MAGIC       "\x93NUMPY"
#define MAGIC_SIZE  6
#define VERSION_END 8 /* magic, major, minor */

/* Where the header text is: its length has 2 bytes in version 1, then 4. */
static kc_status_t find_header(const kci_byte_source_t *source,
                               const char *name, uint64_t *out_offset,
                               uint64_t *out_length, kc_error_t *error)
{
    unsigned char start[VERSION_END];
    unsigned char length[4] = {0};
    KC_RETURN_IF_ERROR(kci_byte_source_read(source, 0, start, sizeof start,
                                            name, "an npy file", error));
    if (memcmp(start, MAGIC, MAGIC_SIZE) != 0) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: byte 0: expected an npy file, found other bytes",
                        name);
    }
    if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: byte 6: expected npy version 1.0, 2.0 or 3.0, "
                        "found %d.%d",
                        name, start[6], start[7]);
    }
    size_t length_size = start[6] == 1 ? 2 : 4;
    KC_RETURN_IF_ERROR(kci_byte_source_read(source, VERSION_END, length,
                                            length_size, name,
                                            "the header's length", error));
    *out_offset = VERSION_END + length_size;
    *out_length = (uint64_t)length[0] | (uint64_t)length[1] << 8 |
                  (uint64_t)length[2] << 16 | (uint64_t)length[3] << 24;
    return KC_OK;
}

static kc_status_t read_header(const kci_byte_source_t *source,
                               const char *name, kci_npy_header_t *out_header,
                               uint64_t *out_data_offset, kc_error_t *error)
{
    uint64_t offset = 0;
    uint64_t length = 0;
    void *text = NULL;
    KC_RETURN_IF_ERROR(find_header(source, name, &offset, &length, error));
    if (length > source->size - offset) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: byte %" PRIu64 ": expected %" PRIu64
                        " bytes of header, found %" PRIu64,
                        name, offset, length, source->size - offset);
    }
    KC_RETURN_IF_ERROR(kci_alloc_array((size_t)length, 1, &text, error));
    kc_status_t status = kci_byte_source_read(
        source, offset, text, (size_t)length, name, "header", error);
    if (status == KC_OK) {
        status = kci_npy_header_parse(text, (size_t)length, (size_t)offset,
                                      name, out_header, error);
    }
    kci_free(text);
    *out_data_offset = offset + length;
    return status;
}

/* Column order is row order when at most one extent is more than one. */
static kc_status_t check_order(const kci_npy_header_t *header, const char *name,
                               kc_error_t *error)
{
    int axes = 0;
    for (int32_t axis = 0; axis < header->shape.rank; axis++) {
        axes += header->shape.dims[axis] > 1;
    }
    if (header->is_column_order && axes > 1) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: column order not supported (fortran_order is "
                        "True)",
                        name);
    }
    return KC_OK;
}

static kc_status_t check_data_size(const kci_npy_header_t *header,
                                   uint64_t available, uint64_t offset,
                                   const char *name, kc_error_t *error)
{
    char shape[KCI_SHAPE_TEXT_SIZE];
    int64_t needed = 0;
    bool is_countable =
        kci_int64_multiply(kci_shape_element_count(&header->shape),
                           (int64_t)kci_dtype_size(header->dtype), &needed);
    if (is_countable && (uint64_t)needed == available) {
        return KC_OK;
    }
    kci_shape_format(header->shape.rank, header->shape.dims, NULL, shape,
                     sizeof shape);
    if (!is_countable) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: byte %" PRIu64 ": shape %s needs more than 2^63 "
                        "bytes of data, found %" PRIu64,
                        name, offset, shape, available);
    }
    return kci_fail(error, KC_ERR_FORMAT,
                    "%s: byte %" PRIu64 ": expected %" PRId64
                    " bytes of data for shape %s, found %" PRIu64,
                    name, offset, needed, shape, available);
}

static kc_status_t read_tensor(kci_host_allocator_t *allocator,
                               const kci_byte_source_t *source,
                               const char *name, kc_tensor_t **out_tensor,
                               kc_error_t *error)
{
    kci_npy_header_t header;
    uint64_t offset = 0;
    kc_tensor_t *tensor = NULL;
    KC_RETURN_IF_ERROR(read_header(source, name, &header, &offset, error));
    KC_RETURN_IF_ERROR(check_order(&header, name, error));
    KC_RETURN_IF_ERROR(
        check_data_size(&header, source->size - offset, offset, name, error));
    KC_RETURN_IF_ERROR(kci_tensor_create(allocator, header.dtype,
                                         header.shape.rank, header.shape.dims,
                                         &tensor, error));
    kc_status_t status =
        kci_byte_source_read(source, offset, tensor->view.data,
                             tensor->storage->size_bytes, name, "data", error);
    if (status != KC_OK) {
        kci_tensor_release(tensor);
        return status;
    }
    kci_tensor_normalise_bool(&tensor->view);
    *out_tensor = tensor;
    return KC_OK;
}

kc_status_t kci_npy_parse(kci_host_allocator_t *allocator,
                          const unsigned char *bytes, size_t size,
                          const char *name, kc_tensor_t **out_tensor,
                          kc_error_t *error)
{
    kci_byte_source_t source = kci_byte_source_from_memory(bytes, size);
    return read_tensor(allocator, &source, name, out_tensor, error);
}

kc_status_t kci_npy_read(kci_host_allocator_t *allocator, const char *path,
                         kc_tensor_t **out_tensor, kc_error_t *error)
{
    kci_byte_source_t source;
    KC_RETURN_IF_ERROR(kci_byte_source_open(path, &source, error));
    kc_status_t status =
        read_tensor(allocator, &source, path, out_tensor, error);
    kci_byte_source_close(&source);
    return status;
}
