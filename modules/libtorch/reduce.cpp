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

void reduce_sum_vjp(call &operands)
{
    at::Tensor &dx = operands.gradient(0);
    dx.copy_(operands.cotangent()
                 .unsqueeze(operands.attributes().axis.axis)
                 .expand(dx.sizes()));
}

/* Times 1 / n, rounded to the element type. */
void reduce_mean_vjp(call &operands)
{
    const DLTensor &x = operands.gradient_view(0);
    const int64_t n = x.shape[operands.attributes().axis.axis];
    if (n > 0) {
        reduce_sum_vjp(operands);
        operands.gradient(0).mul_(1.0 / static_cast<double>(n));
    }
}

} // namespace kc_libtorch
