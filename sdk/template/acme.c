/* SPDX-License-Identifier: Apache-2.0
 *
 * A provider to copy: two operations for the cpu under the label `acme`.
 * Decides what the provider promises (the contracts) and how it keeps it (the
 * handlers); everything else is the host's.
 */
#include <kcapsule/sdk.h>

KC_MODULE(.name = "acme", .version = "1.0", .author = "Acme",
          .licence = "Apache-2.0",
          .description = "relu and add, to show how it is done");

/* What all contracts here have in common. The host settles shapes and strides
 * by the named guards; `acme.values` is the suite in test_acme.c. */
#define ACME(operation, label)                                                 \
    .struct_size = sizeof(kc_capsule_record_t), .op = (operation),             \
    .device = KC_DEVICE_CPU, .trust = KC_TRUST_CHECKED,                        \
    .supports_forward = 1, .name = "acme." label, .provider = "acme",          \
    .shape = KC_SHAPE_GUARD(operation, "dispatch.shape",                       \
                            "operands have one shape"),                        \
    .layout = KC_LAYOUT_GUARD(operation, KC_LAYOUT_CANONICAL_TENSOR,           \
                              "dispatch.layout", "operands are dense"),        \
    .value = KC_VALUE_SUITE(operation, "acme.values",                          \
                            label " is rounded once"),                         \
    .vjp_mode = KC_VJP_TORCHLEAN_TAPE, /* the runtime's rule differentiates */ \
    .vjp = KC_VJP_GUARD(operation, KC_VJP_TORCHLEAN_TAPE, "planner.vjp_mode",  \
                        "the rule is the tape's"),                             \
    .numerics = {.reduction = KC_REDUCTION_NOT_APPLICABLE}

/* The tape's rule of relu needs its input, bit 0; that of add needs nothing. */
KC_CAPSULES({ACME(KC_OP_RELU, "relu"), .saved_inputs = 1},
            {ACME(KC_OP_ADD, "add")});

/* `limits.dtypes` is 0: the host calls with float32 only. It has checked the
 * shapes and allocated the output; a tensor without elements has NULL data. */
static kc_status_t relu(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    float *y = kc_tensor_data(call->outputs[0]);
    const int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t i = 0; i < count; i++) {
        y[i] = x[i] <= 0 ? 0 : x[i]; /* NaN stays NaN, -0 becomes +0 */
    }
    return KC_OK;
}

static kc_status_t add(const kc_call_t *call)
{
    const float *a = kc_tensor_data(call->inputs[0]);
    const float *b = kc_tensor_data(call->inputs[1]);
    float *y = kc_tensor_data(call->outputs[0]);
    const int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t i = 0; i < count; i++) {
        y[i] = a[i] + b[i];
    }
    return KC_OK;
}

static const kc_handler_t relu_handler = {.struct_size = sizeof(kc_handler_t),
                                          .op = KC_OP_RELU,
                                          .device = KC_DEVICE_CPU,
                                          .provider = "acme",
                                          .forward = relu};

static const kc_handler_t add_handler = {.struct_size = sizeof(kc_handler_t),
                                         .op = KC_OP_ADD,
                                         .device = KC_DEVICE_CPU,
                                         .provider = "acme",
                                         .forward = add};

static const kc_handler_t *const handlers[] = {&relu_handler, &add_handler};

KC_MODULE_ENTRY(handlers, 2);
