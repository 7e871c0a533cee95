/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul and linear by ATen. Leading axes are put together, so that a product
 * is one mm or one bmm; transposed operands are views. Nothing is scaled and
 * added in one call: baddbmm lets through what a result held before.
 */
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sum.h>

#include "entry.h"

namespace kc_libtorch {

namespace {

int64_t product(const DLTensor &view, int32_t first, int32_t end)
{
    int64_t count = 1;
    for (int32_t axis = first; axis < end; axis++) {
        count *= view.shape[axis];
    }
    return count;
}

/* Of rank 2 or more: [rows, columns], or with [batch] in front. */
at::Tensor &matrices(call &operands, const DLTensor &view)
{
    const int64_t batch = product(view, 0, view.ndim - 2);
    const int64_t rows = view.shape[view.ndim - 2];
    const int64_t columns = view.shape[view.ndim - 1];
    if (batch == 1) {
        return operands.reshaped(view, {rows, columns});
    }
    return operands.reshaped(view, {batch, rows, columns});
}

/* Of rank 1 or more: [rows, columns]. */
at::Tensor &rows_of(call &operands, const DLTensor &view)
{
    const int64_t rows = product(view, 0, view.ndim - 1);
    return operands.reshaped(view, {rows, view.shape[view.ndim - 1]});
}

/* A product of nothing is not computed, one over nothing is zeros. */
void multiply(at::Tensor &out, const at::Tensor &a, const at::Tensor &b)
{
    if (out.numel() == 0) {
        return;
    }
    if (a.numel() == 0) {
        out.zero_();
        return;
    }
    if (a.dim() == 2) {
        at::mm_out(out, a, b);
    } else {
        at::bmm_out(out, a, b);
    }
    begin_with_zero(out, a.size(-1));
}

} // namespace

void matmul_forward(call &operands)
{
    multiply(matrices(operands, operands.output_view()),
             matrices(operands, operands.input_view(0)),
             matrices(operands, operands.input_view(1)));
}

void matmul_vjp(call &operands)
{
    const at::Tensor &g = matrices(operands, operands.cotangent_view());
    const at::Tensor &a = matrices(operands, operands.input_view(0));
    const at::Tensor &b = matrices(operands, operands.input_view(1));
    if (operands.wants(0)) {
        multiply(matrices(operands, operands.gradient_view(0)), g,
                 b.transpose(-2, -1));
    }
    if (operands.wants(1)) {
        multiply(matrices(operands, operands.gradient_view(1)),
                 a.transpose(-2, -1), g);
    }
}

/* The bias is added last, as it is written. */
void linear_forward(call &operands)
{
    at::Tensor &y = rows_of(operands, operands.output_view());
    multiply(y, rows_of(operands, operands.input_view(0)),
             operands.input(1).t());
    if (operands.has_input(2)) {
        y.add_(operands.input(2));
    }
}

void linear_vjp(call &operands)
{
    const at::Tensor &g = rows_of(operands, operands.cotangent_view());
    if (operands.wants(0)) {
        multiply(rows_of(operands, operands.gradient_view(0)), g,
                 operands.input(1));
    }
    if (operands.wants(1)) {
        multiply(operands.gradient(1), g.t(),
                 rows_of(operands, operands.input_view(0)));
    }
    if (operands.wants(2)) {
        at::sum_out(operands.gradient(2), g, at::IntArrayRef({0}));
    }
}

} // namespace kc_libtorch
