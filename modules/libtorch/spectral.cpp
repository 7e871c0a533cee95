/* SPDX-License-Identifier: Apache-2.0
 *
 * fft_fno: the transforms by ATen, to and from the packed half
 * spectrum; the mixing of channels, and the weights of the bins that stand
 * for two, by loops. A bin that stands for itself has no imaginary part: it
 * is neither read nor multiplied with.
 */
#include <ATen/core/Tensor.h>
#include <ATen/ops/_fft_c2r.h>
#include <ATen/ops/_fft_r2c.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zeros.h>

#include <cstdint>

#include "entry.h"
#include "window.h"

namespace kc_libtorch {

namespace {

/* ATen's numbers for: as it is, and times 1/n. */
enum { PLAIN = 0, BY_N = 2 };

/* Leading axes are put together: [batch, n]. */
at::Tensor &signals(call &operands, const DLTensor &view, int64_t n)
{
    return operands.reshaped(view, {product(view.shape, view.ndim - 1), n});
}

/* [batch, bins, 2] */
at::Tensor &spectra(call &operands, const DLTensor &view, int64_t n)
{
    return operands.reshaped(
        view, {product(view.shape, view.ndim - 2), n / 2 + 1, 2});
}

/* ATen's complex numbers are aligned to both of their parts together, those of
 * a call perhaps to one: what is written is copied part by part, as ATen would
 * copy it as well, and what is read only where it has to be. */
void analyse(const at::Tensor &x, int64_t axis, int64_t normalisation,
             const at::Tensor &out)
{
    out.copy_(at::view_as_real(at::_fft_r2c(x, axis, normalisation, true)));
}

at::Tensor complex_of(const at::Tensor &packed)
{
    const auto address = reinterpret_cast<uintptr_t>(packed.data_ptr());
    return at::view_as_complex(
        address % (2 * packed.itemsize()) == 0 ? packed : packed.clone());
}

void synthesise(const at::Tensor &packed, int64_t axis, int64_t normalisation,
                int64_t n, at::Tensor &out)
{
    at::_fft_c2r_out(out, complex_of(packed), axis, normalisation, n);
}

/* The bins of axis 1 or, of a convolution, 0 that stand for two. */
at::Tensor inner_bins(const at::Tensor &packed, int64_t axis, int64_t n)
{
    return packed.narrow(axis, 1, (n + 1) / 2 - 1);
}

void transform(call &operands, const kc_fft_attributes_t &fft)
{
    const DLTensor &x = operands.input_view(0);
    const DLTensor &y = operands.output_view();
    if (fft.transform == KC_FFT_RFFT) {
        analyse(signals(operands, x, fft.n), 1, PLAIN,
                spectra(operands, y, fft.n));
    } else {
        synthesise(spectra(operands, x, fft.n), 1, BY_N, fft.n,
                   signals(operands, y, fft.n));
    }
}

/* rfft: n irfft(g / w). irfft: w / n rfft(g). */
void transform_vjp(call &operands, const kc_fft_attributes_t &fft)
{
    const DLTensor &g = operands.cotangent_view();
    const DLTensor &dx = operands.gradient_view(0);
    if (fft.transform == KC_FFT_RFFT) {
        const at::Tensor shares = spectra(operands, g, fft.n).clone();
        inner_bins(shares, 1, fft.n).mul_(0.5);
        synthesise(shares, 1, PLAIN, fft.n, signals(operands, dx, fft.n));
    } else {
        const at::Tensor &bins = spectra(operands, dx, fft.n);
        analyse(signals(operands, g, fft.n), 1, BY_N, bins);
        inner_bins(bins, 1, fft.n).mul_(2.0);
    }
}

/* The spectral convolution: its extents, and weights [modes, in, out]. */
template <typename T> struct mixing {
    int64_t n;
    int64_t modes;
    int64_t in;
    int64_t out;
    const T *w_re;
    const T *w_im;

    explicit mixing(const call &operands)
        : n(operands.attributes().fft.n),
          modes(operands.attributes().fft.modes),
          in(operands.input_view(1).shape[1]),
          out(operands.input_view(1).shape[2]),
          w_re(elements<T>(operands.input_view(1))),
          w_im(elements<T>(operands.input_view(2)))
    {
    }

    bool has_imaginary(int64_t k) const
    {
        return k != 0 && 2 * k != n;
    }
};

/* z[k, o] += x[k, c] w[k, c, o]; x and z are (re, im) pairs. */
template <typename T> void mix(const mixing<T> &m, const T *x, T *z)
{
    for (int64_t kc = 0; kc < m.modes * m.in; kc++) {
        const T *re = m.w_re + kc * m.out;
        const T *im = m.w_im + kc * m.out;
        const int64_t k = kc / m.in;
        T *row = z + 2 * k * m.out;
        for (int64_t o = 0; o < m.out; o++) {
            row[2 * o] += x[2 * kc] * re[o];
            if (m.has_imaginary(k)) {
                row[2 * o] -= x[2 * kc + 1] * im[o];
                row[2 * o + 1] += x[2 * kc] * im[o] + x[2 * kc + 1] * re[o];
            }
        }
    }
}

/* dx[k, c] = sum over o of dz[k, o] times the conjugate of w[k, c, o]. */
template <typename T> void mix_back(const mixing<T> &m, const T *dz, T *dx)
{
    for (int64_t kc = 0; kc < m.modes * m.in; kc++) {
        const T *re = m.w_re + kc * m.out;
        const T *im = m.w_im + kc * m.out;
        const int64_t k = kc / m.in;
        const T *row = dz + 2 * k * m.out;
        for (int64_t o = 0; o < m.out; o++) {
            dx[2 * kc] += row[2 * o] * re[o];
            if (m.has_imaginary(k)) {
                dx[2 * kc] += row[2 * o + 1] * im[o];
                dx[2 * kc + 1] += row[2 * o + 1] * re[o] - row[2 * o] * im[o];
            }
        }
    }
}

/* Either of the two cotangents may be NULL: not wanted. */
template <typename T>
void mix_weights(const mixing<T> &m, const T *x, const T *dz, T *dw_re,
                 T *dw_im)
{
    for (int64_t i = 0; i < m.modes * m.in * m.out; i++) {
        const int64_t kc = i / m.out;
        const int64_t k = kc / m.in;
        const T *z = dz + 2 * (k * m.out + i % m.out);
        T re = x[2 * kc] * z[0];
        T im = 0;
        if (m.has_imaginary(k)) {
            re += x[2 * kc + 1] * z[1];
            im = x[2 * kc] * z[1] - x[2 * kc + 1] * z[0];
        }
        if (dw_re != nullptr) {
            dw_re[i] = re;
        }
        if (dw_im != nullptr) {
            dw_im[i] = im;
        }
    }
}

/* [bins, channels, 2] of the columns of t. */
at::Tensor spectrum_of(const at::Tensor &t, int64_t normalisation)
{
    at::Tensor bins = at::empty({t.size(0) / 2 + 1, t.size(1), 2}, t.options());
    analyse(t, 0, normalisation, bins);
    return bins;
}

at::Tensor no_bins(int64_t n, int64_t channels, const at::Tensor &like)
{
    return at::zeros({n / 2 + 1, channels, 2}, like.options());
}

template <typename T> void convolve(call &operands)
{
    const mixing<T> m(operands);
    at::Tensor &y = operands.output();
    const at::Tensor x = spectrum_of(operands.input(0), PLAIN);
    const at::Tensor z = no_bins(m.n, m.out, y);
    mix(m, x.data_ptr<T>(), z.data_ptr<T>());
    synthesise(z, 0, BY_N, m.n, y);
}

template <typename T> void convolve_vjp(call &operands)
{
    const mixing<T> m(operands);
    const at::Tensor dz = spectrum_of(operands.cotangent(), BY_N);
    inner_bins(dz, 0, m.n).mul_(2.0);
    if (operands.wants(0)) {
        const at::Tensor dx = no_bins(m.n, m.in, dz);
        mix_back(m, dz.data_ptr<T>(), dx.data_ptr<T>());
        inner_bins(dx, 0, m.n).mul_(0.5);
        synthesise(dx, 0, PLAIN, m.n, operands.gradient(0));
    }
    if (operands.wants(1) || operands.wants(2)) {
        const at::Tensor x = spectrum_of(operands.input(0), PLAIN);
        mix_weights(m, x.data_ptr<T>(), dz.data_ptr<T>(),
                    operands.wants(1) ? writable<T>(operands.gradient_view(1))
                                      : nullptr,
                    operands.wants(2) ? writable<T>(operands.gradient_view(2))
                                      : nullptr);
    }
}

} // namespace

void fft_fno_forward(call &operands)
{
    const kc_fft_attributes_t &fft = operands.attributes().fft;
    if (fft.transform != KC_FFT_SPECTRAL_CONV1D) {
        transform(operands, fft);
    } else if (fft.modes == 0) {
        operands.output().zero_();
    } else {
        by_type(operands.output_view(),
                [&](auto zero) { convolve<decltype(zero)>(operands); });
    }
}

/* Weights of no modes have no elements; x has, and gets zeros. */
void fft_fno_vjp(call &operands)
{
    const kc_fft_attributes_t &fft = operands.attributes().fft;
    if (fft.transform != KC_FFT_SPECTRAL_CONV1D) {
        transform_vjp(operands, fft);
    } else if (fft.modes != 0) {
        by_type(operands.cotangent_view(),
                [&](auto zero) { convolve_vjp<decltype(zero)>(operands); });
    } else if (operands.wants(0)) {
        operands.gradient(0).zero_();
    }
}

} // namespace kc_libtorch
