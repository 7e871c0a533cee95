/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors cross the interface as DLPack views. What a handler may rely on:
 * `strides` is set whenever ndim > 0, counts elements and is non-negative;
 * `data` plus `byte_offset` is the first element and is aligned to the
 * element, no more; extents are >= 0 and the product of the non-zero ones
 * fits int64_t; rank <= KC_MAX_RANK; a tensor with a zero extent may have
 * NULL data; bool bytes are 0 or 1.
 */
#ifndef KCAPSULE_TENSOR_H
#define KCAPSULE_TENSOR_H

#include <dlpack/dlpack.h>
#include <kcapsule/vocabulary.h>

KC_BEGIN_DECLS

/* DLPack's code of a one-byte boolean, absent from versions before 0.8. */
#define KC_DLPACK_BOOL 6

/* Address of the first element. */
static inline void *kc_tensor_data(const DLTensor *tensor)
{
    return tensor->data == NULL
               ? NULL
               : (void *)((char *)tensor->data + tensor->byte_offset);
}

/* Number of elements; 1 for a scalar. The gate has checked the product. */
static inline int64_t kc_tensor_element_count(const DLTensor *tensor)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis < tensor->ndim; axis++) {
        count *= tensor->shape[axis];
    }
    return count;
}

/* The kc_dtype_t of a view, or -1 if the interface has no such type. */
static inline int32_t kc_tensor_dtype(const DLTensor *tensor)
{
    DLDataType type = tensor->dtype;
    if (type.lanes != 1) {
        return -1;
    }
    if (type.code == kDLFloat) {
        return type.bits == 32 ? KC_DTYPE_F32
                               : (type.bits == 64 ? KC_DTYPE_F64 : -1);
    }
    if (type.code == kDLInt) {
        return type.bits == 32 ? KC_DTYPE_I32
                               : (type.bits == 64 ? KC_DTYPE_I64 : -1);
    }
    return type.code == KC_DLPACK_BOOL && type.bits == 8 ? KC_DTYPE_BOOL : -1;
}

KC_END_DECLS

#endif
