/* SPDX-License-Identifier: Apache-2.0
 *
 * A call as the families see it: operands by number, wrapped on demand. All
 * of it is valid during the call only.
 */
#ifndef KC_LIBTORCH_OPERANDS_H
#define KC_LIBTORCH_OPERANDS_H

#include <kcapsule/call.h>

#include "wrap.h"

namespace kc_libtorch {

class call {
  public:
    call(const kc_call_t &raw, wrap_cache &cache) : raw_(raw), cache_(cache)
    {
    }

    const kc_call_t &raw() const
    {
        return raw_;
    }
    size_t input_count() const
    {
        return raw_.input_count;
    }

    /* Whether an optional operand is there, or a cotangent wanted. */
    bool has_input(size_t index) const
    {
        return index < raw_.input_count && raw_.inputs[index] != nullptr;
    }
    bool wants(size_t index) const
    {
        return index < raw_.input_count && raw_.cotangents_in[index] != nullptr;
    }

    /* The views of the host. */
    const DLTensor &input_view(size_t index) const
    {
        return *raw_.inputs[index];
    }
    const DLTensor &output_view(size_t index = 0) const
    {
        return *raw_.outputs[index];
    }
    const DLTensor &cotangent_view(size_t index = 0) const
    {
        return *raw_.cotangents_out[index];
    }
    const DLTensor &gradient_view(size_t index) const
    {
        return *raw_.cotangents_in[index];
    }

    /* The same as tensors. Wrap each once a call and keep the reference. */
    at::Tensor &input(size_t index)
    {
        return cache_.wrap(input_view(index));
    }
    at::Tensor &output(size_t index = 0)
    {
        return cache_.wrap(output_view(index));
    }
    /* Of output `index`; entry.cpp sees to it that output 0 has one. */
    at::Tensor &cotangent(size_t index = 0)
    {
        return cache_.wrap(cotangent_view(index));
    }
    /* Where the cotangent of input `index` goes; wants(index) must hold. */
    at::Tensor &gradient(size_t index)
    {
        return cache_.wrap(gradient_view(index));
    }

    /* A dense view in another shape of as many elements. */
    at::Tensor &reshaped(const DLTensor &view, at::IntArrayRef sizes)
    {
        return cache_.wrap(kc_tensor_data(&view), scalar_type(view), sizes);
    }

    /* One value without axes, at an address that outlives the use. */
    at::Tensor &scalar(void *value, at::ScalarType type)
    {
        return cache_.wrap(value, type, {});
    }

    /* Attributes: call.attributes().gelu.approximate */
    const decltype(kc_attributes_t::u) &attributes() const
    {
        return raw_.attributes->u;
    }

  private:
    const kc_call_t &raw_;
    wrap_cache &cache_;
};

/* The shape of a view. */
inline at::IntArrayRef sizes_of(const DLTensor &view)
{
    return {view.shape, static_cast<size_t>(view.ndim)};
}

/* Throws refusal unless two views have one shape: ATen would broadcast. */
void need_same_shape(const DLTensor &a, const DLTensor &b);

/* Adds to `sums` of `terms` terms the +0 that a sum begins with: MKL's product
 * over one term is that term, which may be -0. */
void begin_with_zero(at::Tensor &sums, int64_t terms);

/* Calls `body` with a value of the element type of `view`, float or double:
 * by_type(view, [&](auto zero) { using T = decltype(zero); ... }). */
[[noreturn]] void refuse_type();
template <typename F> void by_type(const DLTensor &view, F &&body)
{
    int32_t dtype = kc_tensor_dtype(&view);
    if (dtype == KC_DTYPE_F32) {
        body(0.0F);
    } else if (dtype == KC_DTYPE_F64) {
        body(0.0);
    } else {
        refuse_type();
    }
}

/* The elements of a dense view. */
template <typename T> const T *elements(const DLTensor &view)
{
    return static_cast<const T *>(kc_tensor_data(&view));
}
template <typename T> T *writable(const DLTensor &view)
{
    return static_cast<T *>(kc_tensor_data(&view));
}

} // namespace kc_libtorch

#endif
