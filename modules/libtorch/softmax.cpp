/* SPDX-License-Identifier: Apache-2.0
 *
 * softmax, log_softmax and hard_masked_softmax by ATen, forward and
 * backward. Blocked entries are set aside by loops around it: ATen's own
 * masked softmax has the other polarity and NaN where all is blocked.
 */
#include <ATen/ops/_log_softmax.h>
#include <ATen/ops/_log_softmax_backward_data.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>

#include <limits>

#include "entry.h"

namespace kc_libtorch {

void softmax_forward(call &operands)
{
    at::_softmax_out(operands.output(), operands.input(0),
                     operands.attributes().axis.axis, false);
}

void softmax_vjp(call &operands)
{
    at::Tensor &dx = operands.gradient(0);
    at::_softmax_backward_data_out(dx, operands.cotangent(), operands.output(),
                                   operands.attributes().axis.axis,
                                   dx.scalar_type());
}

void log_softmax_forward(call &operands)
{
    at::_log_softmax_out(operands.output(), operands.input(0),
                         operands.attributes().axis.axis, false);
}

void log_softmax_vjp(call &operands)
{
    at::Tensor &dx = operands.gradient(0);
    at::_log_softmax_backward_data_out(
        dx, operands.cotangent(), operands.output(),
        operands.attributes().axis.axis, dx.scalar_type());
}

namespace {

/* out = value where it is allowed, `blocked` elsewhere; out may be value. */
template <typename real>
void select(const DLTensor &mask, const real *value, real blocked, real *out)
{
    const auto *allowed = elements<uint8_t>(mask);
    const int64_t count = kc_tensor_element_count(&mask);
    for (int64_t i = 0; i < count; i++) {
        out[i] = allowed[i] != 0 ? value[i] : blocked;
    }
}

} // namespace

/* A row without any allowed entry is all -inf between, and NaN after softmax:
 * the second selection makes zeros of it. */
void hard_masked_softmax_forward(call &operands)
{
    const DLTensor &x = operands.input_view(0);
    const DLTensor &mask = operands.input_view(1);
    at::Tensor &y = operands.output();
    by_type(x, [&](auto zero) {
        using real = decltype(zero);
        real *out = writable<real>(operands.output_view());
        select(mask, elements<real>(x), -std::numeric_limits<real>::infinity(),
               out);
        at::_softmax_out(y, y, x.ndim - 1, false);
        select(mask, out, zero, out);
    });
}

/* What the cotangent holds at blocked entries never enters a row's sum. */
void hard_masked_softmax_vjp(call &operands)
{
    const DLTensor &g = operands.cotangent_view();
    const DLTensor &mask = operands.input_view(1);
    at::Tensor &dx = operands.gradient(0);
    at::Tensor &y = operands.output();
    by_type(g, [&](auto zero) {
        using real = decltype(zero);
        real *out = writable<real>(operands.gradient_view(0));
        select(mask, elements<real>(g), zero, out);
        at::_softmax_backward_data_out(dx, dx, y, g.ndim - 1, dx.scalar_type());
        select(mask, out, zero, out);
    });
}

} // namespace kc_libtorch
