/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of one operand. The derivatives that select (abs, clamp, relu)
 * are loops: ATen multiplies by 0 or 1, and its clamp and relu differ at the
 * bounds and at NaN.
 */
#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/div.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/erfc.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/log.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sigmoid_backward.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/softplus_backward.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tanh_backward.h>

#include <cmath>

#include "entry.h"
#include "extremum.h"

namespace kc_libtorch {

namespace {

/* `value` rounded once to the element type of `view`. */
double rounded(const DLTensor &view, double value)
{
    return kc_tensor_dtype(&view) == KC_DTYPE_F32
               ? static_cast<double>(static_cast<float>(value))
               : value;
}

/* From here on log(1 + e^x) is x to the last bit. */
double softplus_threshold(const DLTensor &view)
{
    return kc_tensor_dtype(&view) == KC_DTYPE_F32 ? 20 : 40;
}

const char *gelu_form(const call &operands)
{
    return operands.attributes().gelu.approximate == KC_GELU_ERF ? "none"
                                                                 : "tanh";
}

template <typename T>
void mend_sigmoid(T *y, const T *x, int64_t count, T below)
{
    for (int64_t i = 0; i < count; i++) {
        if (x[i] < below) {
            y[i] = std::exp(x[i]);
        }
    }
}

/* 1 / (1 + e^-x) by ATen, which loses the result where e^-x leaves the type
 * before it: far below 0, where it is e^x to the last bit. */
void sigmoid_into(at::Tensor &out, const at::Tensor &x)
{
    at::sigmoid_out(out, x);
    if (x.scalar_type() == at::kFloat) {
        mend_sigmoid(out.data_ptr<float>(), x.data_ptr<float>(), x.numel(),
                     -20.0F);
    } else {
        mend_sigmoid(out.data_ptr<double>(), x.data_ptr<double>(), x.numel(),
                     -40.0);
    }
}

/* x sigmoid(2u), which is x/2 (1 + tanh u) without its cancellation. */
at::Tensor gelu_tanh(const at::Tensor &x)
{
    at::Tensor twice_u = at::mul(x, x);
    twice_u.mul_(x);
    twice_u.mul_(0.044715);
    twice_u.add_(x);
    twice_u.mul_(2 * std::sqrt(2 / std::acos(-1.0)));
    at::Tensor y = at::empty_like(x);
    sigmoid_into(y, twice_u);
    y.mul_(x);
    return y;
}

/* x/2 erfc(-x / sqrt 2), which is x/2 (1 + erf(x / sqrt 2)) without its
 * cancellation. */
at::Tensor gelu_erf(const at::Tensor &x)
{
    at::Tensor y = at::mul(x, at::scalar_tensor(-std::sqrt(0.5), x.options()));
    y.erfc_();
    y.mul_(x);
    y.mul_(0.5);
    return y;
}

/* In double whatever the element type is: what these functions are composed
 * of may be off by more ulp of the result than of itself. */
at::Tensor widened(const at::Tensor &x)
{
    return x.to(at::kDouble);
}

/* Element by element: what `rule` makes of x and g. */
template <typename F> void select(call &operands, F &&rule)
{
    const DLTensor &view = operands.gradient_view(0);
    need_same_shape(view, operands.cotangent_view());
    by_type(view, [&](auto zero) {
        using T = decltype(zero);
        const T *x = elements<T>(operands.input_view(0));
        const T *g = elements<T>(operands.cotangent_view());
        T *out = writable<T>(view);
        const int64_t count = kc_tensor_element_count(&view);
        for (int64_t i = 0; i < count; i++) {
            out[i] = rule(x[i], g[i]);
        }
    });
}

/* With a zero among the bounds: ATen takes either of two zeros. */
void clamp_at_zero(call &operands, double lo, double hi)
{
    const DLTensor &view = operands.output_view();
    by_type(view, [&](auto zero) {
        using T = decltype(zero);
        const T *x = elements<T>(operands.input_view(0));
        T *y = writable<T>(view);
        const int64_t count = kc_tensor_element_count(&view);
        for (int64_t i = 0; i < count; i++) {
            y[i] =
                smaller(static_cast<T>(hi), larger(static_cast<T>(lo), x[i]));
        }
    });
}

/* The factor as an operand without axes, of the element type. */
void multiply(call &operands, at::Tensor &out, const at::Tensor &x)
{
    const double factor = operands.attributes().scale.factor;
    double f64 = factor;
    float f32 = static_cast<float>(factor);
    void *value = x.scalar_type() == at::kFloat ? static_cast<void *>(&f32)
                                                : static_cast<void *>(&f64);
    at::mul_out(out, x, operands.scalar(value, x.scalar_type()));
}

} // namespace

void scale_forward(call &operands)
{
    multiply(operands, operands.output(), operands.input(0));
}

void scale_vjp(call &operands)
{
    multiply(operands, operands.gradient(0), operands.cotangent());
}

void abs_forward(call &operands)
{
    at::abs_out(operands.output(), operands.input(0));
}

void abs_vjp(call &operands)
{
    select(operands, [](auto x, auto g) {
        return x > 0 ? g : (x < 0 ? -g : decltype(g)(0));
    });
}

/* Rounded once, which ATen's is not where MKL computes it. */
void sqrt_forward(call &operands)
{
    const DLTensor &view = operands.output_view();
    by_type(view, [&](auto zero) {
        using T = decltype(zero);
        const T *x = elements<T>(operands.input_view(0));
        T *y = writable<T>(view);
        const int64_t count = kc_tensor_element_count(&view);
        for (int64_t i = 0; i < count; i++) {
            y[i] = std::sqrt(x[i]);
        }
    });
}

void sqrt_vjp(call &operands)
{
    at::Tensor &out = operands.gradient(0);
    const at::Tensor &y = operands.output();
    at::add_out(out, y, y);
    out.add_(0.0); /* of -0 as of +0 */
    at::div_out(out, operands.cotangent(), out);
}

void clamp_forward(call &operands)
{
    const kc_clamp_attributes_t &bounds = operands.attributes().clamp;
    const DLTensor &view = operands.output_view();
    const double lo = rounded(view, bounds.lo);
    const double hi = rounded(view, bounds.hi);
    if (lo == 0 || hi == 0) {
        clamp_at_zero(operands, lo, hi);
    } else {
        at::clamp_out(operands.output(), operands.input(0), at::Scalar(lo),
                      at::Scalar(hi));
    }
}

void clamp_vjp(call &operands)
{
    const kc_clamp_attributes_t &bounds = operands.attributes().clamp;
    const DLTensor &view = operands.gradient_view(0);
    const double lo = rounded(view, bounds.lo);
    const double hi = rounded(view, bounds.hi);
    select(operands, [lo, hi](auto x, auto g) {
        return lo <= x && x <= hi ? g : decltype(g)(0);
    });
}

void relu_forward(call &operands)
{
    at::Tensor &out = operands.output();
    at::clamp_min_out(out, operands.input(0), at::Scalar(0.0));
    out.add_(0.0); /* -0 becomes +0 */
}

void relu_vjp(call &operands)
{
    select(operands, [](auto x, auto g) { return x > 0 ? g : decltype(g)(0); });
}

void gelu_forward(call &operands)
{
    const at::Tensor x = widened(operands.input(0));
    const bool is_erf = operands.attributes().gelu.approximate == KC_GELU_ERF;
    operands.output().copy_(is_erf ? gelu_erf(x) : gelu_tanh(x));
}

void gelu_vjp(call &operands)
{
    at::gelu_backward_out(operands.gradient(0), operands.cotangent(),
                          operands.input(0), gelu_form(operands));
}

void sigmoid_forward(call &operands)
{
    sigmoid_into(operands.output(), operands.input(0));
}

void sigmoid_vjp(call &operands)
{
    at::sigmoid_backward_out(operands.gradient(0), operands.cotangent(),
                             operands.output());
}

void tanh_forward(call &operands)
{
    at::tanh_out(operands.output(), operands.input(0));
}

void tanh_vjp(call &operands)
{
    at::tanh_backward_out(operands.gradient(0), operands.cotangent(),
                          operands.output());
}

void softplus_forward(call &operands)
{
    at::softplus_out(operands.output(), operands.input(0), 1,
                     softplus_threshold(operands.output_view()));
}

void softplus_vjp(call &operands)
{
    at::softplus_backward_out(operands.gradient(0), operands.cotangent(),
                              operands.input(0), 1,
                              softplus_threshold(operands.gradient_view(0)));
}

void exp_forward(call &operands)
{
    at::exp_out(operands.output(), operands.input(0));
}

void exp_vjp(call &operands)
{
    at::mul_out(operands.gradient(0), operands.cotangent(), operands.output());
}

void log_forward(call &operands)
{
    at::log_out(operands.output(), operands.input(0));
}

void log_vjp(call &operands)
{
    at::div_out(operands.gradient(0), operands.cotangent(), operands.input(0));
}

void sin_forward(call &operands)
{
    at::sin_out(operands.output(), operands.input(0));
}

void sin_vjp(call &operands)
{
    at::Tensor &out = operands.gradient(0);
    at::cos_out(out, operands.input(0));
    out.mul_(operands.cotangent());
}

void cos_forward(call &operands)
{
    at::cos_out(operands.output(), operands.input(0));
}

void cos_vjp(call &operands)
{
    at::Tensor &out = operands.gradient(0);
    at::sin_out(out, operands.input(0));
    at::neg_out(out, out);
    out.mul_(operands.cotangent());
}

void inv_forward(call &operands)
{
    at::reciprocal_out(operands.output(), operands.input(0));
}

void inv_vjp(call &operands)
{
    at::Tensor &out = operands.gradient(0);
    const at::Tensor &y = operands.output();
    at::mul_out(out, y, y);
    at::neg_out(out, out);
    out.mul_(operands.cotangent());
}

void safe_log_forward(call &operands)
{
    at::Tensor y = at::softplus(widened(operands.input(0)), 1, 40);
    y.add_(widened(operands.input(1)));
    y.log_();
    operands.output().copy_(y);
}

/* sigmoid(x) / (softplus(x) + epsilon); none to epsilon. */
void safe_log_vjp(call &operands)
{
    at::Tensor &out = operands.gradient(0);
    const at::Tensor &x = operands.input(0);
    at::softplus_out(out, x, 1, softplus_threshold(operands.gradient_view(0)));
    out.add_(operands.input(1));
    at::div_out(out, at::sigmoid(x), out);
    out.mul_(operands.cotangent());
}

} // namespace kc_libtorch
