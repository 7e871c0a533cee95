/* SPDX-License-Identifier: Apache-2.0
 *
 * conv and conv_transpose by ATen where it means the same; by loops where a
 * padded tap times an infinity or NaN would be one, and for more axes than it
 * knows. A transposed convolution is the same sums with other roles.
 */
#include <ATen/core/DimVector.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/sum.h>

#include <array>
#include <tuple>

#include "entry.h"
#include "finite.h"
#include "version.h"
#include "window.h"

namespace kc_libtorch {

namespace {

constexpr int32_t ATEN_AXES = 3;

/* The window slides over the `large` side, one place for each cell of the
 * `small` one: from x to y in conv, from y to x in conv_transpose. Channels
 * are those of one group. */
struct convolution {
    const kc_conv_attributes_t *attributes;
    bool is_transposed;
    window slide;
    int64_t batch;
    int64_t groups;
    int64_t large_channels;
    int64_t small_channels;
    int64_t large_count; /* cells of a channel */
    int64_t small_count;
    int64_t taps;
    at::DimVector x_sizes; /* [batch, channels, spatial...] */
    at::DimVector y_sizes;
};

at::DimVector folded(const DLTensor &t, int32_t axes)
{
    const int32_t channel = t.ndim - axes - 1;
    at::DimVector sizes = {product(t.shape, channel)};
    sizes.insert(sizes.end(), t.shape + channel, t.shape + t.ndim);
    return sizes;
}

convolution convolution_of(const call &operands, const DLTensor &y)
{
    const DLTensor &x = operands.input_view(0);
    const DLTensor &w = operands.input_view(1);
    const int32_t axes = w.ndim - 2;
    convolution c = {};
    c.attributes = &operands.attributes().conv;
    c.is_transposed = operands.raw().op == KC_OP_CONV_TRANSPOSE;
    c.x_sizes = folded(x, axes);
    c.y_sizes = folded(y, axes);
    c.batch = c.x_sizes[0];
    c.groups = c.is_transposed ? 1 : c.attributes->groups;
    c.small_channels = w.shape[0] / c.groups;
    c.large_channels = w.shape[1];
    c.taps = product(w.shape + 2, axes);
    c.slide.axes = axes;
    for (int32_t i = 0; i < axes; i++) {
        const int64_t x_extent = c.x_sizes[2 + (size_t)i];
        const int64_t y_extent = c.y_sizes[2 + (size_t)i];
        c.slide.in[i] = c.is_transposed ? y_extent : x_extent;
        c.slide.out[i] = c.is_transposed ? x_extent : y_extent;
        c.slide.kernel[i] = w.shape[2 + i];
        c.slide.stride[i] = c.attributes->stride[i];
        c.slide.dilation[i] = c.is_transposed ? 1 : c.attributes->dilation[i];
        c.slide.padding[i] = c.attributes->padding[i];
    }
    c.large_count = product(c.slide.in, axes);
    c.small_count = product(c.slide.out, axes);
    return c;
}

/* visit(large, weight, small): all products of the sum, by their indices. */
template <class visit_t>
void for_each_product(const convolution &c, visit_t visit)
{
    const int64_t small_all = c.groups * c.small_channels;
    for (int64_t i = 0; i < c.batch * small_all; i++) {
        const int64_t o = i % small_all;
        const int64_t first = i / small_all * c.groups * c.large_channels +
                              o / c.small_channels * c.large_channels;
        for_each_place(c.slide, [&](int64_t q, const int64_t *place) {
            for (int64_t ic = 0; ic < c.large_channels; ic++) {
                const int64_t large = (first + ic) * c.large_count;
                const int64_t weight = (o * c.large_channels + ic) * c.taps;
                for_each_tap(c.slide, place, [&](int64_t tap, int64_t cell) {
                    if (cell >= 0) {
                        visit(large + cell, weight + tap,
                              i * c.small_count + q);
                    }
                });
            }
        });
    }
}

/* One of the three is written: the sum over the products of the others. */
enum target { TO_LARGE, TO_WEIGHT, TO_SMALL };

template <typename real>
void fold_products(const convolution &c, target to, real *large, real *weight,
                   real *small)
{
    for_each_product(c, [=](int64_t l, int64_t w, int64_t s) {
        if (to == TO_LARGE) {
            large[l] += weight[w] * small[s];
        } else if (to == TO_WEIGHT) {
            weight[w] += large[l] * small[s];
        } else {
            small[s] += large[l] * weight[w];
        }
    });
}

/* Tensors by their place in the operation; one of them is written, and y may
 * be its cotangent. */
struct sides {
    at::Tensor x;
    at::Tensor w;
    at::Tensor y;
};

void fold_by_loops(const convolution &c, target to, sides &t)
{
    at::Tensor &large = c.is_transposed ? t.y : t.x;
    at::Tensor &small = c.is_transposed ? t.x : t.y;
    (to == TO_LARGE ? large : to == TO_SMALL ? small : t.w).zero_();
    if (t.x.numel() == 0 || t.w.numel() == 0 || t.y.numel() == 0) {
        return;
    }
    if (large.scalar_type() == at::kDouble) {
        fold_products(c, to, large.data_ptr<double>(), t.w.data_ptr<double>(),
                      small.data_ptr<double>());
    } else {
        fold_products(c, to, large.data_ptr<float>(), t.w.data_ptr<float>(),
                      small.data_ptr<float>());
    }
}

bool is_padded(const convolution &c)
{
    for (int32_t i = 0; i < c.slide.axes; i++) {
        if (c.attributes->padding[i] != 0 ||
            c.attributes->padding_after[i] != 0) {
            return true;
        }
    }
    return false;
}

bool is_symmetric(const convolution &c)
{
    for (int32_t i = 0; i < c.slide.axes; i++) {
        if (c.attributes->padding[i] != c.attributes->padding_after[i]) {
            return false;
        }
    }
    return true;
}

/* ATen takes the same padding on both sides: what one side has more is put
 * around a copy of x first. */
at::Tensor evened(const convolution &c, const at::Tensor &x,
                  at::DimVector &padding)
{
    const size_t axes = (size_t)c.slide.axes;
    int64_t more[2 * KC_MAX_RANK] = {0}; /* the last axis first */
    padding.resize(axes);
    for (size_t i = 0; i < axes; i++) {
        const int64_t before = c.attributes->padding[i];
        const int64_t after = c.attributes->padding_after[i];
        padding[i] = before < after ? before : after;
        more[2 * (axes - 1 - i)] = before - padding[i];
        more[2 * (axes - 1 - i) + 1] = after - padding[i];
    }
    return c.is_transposed || is_symmetric(c)
               ? x
               : at::constant_pad_nd(x, at::IntArrayRef(more, 2 * axes));
}

at::IntArrayRef per_axis(const convolution &c, const int64_t *values)
{
    return at::IntArrayRef(values, (size_t)c.slide.axes);
}

/* ATen refuses what has no elements, of which a sum is zero, and more axes. */
bool is_beyond_aten(const convolution &c, const sides &t)
{
    return c.slide.axes > ATEN_AXES || t.x.numel() == 0 || t.w.numel() == 0;
}

void forward_by_aten(const convolution &c, sides &t, const at::Tensor &bias)
{
    static const int64_t zeros[KC_MAX_RANK] = {0};
    at::DimVector padding;
    const at::Tensor x = evened(c, t.x, padding);
    at::convolution_out(t.y, x, t.w, bias, per_axis(c, c.slide.stride), padding,
                        per_axis(c, c.slide.dilation), c.is_transposed,
                        per_axis(c, zeros), c.groups);
}

void add_bias(const at::Tensor &bias, at::Tensor &y)
{
    if (bias.defined()) {
        at::DimVector sizes((size_t)y.dim(), 1);
        sizes[1] = bias.numel();
        y.add_(bias.view(sizes));
    }
}

/* The cotangents of x and the weight, those that are wanted. */
void backward_by_aten(const convolution &c, const sides &t, at::Tensor &dx,
                      at::Tensor &dw)
{
    static const int64_t zeros[KC_MAX_RANK] = {0};
    at::DimVector padding;
    const at::Tensor x = evened(c, t.x, padding);
    const auto found = at::convolution_backward(
        t.y, x, t.w, {}, per_axis(c, c.slide.stride), padding,
        per_axis(c, c.slide.dilation), c.is_transposed, per_axis(c, zeros),
        c.groups, std::array<bool, 3>{{dx.defined(), dw.defined(), false}});
    if (dx.defined()) {
        at::Tensor inner = std::get<0>(found);
        for (int32_t i = 0; i < c.slide.axes; i++) {
            const int64_t before = c.attributes->padding[i];
            inner = inner.narrow(2 + i, before - padding[(size_t)i],
                                 dx.size(2 + i));
        }
        dx.copy_(inner);
    }
    if (dw.defined()) {
        dw.copy_(std::get<1>(found));
    }
}

void backward_by_loops(const convolution &c, const sides &t,
                       const at::Tensor &dx, const at::Tensor &dw)
{
    if (dx.defined()) {
        sides to_x = {dx, t.w, t.y};
        fold_by_loops(c, c.is_transposed ? TO_SMALL : TO_LARGE, to_x);
    }
    if (dw.defined()) {
        sides to_w = {t.x, dw, t.y};
        fold_by_loops(c, TO_WEIGHT, to_w);
    }
}

bool is_leaky_backward(const convolution &c, const sides &t)
{
    return is_padded(c) &&
           !(is_all_finite(t.x) && is_all_finite(t.w) && is_all_finite(t.y));
}

void differentiate(const convolution &c, const sides &t, at::Tensor &dx,
                   at::Tensor &dw)
{
    if (!dx.defined() && !dw.defined()) {
        return;
    }
    if (is_beyond_aten(c, t) || is_leaky_backward(c, t)) {
        backward_by_loops(c, t, dx, dw);
    } else {
        backward_by_aten(c, t, dx, dw);
    }
}

} // namespace

void conv_forward(call &operands)
{
    const convolution c = convolution_of(operands, operands.output_view());
    sides t = {operands.reshaped(operands.input_view(0), c.x_sizes),
               operands.input(1),
               operands.reshaped(operands.output_view(), c.y_sizes)};
    at::Tensor bias;
    if (operands.has_input(2)) {
        bias = operands.input(2);
    }
    /* A transposed convolution only drops what its padding cuts off. */
    const bool is_leaky =
        !c.is_transposed && is_padded(c) && !is_all_finite(t.w);
    if (is_beyond_aten(c, t) || is_leaky) {
        fold_by_loops(c, c.is_transposed ? TO_LARGE : TO_SMALL, t);
        add_bias(bias, t.y);
    } else {
        forward_by_aten(c, t, bias);
    }
}

void conv_vjp(call &operands)
{
    const convolution c = convolution_of(operands, operands.cotangent_view());
    const sides t = {operands.reshaped(operands.input_view(0), c.x_sizes),
                     operands.input(1),
                     operands.reshaped(operands.cotangent_view(), c.y_sizes)};
    at::Tensor dx;
    at::Tensor dw;
    if (operands.wants(0)) {
        dx = operands.reshaped(operands.gradient_view(0), c.x_sizes);
    }
    if (operands.wants(1)) {
        dw = operands.gradient(1);
    }
    differentiate(c, t, dx, dw);
    if (operands.wants(2)) {
        at::sum_out(operands.gradient(2), t.y.flatten(2),
                    at::IntArrayRef({0, 2}));
    }
}

/* The same two, told apart by the operation of the call. */
void conv_transpose_forward(call &operands)
{
    conv_forward(operands);
}

void conv_transpose_vjp(call &operands)
{
    conv_vjp(operands);
}

} // namespace kc_libtorch
