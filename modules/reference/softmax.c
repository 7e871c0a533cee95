/* SPDX-License-Identifier: Apache-2.0
 *
 * softmax, log_softmax and hard_masked_softmax: which slices a tensor has.
 * All axes but one are batch; a slice is computed by one thread alone.
 */
#include <math.h>

#include "handlers.h"
#include "tile.h"

#include "float32.h"
#include "softmax_typed.h"
#include "float64.h"
#include "softmax_typed.h"

/* Work of one element: an exp and a division. */
#define ELEMENT_WORK 20

typedef void (*slice_fn)(const void *in, void *out, size_t stride, size_t n,
                         const uint8_t *allowed, size_t step);

/* Slice r begins at (r / inner) * n * inner + r % inner. `allowed` is NULL
 * unless the operation is masked. */
typedef struct context {
    slice_fn slice;
    size_t element_size;
    size_t n;
    size_t inner;
    const char *in;
    char *out;
    const uint8_t *allowed;
} context_t;

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    const size_t inner = context->inner;
    for (size_t r = start; r < start + count; r++) {
        size_t first = r / inner * context->n * inner + r % inner;
        context->slice(
            context->in + first * context->element_size,
            context->out + first * context->element_size, inner, context->n,
            context->allowed == NULL ? NULL : context->allowed + first, inner);
    }
    return KC_OK;
}

/* A scalar is one slice of one element. */
static kc_status_t run(const kc_call_t *call, slice_fn slice, int32_t axis,
                       const DLTensor *mask)
{
    const DLTensor *x = call->inputs[0];
    context_t context = {.slice = slice,
                         .element_size = x->dtype.bits / 8u,
                         .n = 1,
                         .inner = 1,
                         .in = kc_tensor_data(x),
                         .out = kc_tensor_data(call->outputs[0]),
                         .allowed = mask == NULL ? NULL : kc_tensor_data(mask)};
    size_t outer = 1;
    if (kc_tensor_element_count(x) == 0) {
        return KC_OK;
    }
    if (x->ndim > 0) {
        outer = kc_reference_extent(x, 0, axis);
        context.n = (size_t)x->shape[axis];
        context.inner = kc_reference_extent(x, axis + 1, x->ndim);
    }
    return kc_reference_for(call, tile, &context, outer * context.inner,
                            context.n * ELEMENT_WORK);
}

static slice_fn softmax_of(const DLTensor *x)
{
    return kc_reference_is_f64(x) ? softmax_slice_f64 : softmax_slice_f32;
}

static slice_fn log_softmax_of(const DLTensor *x)
{
    return kc_reference_is_f64(x) ? log_softmax_slice_f64
                                  : log_softmax_slice_f32;
}

static kc_status_t softmax_forward(const kc_call_t *call)
{
    return run(call, softmax_of(call->inputs[0]),
               (int32_t)call->attributes->u.axis.axis, NULL);
}
KC_REFERENCE_HANDLER(softmax, KC_OP_SOFTMAX, softmax_forward, NULL);

static kc_status_t log_softmax_forward(const kc_call_t *call)
{
    return run(call, log_softmax_of(call->inputs[0]),
               (int32_t)call->attributes->u.axis.axis, NULL);
}
KC_REFERENCE_HANDLER(log_softmax, KC_OP_LOG_SOFTMAX, log_softmax_forward, NULL);

static kc_status_t hard_masked_softmax_forward(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[0];
    return run(call, softmax_of(x), x->ndim - 1, call->inputs[1]);
}
KC_REFERENCE_HANDLER(hard_masked_softmax, KC_OP_HARD_MASKED_SOFTMAX,
                     hard_masked_softmax_forward, NULL);
