/* SPDX-License-Identifier: Apache-2.0
 *
 * A module of a third party: one capsule for relu, contract and kernel. It
 * sees the SDK headers and nothing else of Kernel Capsules.
 */
#include <kcapsule/sdk.h>

KC_MODULE(.name = "acme", .version = "1.0", .author = "Acme",
          .licence = "Apache-2.0", .description = "relu, to show how");

/* What is promised, and what stands behind each promise. */
KC_CAPSULES({.struct_size = sizeof(kc_capsule_record_t),
             .op = KC_OP_RELU,
             .device = KC_DEVICE_CPU,
             .trust = KC_TRUST_CHECKED,
             .vjp_mode = KC_VJP_NONE,
             .supports_forward = 1,
             .name = "acme.relu",
             .provider = "acme",
             .shape = KC_SHAPE_GUARD(KC_OP_RELU, "dispatch.shape",
                                     "output has the shape of the input"),
             .layout = KC_LAYOUT_GUARD(KC_OP_RELU, KC_LAYOUT_CANONICAL_TENSOR,
                                       "dispatch.layout", "dense, row-major"),
             .value = KC_VALUE_SUITE(KC_OP_RELU, "examples.third_party",
                                     "max(x, 0); NaN stays"),
             .vjp = KC_NO_VJP(KC_OP_RELU, "for inference only"),
             .numerics = {.reduction = KC_REDUCTION_NOT_APPLICABLE},
             .limits = {.dtypes = 1u << KC_DTYPE_F32}});

typedef struct span {
    const float *from;
    float *to;
} span_t;

static kc_status_t relu_tile(void *context, size_t start, size_t count)
{
    const span_t *span = context;
    for (size_t idx = start; idx < start + count; idx++) {
        float x = span->from[idx];
        span->to[idx] = x > 0.0f || x != x ? x : 0.0f;
    }
    return KC_OK;
}

/* Shape, type and layout were checked by the host before; it also lends its
 * threads. */
static kc_status_t relu(const kc_call_t *call)
{
    span_t span = {kc_tensor_data(call->inputs[0]),
                   kc_tensor_data(call->outputs[0])};
    size_t count = (size_t)kc_tensor_element_count(call->outputs[0]);
    return call->host->parallel_for(call->host, relu_tile, &span, count, 4096);
}

static const kc_handler_t relu_handler = {.struct_size = sizeof(kc_handler_t),
                                          .op = KC_OP_RELU,
                                          .device = KC_DEVICE_CPU,
                                          .provider = "acme",
                                          .forward = relu};
static const kc_handler_t *const handlers[] = {&relu_handler};

KC_MODULE_ENTRY(handlers, 1);
