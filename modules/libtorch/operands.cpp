/* SPDX-License-Identifier: Apache-2.0
 *
 * Refusals of operands and the beginning of sums, which several families
 * share.
 */
#include "operands.h"

#include "entry.h"

namespace kc_libtorch {

void need_same_shape(const DLTensor &a, const DLTensor &b)
{
    if (!are_equal(sizes_of(a), sizes_of(b))) {
        throw refusal(KC_ERR_TENSOR,
                      "expected operands of one shape, found two");
    }
}

void begin_with_zero(at::Tensor &sums, int64_t terms)
{
    if (terms == 1) {
        sums.add_(0.0);
    }
}

void refuse_type()
{
    throw refusal(KC_ERR_TENSOR,
                  "expected f32 or f64, found another element type");
}

} // namespace kc_libtorch
