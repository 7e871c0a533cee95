/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors of the host: a DLPack view with its own shape and strides over
 * storage that is shared by count. The same struct is the public handle.
 */
#ifndef KC_TENSOR_TENSOR_H
#define KC_TENSOR_TENSOR_H

#include <stdatomic.h>
#include <kcapsule/tensor.h>
#include "base/host_allocator.h"
#include "tensor/shape.h"

typedef struct kci_storage {
    _Atomic int reference_count;
    kci_host_allocator_t *allocator; /* NULL: memory is the application's */
    void *memory;
    size_t size_bytes;
    void (*release)(void *context); /* for borrowed memory; may be NULL */
    void *release_context;
    kci_host_allocator_t *struct_allocator; /* of this struct itself */
} kci_storage_t;

typedef struct kc_tensor {
    DLTensor view; /* shape and strides point into this struct */
    int64_t shape[KC_MAX_RANK];
    int64_t strides[KC_MAX_RANK];
    kci_storage_t *storage;          /* retained */
    kci_host_allocator_t *allocator; /* of this struct itself */
} kc_tensor_t;

/* Dense, row-major, not initialised, 64-byte aligned. The struct and its
 * storage come from the allocator, which must outlive the tensor. */
KC_MUST_USE kc_status_t kci_tensor_create(kci_host_allocator_t *allocator,
                                          int32_t dtype, int32_t rank,
                                          const int64_t *dims,
                                          kc_tensor_t **out_tensor,
                                          kc_error_t *error);
/* Borrows `data` (dense or with `strides`, which may be NULL) until `release`
 * is called with `release_context` (may be NULL). */
KC_MUST_USE kc_status_t
kci_tensor_wrap(kci_host_allocator_t *allocator, int32_t dtype, int32_t rank,
                const int64_t *dims, const int64_t *strides, void *data,
                void (*release)(void *), void *release_context,
                kc_tensor_t **out_tensor, kc_error_t *error);
/* Another view of the storage of `source`, which is shared, not copied. The
 * view is dense from `source`'s first element on and lies within it; `source`
 * is dense. Its dtype is that of `source`. */
KC_MUST_USE kc_status_t kci_tensor_reshape(const kc_tensor_t *source,
                                           int32_t rank, const int64_t *dims,
                                           kc_tensor_t **out_tensor,
                                           kc_error_t *error);
/* The same view of the same storage, released on its own. */
KC_MUST_USE kc_status_t kci_tensor_share(const kc_tensor_t *source,
                                         kc_tensor_t **out_tensor,
                                         kc_error_t *error);
void kci_tensor_release(kc_tensor_t *tensor); /* accepts NULL */

bool kci_tensor_is_dense(const DLTensor *view);
/* Copies elements of equal dtype and shape between views of any strides,
 * without overlap; bool bytes other than 0 become 1. */
void kci_tensor_copy_elements(const DLTensor *from, DLTensor *to);
/* Of a dense view whose bytes came from elsewhere: bool bytes other than 0
 * become 1. Does nothing to other element types. */
void kci_tensor_normalise_bool(DLTensor *view);

#endif
