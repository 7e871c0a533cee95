/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce_sum and reduce_mean by ATen. A cotangent goes back to every place it
 * was summed from, by a view that repeats it.
 */
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>

#include "entry.h"

namespace kc_libtorch {

void reduce_sum_forward(call &operands)
{
    const int64_t axis = operands.attributes().axis.axis;
    at::sum_out(operands.output(), operands.input(0), at::IntArrayRef(axis));
}

void reduce_mean_forward(call &operands)
{
    const int64_t axis = operands.attributes().axis.axis;
    at::mean_out(operands.output(), operands.input(0), at::IntArrayRef(axis));
}

namespace {

void repeat(call &operands, at::Tensor &dx)
{
    dx.copy_(operands.cotangent()
                 .unsqueeze(operands.attributes().axis.axis)
                 .expand(dx.sizes()));
}

} // namespace

void reduce_sum_vjp(call &operands)
{
    repeat(operands, operands.gradient(0));
}

/* Times 1 / n, rounded to the element type. */
void reduce_mean_vjp(call &operands)
{
    at::Tensor &dx = operands.gradient(0);
    const int64_t n = dx.size(operands.attributes().axis.axis);
    if (n > 0) {
        repeat(operands, dx);
        dx.mul_(1.0 / static_cast<double>(n));
    }
}

} // namespace kc_libtorch
