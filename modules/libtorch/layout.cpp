/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of views. concat copies piece by piece: ATen's cat leaves out pieces
 * without elements and refuses pieces without axes.
 */
#include <ATen/ops/sum.h>

#include "entry.h"

namespace kc_libtorch {

namespace {

/* The axes of the target that broadcasting made, and x's shape with an axis
 * of 1 for each that it added. */
struct expansion {
    c10::SmallVector<int64_t, KC_MAX_RANK> axes;
    c10::SmallVector<int64_t, KC_MAX_RANK> kept;
};

expansion expansion_of(at::IntArrayRef x, at::IntArrayRef target)
{
    expansion found;
    const size_t added = target.size() - x.size();
    for (size_t axis = 0; axis < target.size(); axis++) {
        const int64_t extent = axis < added ? 1 : x[axis - added];
        found.kept.push_back(extent);
        if (axis < added || (extent == 1 && target[axis] != 1)) {
            found.axes.push_back(static_cast<int64_t>(axis));
        }
    }
    return found;
}

at::IntArrayRef permutation(const call &operands)
{
    const kc_permute_attributes_t &permute = operands.attributes().permute;
    return {permute.perm, static_cast<size_t>(permute.rank)};
}

} // namespace

void reshape_forward(call &operands)
{
    const DLTensor &out = operands.output_view();
    operands.output().copy_(
        operands.reshaped(operands.input_view(0), sizes_of(out)));
}

void reshape_vjp(call &operands)
{
    const DLTensor &out = operands.gradient_view(0);
    operands.gradient(0).copy_(
        operands.reshaped(operands.cotangent_view(), sizes_of(out)));
}

void permute_forward(call &operands)
{
    operands.output().copy_(operands.input(0).permute(permutation(operands)));
}

void permute_vjp(call &operands)
{
    const at::IntArrayRef perm = permutation(operands);
    int64_t inverse[KC_MAX_RANK] = {0};
    for (size_t axis = 0; axis < perm.size(); axis++) {
        inverse[static_cast<size_t>(perm[axis])] = static_cast<int64_t>(axis);
    }
    operands.gradient(0).copy_(
        operands.cotangent().permute({inverse, perm.size()}));
}

void broadcast_forward(call &operands)
{
    operands.output().copy_(
        operands.input(0).expand(sizes_of(operands.output_view())));
}

void broadcast_vjp(call &operands)
{
    const DLTensor &out = operands.gradient_view(0);
    const expansion found =
        expansion_of(sizes_of(out), sizes_of(operands.cotangent_view()));
    at::Tensor &sum = operands.reshaped(out, found.kept);
    if (found.axes.empty()) {
        sum.copy_(operands.cotangent());
    } else {
        at::sum_out(sum, operands.cotangent(), found.axes, true);
    }
}

void concat_forward(call &operands)
{
    const int64_t axis = operands.attributes().axis.axis;
    at::Tensor &out = operands.output();
    int64_t start = 0;
    for (size_t index = 0; index < operands.input_count(); index++) {
        const int64_t extent = operands.input_view(index).shape[axis];
        if (extent > 0) {
            out.narrow(axis, start, extent).copy_(operands.input(index));
        }
        start += extent;
    }
}

void concat_vjp(call &operands)
{
    const int64_t axis = operands.attributes().axis.axis;
    const at::Tensor &g = operands.cotangent();
    int64_t start = 0;
    for (size_t index = 0; index < operands.input_count(); index++) {
        const int64_t extent = operands.input_view(index).shape[axis];
        if (operands.wants(index) && extent > 0) {
            operands.gradient(index).copy_(g.narrow(axis, start, extent));
        }
        start += extent;
    }
}

void slice_forward(call &operands)
{
    const kc_slice_attributes_t &slice = operands.attributes().slice;
    operands.output().copy_(
        operands.input(0).narrow(slice.axis, slice.start, slice.length));
}

void slice_vjp(call &operands)
{
    const kc_slice_attributes_t &slice = operands.attributes().slice;
    at::Tensor &out = operands.gradient(0);
    out.zero_();
    out.narrow(slice.axis, slice.start, slice.length)
        .copy_(operands.cotangent());
}

} // namespace kc_libtorch
