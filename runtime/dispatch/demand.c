/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the numbers of a demand off tensors, also of tensors that are not
 * well formed.
 */
#include "dispatch/demand.h"

#include "base/checked_size.h"

static bool is_readable(const DLTensor *view)
{
    return view->ndim >= 0 && view->ndim <= KC_MAX_RANK &&
           (view->ndim == 0 || view->shape != NULL);
}

static bool add_extents(const DLTensor *view, kci_demand_t *demand)
{
    if (!is_readable(view)) {
        return false;
    }
    int64_t count = 1;
    bool has_zero = false;
    for (int32_t axis = 0; axis < view->ndim; axis++) {
        int64_t extent = view->shape[axis];
        if (extent < 0) {
            return false;
        }
        has_zero = has_zero || extent == 0;
        if (extent > demand->extent_max) {
            demand->extent_max = extent;
        }
        if (extent > 0 && !kci_int64_multiply(count, extent, &count)) {
            count = INT64_MAX;
        }
    }
    if (!has_zero && count > demand->element_max) {
        demand->element_max = count;
    }
    return true;
}

bool kci_operand_demand(int32_t op, const DLTensor *const *inputs,
                        size_t input_count, const DLTensor *output,
                        bool with_extents, kci_demand_t *out_demand)
{
    const DLTensor *first = input_count > 0 ? inputs[0] : output;
    if (first == NULL || !is_readable(first)) {
        return false;
    }
    int32_t dtype = kc_tensor_dtype(first);
    *out_demand = (kci_demand_t){.op = (int16_t)op,
                                 .dtype = (int8_t)dtype,
                                 .rank = (int8_t)first->ndim,
                                 .input_count = (uint8_t)input_count,
                                 .is_bound = 1};
    if (dtype < 0) {
        return false;
    }
    for (size_t i = 0; with_extents && i < input_count; i++) {
        if (inputs[i] != NULL && !add_extents(inputs[i], out_demand)) {
            return false;
        }
    }
    return !with_extents || output == NULL || add_extents(output, out_demand);
}
