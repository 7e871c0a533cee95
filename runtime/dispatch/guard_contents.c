/* SPDX-License-Identifier: Apache-2.0
 *
 * dispatch.index_range, and whether a bool operand is canonical: what only a
 * look at the elements tells, so every call has to look.
 */
#include "dispatch/guard.h"

#include <inttypes.h>
#include <string.h>

#define INDEX_OPERAND 1

typedef struct index_view {
    const char *data;
    int64_t count;
    int64_t step_bytes;
} index_view_t;

/* Position of the first index out of [0, extent), or -1. */
static int64_t find_bad_i32(const index_view_t *view, int64_t extent)
{
    for (int64_t i = 0; i < view->count; i++) {
        int32_t value;
        memcpy(&value, view->data + i * view->step_bytes, sizeof value);
        if (value < 0 || value >= extent) {
            return i;
        }
    }
    return -1;
}

static int64_t find_bad_i64(const index_view_t *view, int64_t extent)
{
    for (int64_t i = 0; i < view->count; i++) {
        int64_t value;
        memcpy(&value, view->data + i * view->step_bytes, sizeof value);
        if (value < 0 || value >= extent) {
            return i;
        }
    }
    return -1;
}

static int64_t index_at(const index_view_t *view, bool is_wide, int64_t place)
{
    const char *from = view->data + place * view->step_bytes;
    int64_t wide = 0;
    int32_t narrow = 0;
    if (is_wide) {
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, from, sizeof narrow);
    return narrow;
}

kc_status_t kci_guard_indices(const kci_operands_t *operands,
                              const kc_attributes_t *attributes,
                              kc_error_t *error)
{
    if (operands->op != KC_OP_GATHER && operands->op != KC_OP_SCATTER_ADD) {
        return KC_OK;
    }
    const DLTensor *indices = operands->inputs[INDEX_OPERAND];
    bool is_wide = kc_tensor_dtype(indices) == KC_DTYPE_I64;
    int64_t step = indices->strides != NULL ? indices->strides[0] : 1;
    index_view_t view = {.data = kc_tensor_data(indices),
                         .count = indices->shape[0],
                         .step_bytes = step * (is_wide ? 8 : 4)};
    int64_t extent = operands->inputs[0]->shape[attributes->u.axis.axis];
    int64_t place =
        is_wide ? find_bad_i64(&view, extent) : find_bad_i32(&view, extent);
    if (place < 0) {
        return KC_OK;
    }
    return kci_guard_fail(KCI_GUARD_INDEX_RANGE, operands, INDEX_OPERAND, error,
                          "expected 0 <= index < %" PRId64 ", found %" PRId64
                          " at position %" PRId64,
                          extent, index_at(&view, is_wide, place), place);
}

bool kci_bool_is_canonical(const DLTensor *view)
{
    const unsigned char *bytes = kc_tensor_data(view);
    size_t count = (size_t)kc_tensor_element_count(view);
    unsigned char seen = 0;
    for (size_t i = 0; i < count; i++) {
        seen |= bytes[i];
    }
    return (seen & ~1u) == 0;
}
