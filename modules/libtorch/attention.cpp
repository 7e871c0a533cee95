/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention forward as a composition of ATen's products and softmax; the
 * derivative is the tape's. ATen's own attention is never called: a fully
 * blocked row is NaN there, and a blocked key or value reaches the result.
 */
#include <ATen/core/DimVector.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <cstdint>
#include <limits>

#include "entry.h"
#include "finite.h"
#include "window.h"

namespace kc_libtorch {

namespace {

at::Tensor &matrices(call &operands, const DLTensor &view)
{
    const int32_t lead = view.ndim - 2;
    return operands.reshaped(view, {product(view.shape, lead), view.shape[lead],
                                    view.shape[lead + 1]});
}

at::Tensor number(double value, const at::Tensor &like)
{
    return at::scalar_tensor(value, like.options());
}

/* Which key each query may see: the mask and causality as far as there are
 * any, in a shape that fits [lead..., queries, keys]; undefined if all. */
at::Tensor allowed_keys(call &operands, int64_t queries, int64_t keys)
{
    at::Tensor allowed;
    if (operands.has_input(3)) {
        allowed = operands.input(3);
    }
    if (operands.attributes().attention.causal != 0) {
        const at::Tensor earlier =
            at::ones({queries, keys}, at::TensorOptions(at::kBool)).tril_();
        allowed = allowed.defined() ? allowed.logical_and(earlier) : earlier;
    }
    return allowed;
}

/* The weights of the keys in place of their scores, both [heads, queries,
 * keys]; `spread` is the same with the leading axes as they are. A blocked key
 * is out of the score before anything is made of it. */
void weigh(at::Tensor &scores, at::Tensor &spread, const at::Tensor &allowed)
{
    if (!allowed.defined()) {
        at::_softmax_out(scores, scores, 2, false);
        return;
    }
    const double lowest = -std::numeric_limits<double>::infinity();
    at::where_out(spread, allowed, spread, number(lowest, scores));
    at::_softmax_out(scores, scores, 2, false);
    const at::Tensor any = allowed.dim() == 0 ? allowed : allowed.any(-1, true);
    if (!any.all().item<bool>()) {
        at::where_out(spread, any, spread, number(0, scores));
    }
}

/* Adds what the elements of the values that are not finite give to the
 * queries that may see their key, `weights` and `allowed` being [heads,
 * queries, keys] and contiguous. */
template <typename T>
void add_not_finite(const at::Tensor &weights, const at::Tensor &allowed,
                    const at::Tensor &values, at::Tensor &result)
{
    const int64_t queries = weights.size(1);
    const int64_t keys = weights.size(2);
    const int64_t width = values.size(2);
    const T *weight = weights.data_ptr<T>();
    /* Any byte but 0 is true, which no `bool` may be read from. */
    const auto *may = static_cast<const uint8_t *>(allowed.data_ptr());
    const T *value = values.data_ptr<T>();
    T *sum = result.data_ptr<T>();
    for (int64_t at = 0; at < values.numel(); at++) {
        if (value[at] - value[at] == 0) {
            continue;
        }
        const int64_t key = at / width % keys;
        const int64_t head = at / width / keys;
        for (int64_t row = head * queries; row < (head + 1) * queries; row++) {
            if (may[row * keys + key] != 0) {
                sum[row * width + at % width] +=
                    weight[row * keys + key] * value[at];
            }
        }
    }
}

/* A blocked key has weight 0, and 0 times an infinity or NaN is not 0. */
void sum_values(const at::Tensor &weights, const at::Tensor &spread,
                const at::Tensor &allowed, const at::Tensor &values,
                at::Tensor &result)
{
    if (!allowed.defined() || is_all_finite(values)) {
        at::bmm_out(result, weights, values);
        begin_with_zero(result, weights.size(2));
        return;
    }
    const at::Tensor finite =
        at::where(at::isfinite(values), values, number(0, values));
    at::bmm_out(result, weights, finite);
    begin_with_zero(result, weights.size(2));
    const at::Tensor may =
        allowed.expand(spread.sizes()).contiguous().view(weights.sizes());
    if (values.scalar_type() == at::kDouble) {
        add_not_finite<double>(weights, may, values, result);
    } else {
        add_not_finite<float>(weights, may, values, result);
    }
}

} // namespace

void attention_forward(call &operands)
{
    const DLTensor &q_view = operands.input_view(0);
    const at::Tensor &q = matrices(operands, q_view);
    const at::Tensor &k = matrices(operands, operands.input_view(1));
    const at::Tensor &v = matrices(operands, operands.input_view(2));
    at::Tensor &y = matrices(operands, operands.output_view());
    at::Tensor scores =
        at::empty({q.size(0), q.size(1), k.size(1)}, q.options());
    at::DimVector sizes(q_view.shape, q_view.shape + q_view.ndim);
    sizes.back() = k.size(1);
    at::Tensor spread = scores.view(sizes);
    if (q.size(2) == 0) {
        scores.zero_();
    } else {
        at::bmm_out(scores, q, k.transpose(1, 2));
        scores.mul_(operands.attributes().attention.scale);
    }
    const at::Tensor allowed = allowed_keys(operands, q.size(1), k.size(1));
    weigh(scores, spread, allowed);
    sum_values(scores, spread, allowed, v, y);
}

} // namespace kc_libtorch
