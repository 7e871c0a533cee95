/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors of the host: who owns what. A tensor is made whole or not at all,
 * and the last tensor of a storage gives its memory back.
 */
#include "tensor/tensor.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked_size.h"
#include "base/error.h"
#include "tensor/dtype.h"

/* A cache line and the widest vector register. */
#define DATA_ALIGNMENT 64

static kc_status_t check_description(int32_t dtype, int32_t rank,
                                     const int64_t *dims, size_t *out_bytes,
                                     kc_error_t *error)
{
    int64_t count = 0;
    if (kci_dtype_size(dtype) == 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "tensor: %" PRId32 " is not an element type", dtype);
    }
    KC_RETURN_IF_ERROR(kci_shape_check(rank, dims, "tensor", &count, error));
    if ((uint64_t)count > SIZE_MAX ||
        !kci_size_multiply((size_t)count, kci_dtype_size(dtype), out_bytes)) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "tensor: too many elements: %" PRId64
                        " of %zu bytes cannot be addressed",
                        count, kci_dtype_size(dtype));
    }
    return KC_OK;
}

static void describe(kc_tensor_t *tensor, int32_t dtype, int32_t rank,
                     const int64_t *dims, const int64_t *strides)
{
    for (int32_t axis = 0; axis < rank; axis++) {
        tensor->shape[axis] = dims[axis];
    }
    kci_shape_dense_strides(rank, dims, tensor->strides);
    for (int32_t axis = 0; strides != NULL && axis < rank; axis++) {
        tensor->strides[axis] = strides[axis];
    }
    tensor->view = (DLTensor){
        .data = tensor->storage->memory,
        .device = {kDLCPU, 0},
        .ndim = rank,
        .dtype = kci_dtype_to_dlpack(dtype),
        .shape = tensor->shape,
        .strides = tensor->strides,
        .byte_offset = 0,
    };
}

/* A tensor and a storage without memory, one reference each. */
static kc_status_t allocate_pair(kci_host_allocator_t *allocator,
                                 kc_tensor_t **out_tensor, kc_error_t *error)
{
    void *tensor = NULL;
    void *storage = NULL;
    KC_RETURN_IF_ERROR(kci_host_allocate(
        allocator, sizeof(kc_tensor_t), _Alignof(kc_tensor_t), &tensor, error));
    kc_status_t status =
        kci_host_allocate(allocator, sizeof(kci_storage_t),
                          _Alignof(kci_storage_t), &storage, error);
    if (status != KC_OK) {
        kci_host_deallocate(allocator, tensor, sizeof(kc_tensor_t));
        return status;
    }
    memset(tensor, 0, sizeof(kc_tensor_t));
    memset(storage, 0, sizeof(kci_storage_t));
    kc_tensor_t *pair = tensor;
    pair->allocator = allocator;
    pair->storage = storage;
    pair->storage->struct_allocator = allocator;
    atomic_init(&pair->storage->reference_count, 1);
    *out_tensor = pair;
    return KC_OK;
}

kc_status_t kci_tensor_create(kci_host_allocator_t *allocator, int32_t dtype,
                              int32_t rank, const int64_t *dims,
                              kc_tensor_t **out_tensor, kc_error_t *error)
{
    size_t bytes = 0;
    kc_tensor_t *tensor = NULL;
    KC_RETURN_IF_ERROR(check_description(dtype, rank, dims, &bytes, error));
    KC_RETURN_IF_ERROR(allocate_pair(allocator, &tensor, error));
    void *memory = NULL;
    kc_status_t status =
        kci_host_allocate(allocator, bytes, DATA_ALIGNMENT, &memory, error);
    if (status != KC_OK) {
        kci_tensor_release(tensor);
        return status;
    }
    tensor->storage->allocator = allocator;
    tensor->storage->memory = memory;
    tensor->storage->size_bytes = bytes;
    describe(tensor, dtype, rank, dims, NULL);
    *out_tensor = tensor;
    return KC_OK;
}

/* Bytes from the first element to the end of the last one. */
static kc_status_t check_strides(int32_t dtype, int32_t rank,
                                 const int64_t *dims, const int64_t *strides,
                                 size_t *in_out_bytes, kc_error_t *error)
{
    int64_t last = 0;
    int64_t bytes = 0;
    bool is_empty = *in_out_bytes == 0;
    for (int32_t axis = 0; axis < rank; axis++) {
        int64_t reach = 0;
        if (strides[axis] < 0) {
            return kci_fail(error, KC_ERR_ARGUMENT,
                            "tensor: expected a stride >= 0 on axis %" PRId32
                            ", found %" PRId64,
                            axis, strides[axis]);
        }
        if (!is_empty &&
            (!kci_int64_multiply(dims[axis] - 1, strides[axis], &reach) ||
             !kci_int64_add(last, reach, &last))) {
            return kci_fail(error, KC_ERR_ARGUMENT,
                            "tensor: the strides reach beyond what 64 bits "
                            "address");
        }
    }
    if (is_empty) {
        return KC_OK;
    }
    if (!kci_int64_add(last, 1, &last) ||
        !kci_int64_multiply(last, (int64_t)kci_dtype_size(dtype), &bytes)) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "tensor: the strides reach beyond what 64 bits "
                        "address");
    }
    *in_out_bytes = (size_t)bytes;
    return KC_OK;
}

