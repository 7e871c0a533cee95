/* SPDX-License-Identifier: Apache-2.0
 *
 * selective_scan as loops: step by step through ATen it would take as many
 * calls as there are tokens. Coefficients are shared by all tokens ([S]) or of
 * each ([T, S]); products are rounded before they are added.
 */
#include <vector>

#include "entry.h"

namespace kc_libtorch {

namespace {

/* Elements from one token's coefficients to the next's. */
int64_t step_of(const DLTensor &coefficients, int64_t states)
{
    return coefficients.ndim == 1 ? 0 : states;
}

template <typename T> void scan(call &operands)
{
    const DLTensor &out = operands.output_view();
    const int64_t tokens = out.shape[0];
    const int64_t states = out.shape[1];
    const int64_t step = step_of(operands.input_view(0), states);
    const T *a = elements<T>(operands.input_view(0));
    const T *b = elements<T>(operands.input_view(1));
    const T *x = elements<T>(operands.input_view(2));
    const T *before = elements<T>(operands.input_view(3));
    T *h = writable<T>(out);
    for (int64_t t = 0; t < tokens; t++) {
        for (int64_t s = 0; s < states; s++) {
            const T kept = a[s] * before[s];
            const T written = b[s] * x[s];
            h[s] = kept + written;
        }
        before = h;
        a += step;
        b += step;
        x += states;
        h += states;
    }
}

/* One gradient, a token at a time: shared coefficients add up, from +0, the
 * last token first; those of a token are written. NULL: not wanted. */
template <typename T> struct target {
    T *data = nullptr;
    int64_t step = 0;

    target(call &operands, size_t index, int64_t states)
    {
        if (operands.wants(index)) {
            const DLTensor &view = operands.gradient_view(index);
            data = writable<T>(view);
            step = step_of(view, states);
            for (int64_t s = 0; step == 0 && s < states; s++) {
                data[s] = 0;
            }
        }
    }

    void take(int64_t t, int64_t states, const T *left, const T *right)
    {
        if (data == nullptr) {
            return;
        }
        T *row = data + t * step;
        for (int64_t s = 0; s < states; s++) {
            const T term = left[s] * right[s];
            row[s] = step == 0 ? row[s] + term : term;
        }
    }
};

template <typename T> void scan_backward(call &operands)
{
    const DLTensor &out = operands.cotangent_view();
    const int64_t tokens = out.shape[0];
    const int64_t states = out.shape[1];
    const int64_t step = step_of(operands.input_view(0), states);
    const T *a = elements<T>(operands.input_view(0));
    const T *b = elements<T>(operands.input_view(1));
    const T *x = elements<T>(operands.input_view(2));
    const T *first = elements<T>(operands.input_view(3));
    const T *h = elements<T>(operands.output_view());
    const T *g = elements<T>(out);
    target<T> to_a(operands, 0, states);
    target<T> to_b(operands, 1, states);
    T *to_x =
        operands.wants(2) ? writable<T>(operands.gradient_view(2)) : nullptr;
    std::vector<T> carry(static_cast<size_t>(states), T(0));
    for (int64_t t = tokens - 1; t >= 0; t--) {
        const int64_t row = t * states;
        for (int64_t s = 0; s < states; s++) {
            carry[static_cast<size_t>(s)] =
                g[row + s] + carry[static_cast<size_t>(s)];
        }
        to_a.take(t, states, carry.data(), t > 0 ? h + row - states : first);
        to_b.take(t, states, carry.data(), x + row);
        for (int64_t s = 0; s < states; s++) {
            const T total = carry[static_cast<size_t>(s)];
            if (to_x != nullptr) {
                to_x[row + s] = total * b[t * step + s];
            }
            carry[static_cast<size_t>(s)] = total * a[t * step + s];
        }
    }
    if (operands.wants(3)) {
        T *to_first = writable<T>(operands.gradient_view(3));
        for (int64_t s = 0; s < states; s++) {
            to_first[s] = carry[static_cast<size_t>(s)];
        }
    }
}

} // namespace

void selective_scan_forward(call &operands)
{
    by_type(operands.output_view(),
            [&](auto zero) { scan<decltype(zero)>(operands); });
}

void selective_scan_vjp(call &operands)
{
    by_type(operands.cotangent_view(),
            [&](auto zero) { scan_backward<decltype(zero)>(operands); });
}

} // namespace kc_libtorch
