/* SPDX-License-Identifier: Apache-2.0
 *
 * rand_uniform and bernoulli_mask by the generator that the catalogue fixes,
 * never by LibTorch's: splitmix64, Steele, Lea, Flood 2014.
 */
#include "entry.h"

namespace kc_libtorch {

namespace {

uint64_t splitmix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The low 32 bits over 2^32, which double holds exactly. */
template <typename T> T uniform(uint64_t key, uint64_t index)
{
    const auto word = static_cast<uint32_t>(splitmix64(key + index));
    return static_cast<T>(static_cast<double>(word) / 4294967296.0);
}

template <typename F> void fill(call &operands, F &&value)
{
    const DLTensor &view = operands.output_view();
    const uint64_t key = operands.attributes().random.key;
    by_type(view, [&](auto zero) {
        using T = decltype(zero);
        T *y = writable<T>(view);
        const int64_t count = kc_tensor_element_count(&view);
        for (int64_t i = 0; i < count; i++) {
            y[i] = value(uniform<T>(key, static_cast<uint64_t>(i)));
        }
    });
}

} // namespace

void rand_uniform_forward(call &operands)
{
    fill(operands, [](auto v) { return v; });
}

/* 1 where the probability is above the value; always from 1 on, though the
 * value may be 1, and never for NaN. */
void bernoulli_mask_forward(call &operands)
{
    double keep = 0;
    by_type(operands.input_view(0), [&](auto zero) {
        using T = decltype(zero);
        keep = static_cast<double>(*elements<T>(operands.input_view(0)));
    });
    fill(operands, [keep](auto v) {
        using T = decltype(v);
        return static_cast<T>(keep >= 1 || keep > static_cast<double>(v));
    });
}

} // namespace kc_libtorch
