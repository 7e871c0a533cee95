/* SPDX-License-Identifier: Apache-2.0
 *
 * What surrounds every call, and what becomes of an exception.
 */
#include "entry.h"

#include <c10/core/InferenceMode.h>

#include <cstring>
#include <new>

#include "process.h"

namespace kc_libtorch {

namespace {

/* `text` as one line. */
kc_status_t fail(const kc_call_t *raw, kc_status_t status, const char *text)
{
    (void)kc_call_fail(raw, status, text);
    if (raw->error != nullptr) {
        for (char *at = raw->error->message; *at != 0; at++) {
            if (*at == '\n' || *at == '\r') {
                *at = ' ';
            }
        }
    }
    return status;
}

/* Called while an exception is being handled. */
kc_status_t translate(const kc_call_t *raw) noexcept
{
    try {
        throw;
    } catch (const refusal &reason) {
        return fail(raw, reason.status(), reason.what());
    } catch (const c10::Error &error) {
        return fail(raw, KC_ERR_KERNEL, error.what_without_backtrace());
    } catch (const std::bad_alloc &) {
        return fail(raw, KC_ERR_MEMORY, "no memory for LibTorch");
    } catch (const std::exception &exception) {
        return fail(raw, KC_ERR_KERNEL, exception.what());
    } catch (...) {
        return fail(raw, KC_ERR_KERNEL,
                    "LibTorch threw something without a text");
    }
}

/* Operations whose sums are a matter of BLAS. */
bool has_products(int32_t op)
{
    switch (op) {
    case KC_OP_MATMUL:
    case KC_OP_LINEAR:
    case KC_OP_CONV:
    case KC_OP_CONV_TRANSPOSE:
    case KC_OP_FFT_FNO:
    case KC_OP_SCALED_DOT_PRODUCT_ATTENTION:
        return true;
    default:
        return false;
    }
}

kc_status_t run(body_fn body, const kc_call_t *raw) noexcept
{
    auto *owner = static_cast<process *>(raw->module_state);
    if (!owner->is_own()) {
        return fail(raw, KC_ERR_KERNEL,
                    "expected the process that opened LibTorch, found a child "
                    "forked since: LibTorch cannot run there");
    }
    try {
        wrap_cache &cache = owner->cache();
        one_thread threads(*owner);
        one_blas_thread blas(*owner, has_products(raw->op));
        c10::InferenceMode inference;
        warning_handler_guard quiet(owner->warnings());
        cache.begin();
        call operands(*raw, cache);
        body(operands);
        return KC_OK;
    } catch (...) {
        return translate(raw);
    }
}

bool has_elements(const DLTensor *tensor)
{
    for (int32_t axis = 0; axis < tensor->ndim; axis++) {
        if (tensor->shape[axis] == 0) {
            return false;
        }
    }
    return true;
}

template <typename T> bool any_has_elements(T *const *tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tensors[i] != nullptr && has_elements(tensors[i])) {
            return true;
        }
    }
    return false;
}

/* Sums of nothing. What is written is dense. */
void write_zeros(const kc_call_t *raw)
{
    for (uint32_t i = 0; i < raw->input_count; i++) {
        DLTensor *tensor = raw->cotangents_in[i];
        if (tensor != nullptr && has_elements(tensor)) {
            auto count = static_cast<size_t>(kc_tensor_element_count(tensor));
            std::memset(kc_tensor_data(tensor), 0,
                        count * (tensor->dtype.bits / 8U));
        }
    }
}

} // namespace

kc_status_t run_forward(body_fn body, const kc_call_t *raw) noexcept
{
    if (!any_has_elements(raw->outputs, raw->output_count)) {
        return KC_OK;
    }
    return run(body, raw);
}

kc_status_t run_vjp(body_fn body, const kc_call_t *raw) noexcept
{
    if (!any_has_elements(raw->cotangents_out, raw->output_count)) {
        write_zeros(raw);
        return KC_OK;
    }
    return run(body, raw);
}

} // namespace kc_libtorch
