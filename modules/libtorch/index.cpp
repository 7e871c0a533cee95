/* SPDX-License-Identifier: Apache-2.0
 *
 * gather and scatter_add by ATen's index_select and index_add, each the
 * derivative of the other. The host has checked every index: ATen finds a bad
 * one only after it has written part of a result.
 */
#include <ATen/ops/index_select.h>

#include "entry.h"

namespace kc_libtorch {

namespace {

/* index_add goes through the indices in ascending order and on one thread;
 * index_put with accumulation does neither. */
void add_slices(call &operands, at::Tensor &sum, const at::Tensor &slices)
{
    if (slices.numel() > 0) {
        sum.index_add_(operands.attributes().axis.axis, operands.input(1),
                       slices);
    }
}

void select_slices(call &operands, const at::Tensor &x, at::Tensor &slices)
{
    at::index_select_out(slices, x, operands.attributes().axis.axis,
                         operands.input(1));
}

} // namespace

void gather_forward(call &operands)
{
    select_slices(operands, operands.input(0), operands.output());
}

void gather_vjp(call &operands)
{
    at::Tensor &dx = operands.gradient(0);
    dx.zero_();
    add_slices(operands, dx, operands.cotangent());
}

void scatter_add_forward(call &operands)
{
    at::Tensor &y = operands.output();
    if (kc_tensor_data(&operands.output_view()) !=
        kc_tensor_data(&operands.input_view(0))) {
        y.copy_(operands.input(0));
    }
    add_slices(operands, y, operands.input(2));
}

void scatter_add_vjp(call &operands)
{
    at::Tensor &g = operands.cotangent();
    if (operands.wants(0)) {
        operands.gradient(0).copy_(g);
    }
    if (operands.wants(2) &&
        kc_tensor_element_count(&operands.gradient_view(2)) > 0) {
        select_slices(operands, g, operands.gradient(2));
    }
}

} // namespace kc_libtorch
