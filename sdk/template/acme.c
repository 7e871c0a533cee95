/* SPDX-License-Identifier: Apache-2.0
 *
 * A provider to copy: two operations for the cpu under the label `acme`, one
 * with a backward of its own. Decides what the provider promises (the
 * contracts) and how it keeps it (the handlers); everything else is the host's.
 */
#include <kcapsule/sdk.h>

KC_MODULE(.name = "acme", .version = "1.0", .author = "Acme",
          .licence = "Apache-2.0",
          .description = "relu and add, to show how it is done");

/* What all contracts here have in common. The host settles shapes and strides
 * by the named guards; `acme.values` and `acme.backward` are the suites in
 * test_acme.c. */
#define ACME(operation, label)                                                 \
    .struct_size = sizeof(kc_capsule_record_t), .op = (operation),             \
    .device = KC_DEVICE_CPU, .trust = KC_TRUST_CHECKED, .supports_forward = 1, \
    .name = "acme." label, .provider = "acme",                                 \
    .shape = KC_SHAPE_GUARD(operation, "dispatch.shape",                       \
                            "operands have one shape"),                        \
    .layout = KC_LAYOUT_GUARD(operation, KC_LAYOUT_CANONICAL_TENSOR,           \
                              "dispatch.layout", "operands are dense"),        \
    .value =                                                                   \
        KC_VALUE_SUITE(operation, "acme.values", label " is rounded once"),    \
    .numerics = {.reduction = KC_REDUCTION_NOT_APPLICABLE}

/* Who differentiates: a `vjp` of the handler, or the tape of the runtime. */
#define OWN_BACKWARD(operation)                                                \
    .vjp_mode = KC_VJP_BACKEND,                                                \
    .vjp = KC_VJP_SUITE(operation, KC_VJP_BACKEND, "acme.backward",            \
                        "the rule is relu_backward's")
#define TAPE_BACKWARD(operation)                                               \
    .vjp_mode = KC_VJP_TORCHLEAN_TAPE,                                         \
    .vjp = KC_VJP_GUARD(operation, KC_VJP_TORCHLEAN_TAPE, "planner.vjp_mode",  \
                        "the rule is the tape's")

/* relu_backward reads the output, bit 0, and no input. The tape's rule of add
 * reads nothing; `kcapsule ops OP` says what that of another operation reads,
 * which its capsule then has to save. */
KC_CAPSULES({ACME(KC_OP_RELU, "relu"), OWN_BACKWARD(KC_OP_RELU),
             .saved_outputs = 1},
            {ACME(KC_OP_ADD, "add"), TAPE_BACKWARD(KC_OP_ADD)});

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

/* What the contract does not save is not there: `inputs[0]` is NULL. relu has
 * one input, so its cotangent is wanted; with several, those that are not are
 * NULL. All of it is written, zeros too. */
static kc_status_t relu_backward(const kc_call_t *call)
{
    const float *y = kc_tensor_data(call->outputs[0]);
    const float *dy = kc_tensor_data(call->cotangents_out[0]);
    float *dx = kc_tensor_data(call->cotangents_in[0]);
    const int64_t count = kc_tensor_element_count(call->cotangents_in[0]);
    for (int64_t i = 0; i < count; i++) {
        dx[i] = y[i] > 0 ? dy[i] : 0; /* 0 at the kink and for NaN */
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
                                          .forward = relu,
                                          .vjp = relu_backward};

static const kc_handler_t add_handler = {.struct_size = sizeof(kc_handler_t),
                                         .op = KC_OP_ADD,
                                         .device = KC_DEVICE_CPU,
                                         .provider = "acme",
                                         .forward = add};

static const kc_handler_t *const handlers[] = {&relu_handler, &add_handler};

KC_MODULE_ENTRY(handlers, 2);
