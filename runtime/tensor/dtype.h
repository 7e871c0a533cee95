/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types: sizes and the translation to DLPack.
 */
#ifndef KC_TENSOR_DTYPE_H
#define KC_TENSOR_DTYPE_H

#include <stddef.h>
#include <stdint.h>
#include <kcapsule/tensor.h>

/* Bytes of one element of a valid kc_dtype_t. */
size_t kci_dtype_size(int32_t dtype);
DLDataType kci_dtype_to_dlpack(int32_t dtype);

#endif
