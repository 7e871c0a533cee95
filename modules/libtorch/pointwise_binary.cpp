/* SPDX-License-Identifier: Apache-2.0
 *
 * add, sub, mul by ATen; max and min by loops, since ATen takes either of two
 * equal zeros and gives both sides the whole of a gradient where one is NaN.
 * ATen would broadcast, so shapes are compared first.
 */
#include <ATen/ops/add.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/sub.h>

#include "entry.h"
#include "extremum.h"

namespace kc_libtorch {

namespace {

void need_operands(const call &operands)
{
    need_same_shape(operands.input_view(0), operands.input_view(1));
    need_same_shape(operands.input_view(0), operands.output_view());
}

template <typename F> void each_pair(call &operands, F &&value)
{
    need_operands(operands);
    const DLTensor &view = operands.output_view();
    by_type(view, [&](auto zero) {
        using T = decltype(zero);
        const T *a = elements<T>(operands.input_view(0));
        const T *b = elements<T>(operands.input_view(1));
        T *y = writable<T>(view);
        const int64_t count = kc_tensor_element_count(&view);
        for (int64_t i = 0; i < count; i++) {
            y[i] = value(a[i], b[i]);
        }
    });
}

/* g to the side that was taken, half of it to each where neither was. `side`
 * tells whether the first of two is the one. */
template <typename F> void route(call &operands, size_t index, F &&side)
{
    if (!operands.wants(index)) {
        return;
    }
    const DLTensor &view = operands.gradient_view(index);
    need_same_shape(view, operands.cotangent_view());
    by_type(view, [&](auto zero) {
        using T = decltype(zero);
        const T *own = elements<T>(operands.input_view(index));
        const T *other = elements<T>(operands.input_view(1 - index));
        const T *g = elements<T>(operands.cotangent_view());
        T *out = writable<T>(view);
        const int64_t count = kc_tensor_element_count(&view);
        for (int64_t i = 0; i < count; i++) {
            if (side(own[i], other[i])) {
                out[i] = g[i];
            } else if (side(other[i], own[i])) {
                out[i] = 0;
            } else {
                out[i] = g[i] / 2;
            }
        }
    });
}

} // namespace

void add_forward(call &operands)
{
    need_operands(operands);
    at::add_out(operands.output(), operands.input(0), operands.input(1));
}

void add_vjp(call &operands)
{
    for (size_t index = 0; index < 2; index++) {
        if (operands.wants(index)) {
            operands.gradient(index).copy_(operands.cotangent());
        }
    }
}

void sub_forward(call &operands)
{
    need_operands(operands);
    at::sub_out(operands.output(), operands.input(0), operands.input(1));
}

void sub_vjp(call &operands)
{
    if (operands.wants(0)) {
        operands.gradient(0).copy_(operands.cotangent());
    }
    if (operands.wants(1)) {
        at::neg_out(operands.gradient(1), operands.cotangent());
    }
}

void mul_forward(call &operands)
{
    need_operands(operands);
    at::mul_out(operands.output(), operands.input(0), operands.input(1));
}

void mul_vjp(call &operands)
{
    for (size_t index = 0; index < 2; index++) {
        if (operands.wants(index)) {
            at::mul_out(operands.gradient(index), operands.cotangent(),
                        operands.input(1 - index));
        }
    }
}

void max_forward(call &operands)
{
    each_pair(operands, [](auto a, auto b) { return larger(a, b); });
}

void max_vjp(call &operands)
{
    auto side = [](auto own, auto other) { return own > other; };
    route(operands, 0, side);
    route(operands, 1, side);
}

void min_forward(call &operands)
{
    each_pair(operands, [](auto a, auto b) { return smaller(a, b); });
}

void min_vjp(call &operands)
{
    auto side = [](auto own, auto other) { return own < other; };
    route(operands, 0, side);
    route(operands, 1, side);
}

} // namespace kc_libtorch
