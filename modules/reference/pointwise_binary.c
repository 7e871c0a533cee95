/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of two operands of equal shape, element by element. Shapes are
 * settled before the call: nothing is broadcast here.
 */
#include "handlers.h"
#include "tile.h"

#include "float32.h"
#include "extremum_typed.h"
#include "pointwise_binary_typed.h"
#include "float64.h"
#include "extremum_typed.h"
#include "pointwise_binary_typed.h"

typedef void (*loop_fn)(const void *in_a, const void *in_b, void *out,
                        size_t start, size_t count);

typedef struct context {
    loop_fn loop;
    const void *a;
    const void *b;
    void *out;
} context_t;

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    context->loop(context->a, context->b, context->out, start, count);
    return KC_OK;
}

static kc_status_t run(const kc_call_t *call, loop_fn f32, loop_fn f64)
{
    const DLTensor *a = call->inputs[0];
    context_t context = {.loop = kc_reference_is_f64(a) ? f64 : f32,
                         .a = kc_tensor_data(a),
                         .b = kc_tensor_data(call->inputs[1]),
                         .out = kc_tensor_data(call->outputs[0])};
    return kc_reference_for(call, tile, &context,
                            (size_t)kc_tensor_element_count(a), 1);
}

#define BINARY(name, operation)                                                \
    static kc_status_t name##_forward(const kc_call_t *call)                   \
    {                                                                          \
        return run(call, name##_loop_f32, name##_loop_f64);                    \
    }                                                                          \
    KC_REFERENCE_HANDLER(name, operation, name##_forward, NULL);

BINARY(add, KC_OP_ADD)
BINARY(sub, KC_OP_SUB)
BINARY(mul, KC_OP_MUL)
BINARY(max, KC_OP_MAX)
BINARY(min, KC_OP_MIN)
