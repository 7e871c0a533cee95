/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What the mock modules share: contracts that are right in every field, a
 * handler that works, and the mark by which a test sees that code ran. A mock
 * then differs from this in the one fault it is named after. */
#ifndef KC_TESTS_MOCKS_MOCK_H
#define KC_TESTS_MOCKS_MOCK_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <kcapsule/sdk.h>

#define MOCK_MODULE(module_name)                                               \
    .name = module_name, .version = "1.0",                                     \
    .author = "The Kernel Capsules authors", .licence = "Apache-2.0",          \
    .description = "a module of the tests"

/* A capsule of trust `checked` on the cpu that saves these forward operands;
 * the rest are its further fields, at least .value and .vjp. */
#define MOCK_SAVING(inputs, outputs, capsule_name, operation, provider_label,  \
                    mode, ...)                                                 \
    {                                                                          \
        .struct_size = sizeof(kc_capsule_record_t), .op = (operation),         \
        .device = KC_DEVICE_CPU, .trust = KC_TRUST_CHECKED,                    \
        .vjp_mode = (mode), .supports_forward = 1, .saved_inputs = (inputs),   \
        .saved_outputs = (outputs), .name = capsule_name,                      \
        .provider = provider_label,                                            \
        .shape = KC_SHAPE_GUARD(operation, "shape", "operands obey the rule"), \
        .layout = KC_LAYOUT_GUARD(operation, KC_LAYOUT_CANONICAL_TENSOR,       \
                                  "layout", "dense row-major operands"),       \
        .numerics = {.reduction = KC_REDUCTION_NOT_APPLICABLE}, __VA_ARGS__    \
    }

/* Of one input, which the derivative rule reads. */
#define MOCK_RECORD(capsule_name, operation, provider_label, mode, ...)        \
    MOCK_SAVING((mode) == KC_VJP_NONE ? 0 : 1, 0, capsule_name, operation,     \
                provider_label, mode, __VA_ARGS__)

/* With a derivative rule of its own. */
#define MOCK_BACKWARD(inputs, outputs, capsule_name, operation,                \
                      provider_label)                                          \
    MOCK_SAVING(                                                               \
        inputs, outputs, capsule_name, operation, provider_label,              \
        KC_VJP_BACKEND,                                                        \
        .value = KC_VALUE_SUITE(operation, "mocks", "as the catalogue says"),  \
        .vjp = KC_VJP_SUITE(operation, KC_VJP_BACKEND, "mocks",                \
                            "the module's own rule"))

/* Without a derivative rule. */
#define MOCK_CAPSULE(capsule_name, operation, provider_label)                  \
    MOCK_RECORD(                                                               \
        capsule_name, operation, provider_label, KC_VJP_NONE,                  \
        .value = KC_VALUE_SUITE(operation, "mocks", "as the catalogue says"),  \
        .vjp = KC_NO_VJP(operation, "no derivative rule"))

#define MOCK_RELU_VJP                                                          \
    KC_VJP_SUITE(KC_OP_RELU, KC_VJP_TORCHLEAN_TAPE, "mocks",                   \
                 "the runtime's rule")

/* relu with the runtime's derivative rule. */
#define MOCK_RELU(capsule_name, provider_label)                                \
    MOCK_RECORD(                                                               \
        capsule_name, KC_OP_RELU, provider_label, KC_VJP_TORCHLEAN_TAPE,       \
        .value = KC_VALUE_SUITE(KC_OP_RELU, "mocks", "max(x, 0), NaN stays"),  \
        .vjp = MOCK_RELU_VJP)

#define MOCK_HANDLER_ON(device_kind, operation, provider_label, function)      \
    {                                                                          \
        .struct_size = sizeof(kc_handler_t), .op = (operation),                \
        .device = (device_kind), .provider = provider_label,                   \
        .forward = (function)                                                  \
    }
#define MOCK_HANDLER(operation, provider_label, function)                      \
    MOCK_HANDLER_ON(KC_DEVICE_CPU, operation, provider_label, function)
/* Forward and backward; the rest: .vjp_workspace, if any. */
#define MOCK_PAIR(operation, provider_label, function, backward, ...)          \
    {                                                                          \
        .struct_size = sizeof(kc_handler_t), .op = (operation),                \
        .device = KC_DEVICE_CPU, .provider = provider_label,                   \
        .forward = (function), .vjp = (backward), __VA_ARGS__                  \
    }

/* Notes of any type and size, for mocks whose records are not the SDK's.
 * `record_type` needs the fields name and version if it is a module record. */
#define MOCK_NOTE(variable, kind, record_type, ...)                            \
    static const struct {                                                      \
        kc_note_header_t header;                                               \
        record_type record;                                                    \
    } variable KC_NOTE_ATTRIBUTES_ = {                                         \
        KC_NOTE_HEADER_(sizeof(record_type), kind), __VA_ARGS__}

/* A module record that states another size of itself. */
#define MOCK_SIZED_MODULE(size, module_name)                                   \
    MOCK_NOTE(kc_module_note, KC_NOTE_MODULE, kc_module_record_t,              \
              {.struct_size = (size),                                          \
               .abi_major = KC_ABI_MAJOR,                                      \
               .abi_minor = KC_ABI_MINOR,                                      \
               MOCK_MODULE(module_name)})

/* Appends one line to the file that KC_TEST_MARK names, if it is set. */
static inline void mock_mark(const char *line)
{
    const char *path = getenv("KC_TEST_MARK");
    if (path == NULL || path[0] == 0) {
        return;
    }
    int descriptor =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        return;
    }
    /* If it cannot be written, the test misses its mark and says so. */
    ssize_t written = write(descriptor, line, strlen(line));
    (void)written;
    close(descriptor);
}

/* relu of float32, dense. */
static inline kc_status_t mock_relu(const kc_call_t *call)
{
    const float *from = kc_tensor_data(call->inputs[0]);
    float *to = kc_tensor_data(call->outputs[0]);
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        float value = from[idx];
        to[idx] = value > 0.0f || value != value ? value : 0.0f;
    }
    return KC_OK;
}

/* Its derivative from the saved input: g where x > 0, else +0. */
static inline kc_status_t mock_relu_backward(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    const float *g = kc_tensor_data(call->cotangents_out[0]);
    float *to = kc_tensor_data(call->cotangents_in[0]);
    int64_t count = kc_tensor_element_count(call->cotangents_in[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        to[idx] = x[idx] > 0.0f ? g[idx] : 0.0f;
    }
    return KC_OK;
}

/* The rest of a mock without a special handler. */
#define MOCK_RELU_ENTRY(provider_label, ...)                                   \
    static const kc_handler_t relu_handler =                                   \
        MOCK_HANDLER(KC_OP_RELU, provider_label, mock_relu);                   \
    static const kc_handler_t *const handlers[] = {&relu_handler};             \
    KC_MODULE_ENTRY_WITH(handlers, 1, __VA_ARGS__)

#endif
