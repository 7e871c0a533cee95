/* SPDX-License-Identifier: Apache-2.0
 *
 * mse_loss by ATen, forward and backward. The mean of nothing is NaN.
 */
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/mse_loss_backward.h>

#include <limits>

#include "entry.h"

namespace kc_libtorch {

/* ATen would resize the result of nothing. */
void mse_loss_forward(call &operands)
{
    const DLTensor &a = operands.input_view(0);
    need_same_shape(a, operands.input_view(1));
    if (kc_tensor_element_count(&a) == 0) {
        operands.output().fill_(std::numeric_limits<double>::quiet_NaN());
        return;
    }
    at::mse_loss_out(operands.output(), operands.input(0), operands.input(1),
                     at::Reduction::Mean);
}

/* The gradient of b is minus that of a, zeros too: it is that of a, negated,
 * whether that is wanted or not. */
void mse_loss_vjp(call &operands)
{
    for (size_t i = 0; i < 2; i++) {
        if (!operands.wants(i) ||
            kc_tensor_element_count(&operands.gradient_view(i)) == 0) {
            continue;
        }
        at::Tensor &slope = operands.gradient(i);
        at::mse_loss_backward_out(slope, operands.cotangent(),
                                  operands.input(0), operands.input(1),
                                  at::Reduction::Mean);
        if (i == 1) {
            slope.neg_();
        }
    }
}

} // namespace kc_libtorch
