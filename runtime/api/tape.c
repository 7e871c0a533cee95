/* SPDX-License-Identifier: Apache-2.0
 *
 * The tape: what a caller may have forgotten, before the layers below take
 * it.
 */
#include <kcapsule/tape.h>

#include "api/argument.h"
#include "autograd/tape.h"

kc_status_t kc_tape_create(kc_session_t *session, kc_tape_t **out_tape,
                           kc_error_t *error)
{
    KC_REQUIRE(session, error);
    KC_REQUIRE(out_tape, error);
    return kci_tape_create(session, out_tape, error);
}

void kc_tape_release(kc_tape_t *tape)
{
    kci_tape_destroy(tape);
}

kc_status_t kc_tape_leaf(kc_tape_t *tape, kc_tensor_t *tensor, const char *name,
                         uint32_t flags, kc_variable_t *out_variable,
                         kc_error_t *error)
{
    KC_REQUIRE(tape, error);
    KC_REQUIRE(tensor, error);
    KC_REQUIRE(out_variable, error);
    return kci_tape_leaf(tape, tensor, name, flags, out_variable, error);
}

kc_status_t kc_tape_apply(kc_tape_t *tape, int32_t op,
                          const kc_attributes_t *attributes,
                          const kc_variable_t *inputs, size_t input_count,
                          kc_variable_t *out_variable, kc_error_t *error)
{
    KC_REQUIRE(tape, error);
    KC_REQUIRE(out_variable, error);
    if (input_count != 0) {
        KC_REQUIRE(inputs, error);
    }
    return kci_tape_apply(tape, op, attributes, inputs, input_count,
                          out_variable, error);
}

kc_status_t kc_tape_detach(kc_tape_t *tape, kc_variable_t variable,
                           kc_variable_t *out_variable, kc_error_t *error)
{
    KC_REQUIRE(tape, error);
    KC_REQUIRE(out_variable, error);
    return kci_tape_detach(tape, variable, out_variable, error);
}

kc_status_t kc_tape_run_graph(kc_tape_t *tape, kc_graph_t *graph,
                              const kc_variable_t *inputs, size_t input_count,
                              const kc_variable_t *consts, size_t const_count,
                              kc_variable_t *out_outputs, size_t output_count,
                              kc_error_t *error)
{
    KC_REQUIRE(tape, error);
    KC_REQUIRE(graph, error);
    if (input_count != 0) {
        KC_REQUIRE(inputs, error);
    }
    if (const_count != 0) {
        KC_REQUIRE(consts, error);
    }
    if (output_count != 0) {
        KC_REQUIRE(out_outputs, error);
    }
    return kci_tape_run_graph(tape, graph, inputs, input_count, consts,
                              const_count, out_outputs, output_count, error);
}

kc_status_t kc_tape_value(kc_tape_t *tape, kc_variable_t variable,
                          kc_tensor_t **out_tensor, kc_error_t *error)
{
    KC_REQUIRE(tape, error);
    KC_REQUIRE(out_tensor, error);
    return kci_tape_value(tape, variable, out_tensor, error);
}

kc_status_t kc_tape_backward(kc_tape_t *tape,
                             const kc_backward_request_t *request,
                             kc_error_t *error)
{
    KC_REQUIRE(tape, error);
    KC_REQUIRE_SIZED(request, kc_backward_request_t, error);
    if (request->output_count != 0) {
        KC_REQUIRE(request->outputs, error);
    }
    return kci_tape_backward(tape, request, error);
}

kc_status_t kc_tape_gradient(kc_tape_t *tape, kc_variable_t leaf,
                             kc_tensor_t **out_tensor, kc_error_t *error)
{
    KC_REQUIRE(tape, error);
    KC_REQUIRE(out_tensor, error);
    return kci_tape_gradient(tape, leaf, out_tensor, error);
}

void kc_tape_clear_gradients(kc_tape_t *tape)
{
    if (tape != NULL) {
        kci_tape_clear_gradients(tape);
    }
}

void kc_tape_reset(kc_tape_t *tape)
{
    if (tape != NULL) {
        kci_tape_reset(tape);
    }
}
