/* SPDX-License-Identifier: Apache-2.0
 *
 * mse_loss. One sum over all elements in row-major order is one chain of
 * additions: it has no parallel form with the same bits.
 */
#include "handlers.h"
#include "tile.h"

#include "float32.h"
#include "loss_typed.h"
#include "float64.h"
#include "loss_typed.h"

static kc_status_t mse_loss_forward(const kc_call_t *call)
{
    const DLTensor *a = call->inputs[0];
    const void *target = kc_tensor_data(call->inputs[1]);
    void *loss = kc_tensor_data(call->outputs[0]);
    const size_t n = (size_t)kc_tensor_element_count(a);
    if (kc_reference_is_f64(a)) {
        mse_f64(kc_tensor_data(a), target, n, loss);
    } else {
        mse_f32(kc_tensor_data(a), target, n, loss);
    }
    return KC_OK;
}
KC_REFERENCE_HANDLER(mse_loss, KC_OP_MSE_LOSS, mse_loss_forward, NULL);
