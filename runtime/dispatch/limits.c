/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits made comparable, and what of the operands is compared with them.
 */
#include "dispatch/limits.h"

#include <stddef.h>

#include "base/checked_size.h"

void kci_flat_limits_make(const kc_limits_t *limits,
                          kci_flat_limits_t *out_limits)
{
    bool is_narrow = limits->index_bits != 0 && limits->index_bits < 64;
    *out_limits = (kci_flat_limits_t){
        .dtypes = limits->dtypes != 0 ? limits->dtypes : 1u << KC_DTYPE_F32,
        .ranks = limits->ranks != 0 ? limits->ranks : UINT32_MAX,
        .input_count_max = limits->input_count_max != 0
                               ? limits->input_count_max
                               : KC_MAX_INPUTS,
        .has_size_limits = limits->extent_max != 0 || is_narrow,
        .extent_max = limits->extent_max != 0 ? (int64_t)limits->extent_max
                                              : INT64_MAX,
        .element_max = is_narrow ? (int64_t)INT32_MAX : INT64_MAX};
}

static bool is_readable(const DLTensor *view)
{
    return view->ndim >= 0 && view->ndim <= KC_MAX_RANK &&
           (view->ndim == 0 || view->shape != NULL);
}

static bool add_extents(const DLTensor *view, kci_operand_sizes_t *sizes)
{
    if (!is_readable(view)) {
        return false;
    }
    int64_t count = 1;
    bool has_zero = false;
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        int64_t extent = view->shape[axis];
        has_zero = has_zero || extent == 0;
        if (extent > sizes->extent_max) {
            sizes->extent_max = extent;
        }
        if (!kci_int64_multiply(count, extent, &count)) {
            count = INT64_MAX;
        }
    }
    if (!has_zero && count > sizes->element_max) {
        sizes->element_max = count;
    }
    return true;
}

bool kci_operand_sizes(const DLTensor *const *inputs, size_t input_count,
                       const DLTensor *output, bool with_extents,
                       kci_operand_sizes_t *out_sizes)
{
    const DLTensor *first = input_count > 0 ? inputs[0] : output;
    if (first == NULL || !is_readable(first)) {
        return false;
    }
    *out_sizes = (kci_operand_sizes_t){.dtype = kc_tensor_dtype(first),
                                       .rank = first->ndim,
                                       .input_count = (uint32_t)input_count};
    if (!with_extents) {
        return true;
    }
    for (size_t i = 0; i < input_count; i++) {
        if (inputs[i] != NULL && !add_extents(inputs[i], out_sizes)) {
            return false;
        }
    }
    return output == NULL || add_extents(output, out_sizes);
}
