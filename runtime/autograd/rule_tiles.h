/* SPDX-License-Identifier: Apache-2.0
 *
 * How the loops of derivative rules spread over the host's threads, and the
 * little that they all ask of a tensor. The cut follows from shapes alone;
 * items own what they write, so that it never shows in a result.
 */
#ifndef KC_AUTOGRAD_RULE_TILES_H
#define KC_AUTOGRAD_RULE_TILES_H

#include <float.h>
#include <stdbool.h>

#include <kcapsule/call.h>

#if FLT_EVAL_METHOD != 0
#error "the promised bits need arithmetic in the element type (no x87)"
#endif

/* Multiply-adds that are worth waking a thread for. */
#define KCI_RULE_TILE_WORK 16384

static inline size_t kci_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ceil(count / size) */
static inline size_t kci_blocks(size_t count, size_t size)
{
    return count / size + (count % size != 0);
}

/* Runs `tile` over [0, item_count); an item takes about `item_work`
 * multiply-adds. */
KC_MUST_USE static inline kc_status_t
kci_rule_for(const kc_call_t *call, kc_tile_fn tile, void *context,
             size_t item_count, size_t item_work)
{
    size_t tile_size = KCI_RULE_TILE_WORK / (item_work == 0 ? 1 : item_work);
    if (tile_size == 0) {
        tile_size = 1;
    }
    if (item_count == 0) {
        return KC_OK;
    }
    if (item_count <= tile_size) {
        return tile(context, 0, item_count);
    }
    return call->host->parallel_for(call->host, tile, context, item_count,
                                    tile_size);
}

static inline bool kci_is_f64(const DLTensor *tensor)
{
    return tensor->dtype.bits == 64;
}

/* The first element; for a tensor without memory some other address, since
 * nothing may be added to NULL, not even 0. */
static inline void *kci_first_element(const DLTensor *tensor)
{
    return tensor->data == NULL ? (void *)(uintptr_t)tensor
                                : kc_tensor_data(tensor);
}

/* Product of the extents of axes first .. end-1. */
static inline size_t kci_extent(const DLTensor *tensor, int32_t first,
                                int32_t end)
{
    size_t count = 1;
    for (int32_t axis = first; axis < end; axis++) {
        count *= (size_t)tensor->shape[axis];
    }
    return count;
}

#endif
