/* SPDX-License-Identifier: Apache-2.0
 *
 * Views of the host's memory as tensors of ATen, without copies: tensors that
 * a thread keeps and that are bound anew in each call, because making one
 * costs several times as much. They are inference tensors: only used under the
 * guard that entry.cpp holds.
 */
#ifndef KC_LIBTORCH_WRAP_H
#define KC_LIBTORCH_WRAP_H

#include <ATen/core/Tensor.h>
#include <kcapsule/tensor.h>

#include <memory>
#include <vector>

namespace kc_libtorch {

/* The tensors of one thread. A call takes them in the order that it wraps its
 * operands in, and the next call takes the same again. */
class wrap_cache {
  public:
    /* What was wrapped before is given up; its tensors may be bound anew. */
    void begin()
    {
        for (shelf &each : shelves_) {
            each.used = 0;
        }
    }

    /* `tensor` as it is. Valid until the end of the call. Throws refusal for
     * an element type, a stride or an address that ATen must not see. */
    at::Tensor &wrap(const DLTensor &tensor);

    /* Dense memory of the host in another shape. */
    at::Tensor &wrap(void *data, at::ScalarType type, at::IntArrayRef sizes);

  private:
    /* Tensors of one element type, which a tensor cannot change. They stay
     * where they are while the shelf grows. */
    struct shelf {
        std::vector<std::unique_ptr<at::Tensor>> tensors;
        size_t used = 0;
    };

    at::Tensor &next(int32_t dtype);

    shelf shelves_[KC_DTYPE_COUNT];
};

/* Extents or strides: of so few, a loop costs less than the call of memcmp
 * that the operator of IntArrayRef is. */
inline bool are_equal(at::IntArrayRef a, at::IntArrayRef b)
{
    size_t count = a.size();
    size_t i = 0;
    if (count != b.size()) {
        return false;
    }
    while (i < count && a[i] == b[i]) {
        i++;
    }
    return i == count;
}

/* ATen's word for the element type of a view; throws refusal. */
at::ScalarType scalar_type(const DLTensor &tensor);

} // namespace kc_libtorch

#endif
