/* SPDX-License-Identifier: Apache-2.0
 *
 * mse_loss by ATen, forward and backward. The mean of nothing is NaN.
 */
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/mse_loss_backward.h>

#include "entry.h"

namespace kc_libtorch {

/* mse_loss_out gives its result the shape of the operands on the way, and so
 * memory of its own: the value is taken from the other form. */
void mse_loss_forward(call &operands)
{
    need_same_shape(operands.input_view(0), operands.input_view(1));
    const at::Tensor loss =
        at::mse_loss(operands.input(0), operands.input(1), at::Reduction::Mean);
    by_type(operands.output_view(), [&](auto zero) {
        using real = decltype(zero);
        *writable<real>(operands.output_view()) = *loss.data_ptr<real>();
    });
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
