/* SPDX-License-Identifier: Apache-2.0
 *
 * How the families of the reference module spread work: small calls run at
 * once, larger ones in tiles whose cut depends on shapes only. Also the
 * little that all of them ask of a tensor.
 */
#ifndef KC_REFERENCE_TILE_H
#define KC_REFERENCE_TILE_H

#include <float.h>

#include <kcapsule/call.h>

#if FLT_EVAL_METHOD != 0
#error "the promised bits need arithmetic in the element type (no x87)"
#endif

/* Before a loop that may write over its input, element by element: gcc then
 * vectorises without asking whether they overlap. clang, which would warn
 * where it cannot, asks at run time. */
#if defined(__GNUC__) && !defined(__clang__)
#define KC_REFERENCE_ELEMENTWISE _Pragma("GCC ivdep")
#else
#define KC_REFERENCE_ELEMENTWISE
#endif

/* Runs `tile` over [0, item_count); `item_work` is about the number of
 * multiply-adds an item takes. Items must not share what they write. */
KC_MUST_USE kc_status_t kc_reference_for(const kc_call_t *call, kc_tile_fn tile,
                                         void *context, size_t item_count,
                                         size_t item_work);

static inline int kc_reference_is_f64(const DLTensor *tensor)
{
    return tensor->dtype.bits == 64;
}

/* The first element. A tensor without elements may have no address, but
 * nothing may be added to NULL, not even 0: then it is any other address. */
static inline void *kc_reference_data(const DLTensor *tensor)
{
    return tensor->data == NULL ? (void *)(uintptr_t)tensor
                                : kc_tensor_data(tensor);
}

/* Product of the extents of axes first .. end-1. */
static inline size_t kc_reference_extent(const DLTensor *tensor, int32_t first,
                                         int32_t end)
{
    size_t count = 1;
    for (int32_t axis = first; axis < end; axis++) {
        count *= (size_t)tensor->shape[axis];
    }
    return count;
}

static inline size_t kc_reference_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ceil(count / size) */
static inline size_t kc_reference_blocks(size_t count, size_t size)
{
    return count / size + (count % size != 0);
}

/* The optional input `idx`, NULL when absent. */
static inline const DLTensor *kc_reference_optional(const kc_call_t *call,
                                                    uint32_t idx)
{
    return idx < call->input_count ? call->inputs[idx] : NULL;
}

#endif
