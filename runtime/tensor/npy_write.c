/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing NumPy's array files: version 1.0, the dictionary as numpy prints
 * it, padded so that the data begins at a multiple of 64 bytes.
 */
#include "tensor/npy.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file_bytes.h"
#include "base/string_buffer.h"
#include "tensor/dtype.h"
#include "tensor/npy_header.h"

#define PREFIX_SIZE    10 /* magic, version, length of the header */
#define DATA_ALIGNMENT 64

static void append_shape(kci_string_buffer_t *text, const DLTensor *view)
{
    kci_string_append(text, "(");
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        kci_string_appendf(text, "%s%" PRId64, axis == 0 ? "" : ", ",
                           view->shape[axis]);
    }
    kci_string_append(text, view->ndim == 1 ? ",)" : ")");
}

static kc_status_t make_header(const DLTensor *view, int32_t dtype,
                               char **out_text, size_t *out_length,
                               kc_error_t *error)
{
    kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
    kci_string_appendf(&text, "{'descr': '%s', 'fortran_order': False, ",
                       kci_npy_descr(dtype));
    kci_string_append(&text, "'shape': ");
    append_shape(&text, view);
    kci_string_append(&text, ", }");
    while ((PREFIX_SIZE + text.length + 1) % DATA_ALIGNMENT != 0 &&
           !text.has_failed) {
        kci_string_append(&text, " ");
    }
    kci_string_append(&text, "\n");
    *out_length = text.length;
    return kci_string_take(&text, out_text, error);
}

static kc_status_t put_header(kci_file_writer_t *writer, const DLTensor *view,
                              int32_t dtype, kc_error_t *error)
{
    unsigned char prefix[PREFIX_SIZE] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    char *text = NULL;
    size_t length = 0;
    KC_RETURN_IF_ERROR(make_header(view, dtype, &text, &length, error));
    prefix[8] = (unsigned char)(length & 0xff);
    prefix[9] = (unsigned char)(length >> 8);
    kc_status_t status =
        kci_file_writer_put(writer, prefix, sizeof prefix, error);
    if (status == KC_OK) {
        status = kci_file_writer_put(writer, text, length, error);
    }
    kci_free(text);
    return status;
}

/* A dense copy with bool bytes 0 or 1, made only when the view is neither. */
static kc_status_t put_copy(kci_file_writer_t *writer, const DLTensor *view,
                            size_t bytes, kc_error_t *error)
{
    void *memory = NULL;
    int64_t strides[KC_MAX_RANK];
    KC_RETURN_IF_ERROR(kci_alloc_array(bytes, 1, &memory, error));
    DLTensor dense = *view;
    kci_shape_dense_strides(view->ndim, view->shape, strides);
    dense.data = memory;
    dense.byte_offset = 0;
    dense.strides = strides;
    kci_tensor_copy_elements(view, &dense);
    kc_status_t status = kci_file_writer_put(writer, memory, bytes, error);
    kci_free(memory);
    return status;
}

static kc_status_t put_all(kci_file_writer_t *writer, const DLTensor *view,
                           int32_t dtype, kc_error_t *error)
{
    size_t bytes =
        (size_t)kc_tensor_element_count(view) * kci_dtype_size(dtype);
    KC_RETURN_IF_ERROR(put_header(writer, view, dtype, error));
    if (dtype == KC_DTYPE_BOOL || !kci_tensor_is_dense(view)) {
        return put_copy(writer, view, bytes, error);
    }
    return kci_file_writer_put(writer, kc_tensor_data(view), bytes, error);
}

kc_status_t kci_npy_write(const char *path, const DLTensor *view,
                          kc_error_t *error)
{
    kci_file_writer_t writer;
    int32_t dtype = kc_tensor_dtype(view);
    if (dtype < 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: the tensor's element type has no npy name", path);
    }
    KC_RETURN_IF_ERROR(kci_file_writer_begin(&writer, path, error));
    kc_status_t status = put_all(&writer, view, dtype, error);
    if (status != KC_OK) {
        kci_file_writer_abandon(&writer);
        return status;
    }
    return kci_file_writer_commit(&writer, error);
}