static kc_status_t check_data(const void *data, int32_t dtype, size_t bytes,
                              kc_error_t *error)
{
    if (bytes == 0) {
        return KC_OK;
    }
    if (data == NULL) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "tensor: expected %zu bytes of data, found NULL",
                        bytes);
    }
    if ((uintptr_t)data % kci_dtype_size(dtype) != 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "tensor: expected data aligned to %zu bytes",
                        kci_dtype_size(dtype));
    }
    return KC_OK;
}

kc_status_t kci_tensor_wrap(kci_host_allocator_t *allocator, int32_t dtype,
                            int32_t rank, const int64_t *dims,
                            const int64_t *strides, void *data,
                            void (*release)(void *), void *release_context,
                            kc_tensor_t **out_tensor, kc_error_t *error)
{
    size_t bytes = 0;
    kc_tensor_t *tensor = NULL;
    KC_RETURN_IF_ERROR(check_description(dtype, rank, dims, &bytes, error));
    if (strides != NULL) {
        KC_RETURN_IF_ERROR(
            check_strides(dtype, rank, dims, strides, &bytes, error));
    }
    KC_RETURN_IF_ERROR(check_data(data, dtype, bytes, error));
    KC_RETURN_IF_ERROR(allocate_pair(allocator, &tensor, error));
    tensor->storage->memory = data;
    tensor->storage->size_bytes = bytes;
    tensor->storage->release = release;
    tensor->storage->release_context = release_context;
    describe(tensor, dtype, rank, dims, strides);
    *out_tensor = tensor;
    return KC_OK;
}

/* A struct of its own over the storage of `source`. */
static kc_status_t share_storage(const kc_tensor_t *source, int32_t dtype,
                                 int32_t rank, const int64_t *dims,
                                 const int64_t *strides,
                                 kc_tensor_t **out_tensor, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_host_allocate(source->allocator, sizeof(kc_tensor_t),
                                         _Alignof(kc_tensor_t), &memory,
                                         error));
    memset(memory, 0, sizeof(kc_tensor_t));
    kc_tensor_t *tensor = memory;
    tensor->allocator = source->allocator;
    tensor->storage = source->storage;
    atomic_fetch_add(&tensor->storage->reference_count, 1);
    describe(tensor, dtype, rank, dims, strides);
    tensor->view.byte_offset = source->view.byte_offset;
    *out_tensor = tensor;
    return KC_OK;
}

kc_status_t kci_tensor_reshape(const kc_tensor_t *source, int32_t rank,
                               const int64_t *dims, kc_tensor_t **out_tensor,
                               kc_error_t *error)
{
    size_t bytes = 0;
    int32_t dtype = kc_tensor_dtype(&source->view);
    KC_RETURN_IF_ERROR(check_description(dtype, rank, dims, &bytes, error));
    size_t available =
        (size_t)kc_tensor_element_count(&source->view) * kci_dtype_size(dtype);
    if (!kci_tensor_is_dense(&source->view) || bytes > available) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "tensor: expected a dense tensor of at least %zu "
                        "bytes to reshape, found %zu",
                        bytes, available);
    }
    return share_storage(source, dtype, rank, dims, NULL, out_tensor, error);
}

kc_status_t kci_tensor_share(const kc_tensor_t *source,
                             kc_tensor_t **out_tensor, kc_error_t *error)
{
    return share_storage(source, kc_tensor_dtype(&source->view),
                         source->view.ndim, source->shape, source->strides,
                         out_tensor, error);
}

static void release_storage(kci_storage_t *storage)
{
    if (atomic_fetch_sub(&storage->reference_count, 1) != 1) {
        return;
    }
    if (storage->allocator != NULL) {
        kci_host_deallocate(storage->allocator, storage->memory,
                            storage->size_bytes);
    } else if (storage->release != NULL) {
        storage->release(storage->release_context);
    }
    kci_host_deallocate(storage->struct_allocator, storage,
                        sizeof(kci_storage_t));
}

void kci_tensor_release(kc_tensor_t *tensor)
{
    if (tensor == NULL) {
        return;
    }
    kci_host_allocator_t *allocator = tensor->allocator;
    release_storage(tensor->storage);
    kci_host_deallocate(allocator, tensor, sizeof(kc_tensor_t));
}
