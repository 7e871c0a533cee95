/* SPDX-License-Identifier: Apache-2.0
 *
 * NumPy's array files, versions 1.0, 2.0 and 3.0: little-endian float32,
 * float64, bool, int32, int64 in row-major order. Column order (of more than
 * one axis that matters), big-endian and object types are refused; data
 * shorter or longer than the shape is an error.
 * Format: numpy.lib.format, NEP 1.
 */
#ifndef KC_TENSOR_NPY_H
#define KC_TENSOR_NPY_H

#include "tensor/tensor.h"

/* `name` is what errors call the bytes. The tensor is owned by the caller. */
KC_MUST_USE kc_status_t kci_npy_parse(kci_host_allocator_t *allocator,
                                      const unsigned char *bytes, size_t size,
                                      const char *name,
                                      kc_tensor_t **out_tensor,
                                      kc_error_t *error);
KC_MUST_USE kc_status_t kci_npy_read(kci_host_allocator_t *allocator,
                                     const char *path, kc_tensor_t **out_tensor,
                                     kc_error_t *error);
/* Version 1.0, header padded to 64 bytes; a strided view is written dense. */
KC_MUST_USE kc_status_t kci_npy_write(const char *path, const DLTensor *view,
                                      kc_error_t *error);

#endif
