/* SPDX-License-Identifier: Apache-2.0
 *
 * max_pool and avg_pool by ATen, smooth_max_pool by loops, which ATen has
 * not. Of two NaN in a window ATen sends the cotangent to the last, the
 * operation to the first, so there the derivative is a loop, too.
 */
#include <ATen/core/DimVector.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/avg_pool2d_backward.h>
#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/avg_pool3d_backward.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_backward.h>
#include <ATen/ops/max_pool3d_with_indices.h>
#include <ATen/ops/max_pool3d_with_indices_backward.h>

#include <cmath>

#include "entry.h"
#include "finite.h"
#include "version.h"
#include "window.h"

namespace kc_libtorch {

namespace {

constexpr int32_t ATEN_AXES = 3;

/* The pool of `planes` planes. `sizes` and `out_sizes` are those for ATen,
 * which has pools of two and three axes: a line is a plane of one row. */
struct pool {
    window slide;
    int64_t planes;
    int64_t in_count;
    int64_t out_count;
    double cells;
    double beta;
    bool by_aten;
    at::DimVector sizes;
    at::DimVector out_sizes;
    at::DimVector kernel;
    at::DimVector stride;
    at::DimVector padding;
};

pool pool_of(const call &operands, const DLTensor &x, const DLTensor &y)
{
    const kc_pool_attributes_t *attributes = &operands.attributes().pool;
    const int32_t axes = (int32_t)attributes->spatial_rank;
    pool p = {};
    p.slide.axes = axes;
    p.planes = product(x.shape, x.ndim - axes);
    p.beta = attributes->beta;
    p.by_aten = axes <= ATEN_AXES;
    p.sizes = p.out_sizes = {p.planes};
    if (axes == 1) {
        p.sizes.push_back(1);
        p.out_sizes.push_back(1);
        p.kernel = p.stride = {1};
        p.padding = {0};
    }
    for (int32_t i = 0; i < axes; i++) {
        p.slide.in[i] = x.shape[x.ndim - axes + i];
        p.slide.out[i] = y.shape[y.ndim - axes + i];
        p.slide.kernel[i] = attributes->kernel[i];
        p.slide.stride[i] = attributes->stride[i];
        p.slide.dilation[i] = 1;
        p.slide.padding[i] = attributes->padding[i];
        p.sizes.push_back(p.slide.in[i]);
        p.out_sizes.push_back(p.slide.out[i]);
        p.kernel.push_back(attributes->kernel[i]);
        p.stride.push_back(attributes->stride[i]);
        p.padding.push_back(attributes->padding[i]);
    }
    p.in_count = product(p.slide.in, axes);
    p.out_count = product(p.slide.out, axes);
    p.cells = (double)product(p.slide.kernel, axes);
    return p;
}

/* What one window does, given its place in the plane: of x and y forward, of
 * x (which may be NULL), the cotangent g of the place and dx backward. */
template <typename real> struct windows {
    static void maximum(const pool &p, const int64_t *place, const real *x,
                        real *y)
    {
        int64_t winner = first_winner(p, place, x);
        *y = x[winner];
    }

    static void maximum_vjp(const pool &p, const int64_t *place, const real *x,
                            real g, real *dx)
    {
        dx[first_winner(p, place, x)] += g;
    }

    static void average(const pool &p, const int64_t *place, const real *x,
                        real *y)
    {
        real sum = 0;
        for_each_tap(p.slide, place, [&](int64_t, int64_t cell) {
            sum += cell < 0 ? 0 : x[cell];
        });
        *y = sum / (real)p.cells;
    }

    static void average_vjp(const pool &p, const int64_t *place, const real *,
                            real g, real *dx)
    {
        const real share = g / (real)p.cells;
        for_each_tap(p.slide, place, [&](int64_t, int64_t cell) {
            if (cell >= 0) {
                dx[cell] += share;
            }
        });
    }

    static void smooth(const pool &p, const int64_t *place, const real *x,
                       real *y)
    {
        const real beta = (real)p.beta;
        const real largest = pivot(p, place, x);
        const real sum = sum_of_terms(p, place, x, largest);
        *y = largest + std::log(sum) * (1 / beta);
    }

    static void smooth_vjp(const pool &p, const int64_t *place, const real *x,
                           real g, real *dx)
    {
        const real largest = pivot(p, place, x);
        const real sum = sum_of_terms(p, place, x, largest);
        for_each_tap(p.slide, place, [&](int64_t, int64_t cell) {
            if (cell >= 0) {
                dx[cell] += g * (term(p, x[cell], largest) / sum);
            }
        });
    }

  private:
    /* The first largest cell, and NaN is larger than any. */
    static int64_t first_winner(const pool &p, const int64_t *place,
                                const real *x)
    {
        int64_t winner = -1;
        for_each_tap(p.slide, place, [&](int64_t, int64_t cell) {
            if (cell >= 0 && (winner < 0 || (!(x[cell] <= x[winner]) &&
                                             x[winner] == x[winner]))) {
                winner = cell;
            }
        });
        return winner;
    }

    /* Padded cells have value 0 and take part. */
    static real pivot(const pool &p, const int64_t *place, const real *x)
    {
        real found = 0;
        for_each_tap(p.slide, place, [&](int64_t tap, int64_t cell) {
            const real value = cell < 0 ? 0 : x[cell];
            if (tap == 0 || (p.beta > 0 ? value > found : value < found)) {
                found = value;
            }
        });
        return found;
    }

    static real term(const pool &p, real value, real pivot_value)
    {
        return std::exp((real)p.beta * (value - pivot_value));
    }

    static real sum_of_terms(const pool &p, const int64_t *place, const real *x,
                             real pivot_value)
    {
        real sum = 0;
        for_each_tap(p.slide, place, [&](int64_t, int64_t cell) {
            sum += term(p, cell < 0 ? 0 : x[cell], pivot_value);
        });
        return sum;
    }
};

template <typename real>
void run_loop(const pool &p, const at::Tensor &x, at::Tensor &y,
              void (*fold)(const pool &, const int64_t *, const real *, real *))
{
    for (int64_t plane = 0; plane < p.planes; plane++) {
        const real *in = x.data_ptr<real>() + plane * p.in_count;
        real *out = y.data_ptr<real>() + plane * p.out_count;
        for_each_place(p.slide, [&](int64_t q, const int64_t *place) {
            fold(p, place, in, out + q);
        });
    }
}

/* x may be undefined, of the rules that do not read it. */
template <typename real>
void run_vjp_loop(const pool &p, const at::Tensor &x, const at::Tensor &g,
                  at::Tensor &dx,
                  void (*spread)(const pool &, const int64_t *, const real *,
                                 real, real *))
{
    dx.zero_();
    for (int64_t plane = 0; plane < p.planes; plane++) {
        const real *in =
            x.defined() ? x.data_ptr<real>() + plane * p.in_count : nullptr;
        const real *from = g.data_ptr<real>() + plane * p.out_count;
        real *to = dx.data_ptr<real>() + plane * p.in_count;
        for_each_place(p.slide, [&](int64_t q, const int64_t *place) {
            spread(p, place, in, from[q], to);
        });
    }
}

#define RUN_LOOP(p, x, y, name)                                                \
    ((x).scalar_type() == at::kDouble                                          \
         ? run_loop<double>(p, x, y, windows<double>::name)                    \
         : run_loop<float>(p, x, y, windows<float>::name))
#define RUN_VJP_LOOP(p, x, g, dx, name)                                        \
    ((g).scalar_type() == at::kDouble                                          \
         ? run_vjp_loop<double>(p, x, g, dx, windows<double>::name)            \
         : run_vjp_loop<float>(p, x, g, dx, windows<float>::name))

/* The largest of each window, and which it is in its plane. */
void find_winners(const pool &p, const at::Tensor &x, at::Tensor &y,
                  at::Tensor &winners)
{
    if (p.slide.axes == ATEN_AXES) {
        at::max_pool3d_with_indices_out(y, winners, x, p.kernel, p.stride,
                                        p.padding, 1, false);
    } else {
        at::max_pool2d_with_indices_out(y, winners, x, p.kernel, p.stride,
                                        p.padding, 1, false);
    }
}

at::Tensor room_for_winners(const at::Tensor &y)
{
    return at::empty_like(y, at::TensorOptions().dtype(at::kLong));
}

void max_pool_vjp_by_aten(const pool &p, const at::Tensor &x,
                          const at::Tensor &g, at::Tensor &dx)
{
    at::Tensor y = at::empty_like(g);
    at::Tensor winners = room_for_winners(g);
    find_winners(p, x, y, winners);
    if (p.slide.axes == ATEN_AXES) {
        at::max_pool3d_with_indices_backward_out(dx, g, x, p.kernel, p.stride,
                                                 p.padding, 1, false, winners);
    } else {
        at::max_pool2d_with_indices_backward_out(dx, g, x, p.kernel, p.stride,
                                                 p.padding, 1, false, winners);
    }
}

/* ATen's avg_pool3d wants planes that hold the kernel without padding. */
bool is_average_by_aten(const pool &p)
{
    bool is_held = true;
    for (int32_t i = 0; i < p.slide.axes; i++) {
        is_held = is_held && p.slide.in[i] >= p.slide.kernel[i];
    }
    return p.by_aten && (is_held || p.slide.axes < ATEN_AXES);
}

/* The operands of a rule. */
struct rule {
    pool p;
    at::Tensor x;
    at::Tensor g;
    at::Tensor dx;
};

rule rule_of(call &operands)
{
    const DLTensor &x = operands.input_view(0);
    const DLTensor &g = operands.cotangent_view();
    const pool p = pool_of(operands, x, g);
    return {p, operands.reshaped(x, p.sizes), operands.reshaped(g, p.out_sizes),
            operands.reshaped(operands.gradient_view(0), p.sizes)};
}

} // namespace

void max_pool_forward(call &operands)
{
    const pool p =
        pool_of(operands, operands.input_view(0), operands.output_view());
    const at::Tensor &x = operands.reshaped(operands.input_view(0), p.sizes);
    at::Tensor &y = operands.reshaped(operands.output_view(), p.out_sizes);
    if (p.by_aten) {
        at::Tensor winners = room_for_winners(y);
        find_winners(p, x, y, winners);
    } else {
        RUN_LOOP(p, x, y, maximum);
    }
}

/* NaN is what the loop is for; infinities are as rare, and easier to ask for
 * along with it. */
void max_pool_vjp(call &operands)
{
    rule r = rule_of(operands);
    if (r.p.by_aten && is_all_finite(r.x)) {
        max_pool_vjp_by_aten(r.p, r.x, r.g, r.dx);
    } else {
        RUN_VJP_LOOP(r.p, r.x, r.g, r.dx, maximum_vjp);
    }
}

void avg_pool_forward(call &operands)
{
    const pool p =
        pool_of(operands, operands.input_view(0), operands.output_view());
    const at::Tensor &x = operands.reshaped(operands.input_view(0), p.sizes);
    at::Tensor &y = operands.reshaped(operands.output_view(), p.out_sizes);
    if (!is_average_by_aten(p)) {
        RUN_LOOP(p, x, y, average);
    } else if (p.slide.axes == ATEN_AXES) {
        at::avg_pool3d_out(y, x, p.kernel, p.stride, p.padding, false, true,
                           {});
    } else {
        at::avg_pool2d_out(y, x, p.kernel, p.stride, p.padding, false, true,
                           {});
    }
}

/* Of x no more than its shape is read, which dx has as well. */
void avg_pool_vjp(call &operands)
{
    const DLTensor &dx_view = operands.gradient_view(0);
    const pool p = pool_of(operands, dx_view, operands.cotangent_view());
    const at::Tensor &g =
        operands.reshaped(operands.cotangent_view(), p.out_sizes);
    at::Tensor &dx = operands.reshaped(dx_view, p.sizes);
    if (!is_average_by_aten(p)) {
        RUN_VJP_LOOP(p, at::Tensor(), g, dx, average_vjp);
    } else if (p.slide.axes == ATEN_AXES) {
        at::avg_pool3d_backward_out(dx, g, dx, p.kernel, p.stride, p.padding,
                                    false, true, {});
    } else {
        at::avg_pool2d_backward_out(dx, g, dx, p.kernel, p.stride, p.padding,
                                    false, true, {});
    }
}

void smooth_max_pool_forward(call &operands)
{
    const pool p =
        pool_of(operands, operands.input_view(0), operands.output_view());
    const at::Tensor &x = operands.reshaped(operands.input_view(0), p.sizes);
    at::Tensor &y = operands.reshaped(operands.output_view(), p.out_sizes);
    RUN_LOOP(p, x, y, smooth);
}

void smooth_max_pool_vjp(call &operands)
{
    rule r = rule_of(operands);
    RUN_VJP_LOOP(r.p, r.x, r.g, r.dx, smooth_vjp);
}

} // namespace kc_libtorch
