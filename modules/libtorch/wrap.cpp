/* SPDX-License-Identifier: Apache-2.0
 *
 * Binds kept tensors to the memory of a call. ATen must never meet a negative
 * stride, which ends the process, nor a null address with elements, which it
 * accepts.
 */
#include "wrap.h"

#include <ATen/ops/empty.h>
#include <kcapsule/tensor.h>

#include "entry.h"

namespace kc_libtorch {

namespace {

/* In the order of kc_dtype_t. */
constexpr at::ScalarType scalar_types[KC_DTYPE_COUNT] = {
    at::kFloat, at::kDouble, at::kBool, at::kInt, at::kLong};

int32_t dtype_of(at::ScalarType type)
{
    for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        if (scalar_types[dtype] == type) {
            return dtype;
        }
    }
    throw refusal(KC_ERR_TENSOR, "expected f32, f64, bool, i32 or i64, found "
                                 "another element type");
}

int32_t dtype_of(const DLTensor &tensor)
{
    int32_t dtype = kc_tensor_dtype(&tensor);
    if (dtype < 0) {
        throw refusal(KC_ERR_TENSOR, "expected f32, f64, bool, i32 or i64, "
                                     "found another element type");
    }
    return dtype;
}

int64_t element_count(at::IntArrayRef sizes)
{
    int64_t count = 1;
    for (int64_t size : sizes) {
        count *= size;
    }
    return count;
}

void bind(const at::Tensor &tensor, void *data, int64_t byte_count)
{
    c10::StorageImpl *storage = tensor.storage().unsafeGetStorageImpl();
    /* Steps of a repeated run often find what they left. */
    if (storage->data() != data) {
        storage->set_data_ptr_noswap(at::DataPtr(data, at::kCPU));
    }
    if (storage->nbytes() != static_cast<size_t>(byte_count)) {
        storage->set_nbytes(static_cast<size_t>(byte_count));
    }
}

/* One past the last element that a view reaches, in elements. */
int64_t reach(const DLTensor &tensor)
{
    int64_t last = 0;
    for (int32_t axis = 0; axis < tensor.ndim; axis++) {
        if (tensor.shape[axis] == 0) {
            return 0;
        }
        if (tensor.strides[axis] < 0) {
            throw refusal(
                KC_ERR_TENSOR,
                "expected strides of 0 or more, found a negative one");
        }
        last += (tensor.shape[axis] - 1) * tensor.strides[axis];
    }
    return last + 1;
}

} // namespace

at::ScalarType scalar_type(const DLTensor &tensor)
{
    return scalar_types[dtype_of(tensor)];
}

at::Tensor &wrap_cache::next(int32_t dtype)
{
    shelf &own = shelves_[dtype];
    if (own.used == own.tensors.size()) {
        at::TensorOptions options(scalar_types[dtype]);
        own.tensors.push_back(
            std::make_unique<at::Tensor>(at::empty({0}, options)));
    }
    return *own.tensors[own.used++];
}

at::Tensor &wrap_cache::wrap(void *data, at::ScalarType type,
                             at::IntArrayRef sizes)
{
    at::Tensor &tensor = next(dtype_of(type));
    int64_t count = element_count(sizes);
    if (data == nullptr && count > 0) {
        throw refusal(KC_ERR_TENSOR,
                      "expected an address of elements, found NULL");
    }
    bind(tensor, data, count * static_cast<int64_t>(tensor.itemsize()));
    if (!are_equal(tensor.sizes(), sizes) || !tensor.is_contiguous()) {
        tensor.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
    }
    return tensor;
}

at::Tensor &wrap_cache::wrap(const DLTensor &view)
{
    at::IntArrayRef sizes(view.shape, static_cast<size_t>(view.ndim));
    void *data = kc_tensor_data(&view);
    if (view.strides == nullptr) {
        return wrap(data, scalar_type(view), sizes);
    }
    at::IntArrayRef strides(view.strides, static_cast<size_t>(view.ndim));
    at::Tensor &tensor = next(dtype_of(view));
    int64_t count = reach(view);
    if (data == nullptr && count > 0) {
        throw refusal(KC_ERR_TENSOR,
                      "expected an address of elements, found NULL");
    }
    bind(tensor, data, count * (view.dtype.bits / 8));
    if (!are_equal(tensor.sizes(), sizes) ||
        !are_equal(tensor.strides(), strides)) {
        tensor.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, 0);
    }
    return tensor;
}

} // namespace kc_libtorch
