/* SPDX-License-Identifier: Apache-2.0
 *
 * The eager tape: what was computed, by which capsule, from what, and what
 * its derivative rule needs. The public handle and its rules:
 * kcapsule/tape.h.
 */
#ifndef KC_AUTOGRAD_TAPE_H
#define KC_AUTOGRAD_TAPE_H

#include <kcapsule/tape.h>
#include "exec/executor.h"

KC_MUST_USE kc_status_t kci_tape_create(kc_session_t *session,
                                        kc_tape_t **out_tape,
                                        kc_error_t *error);
void kci_tape_destroy(kc_tape_t *tape); /* accepts NULL */
KC_MUST_USE kc_status_t kci_tape_leaf(kc_tape_t *tape, kc_tensor_t *tensor,
                                      const char *name, uint32_t flags,
                                      kc_variable_t *out_variable,
                                      kc_error_t *error);
KC_MUST_USE kc_status_t kci_tape_apply(kc_tape_t *tape, int32_t op,
                                       const kc_attributes_t *attributes,
                                       const kc_variable_t *inputs,
                                       size_t input_count,
                                       kc_variable_t *out_variable,
                                       kc_error_t *error);
KC_MUST_USE kc_status_t kci_tape_detach(kc_tape_t *tape, kc_variable_t variable,
                                        kc_variable_t *out_variable,
                                        kc_error_t *error);
/* A graph on the tape: a variable for each input and const node. */
KC_MUST_USE kc_status_t kci_tape_run_graph(
    kc_tape_t *tape, const kc_graph_t *graph, const kc_variable_t *inputs,
    size_t input_count, const kc_variable_t *consts, size_t const_count,
    kc_variable_t *out_outputs, size_t output_count, kc_error_t *error);
/* The operations of a composition as operations of the tape. */
KC_MUST_USE kc_status_t kci_tape_run_composition(
    kc_tape_t *tape, const kci_composition_t *composition,
    const kc_variable_t *arguments, const kci_term_t *terms, size_t term_count,
    kc_variable_t *out_variables, kc_error_t *error);
KC_MUST_USE kc_status_t kci_tape_backward(kc_tape_t *tape,
                                          const kc_backward_request_t *request,
                                          kc_error_t *error);
KC_MUST_USE kc_status_t kci_tape_value(const kc_tape_t *tape,
                                       kc_variable_t variable,
                                       kc_tensor_t **out_tensor,
                                       kc_error_t *error);
KC_MUST_USE kc_status_t kci_tape_gradient(const kc_tape_t *tape,
                                          kc_variable_t variable,
                                          kc_tensor_t **out_tensor,
                                          kc_error_t *error);
KC_MUST_USE kc_status_t kci_tape_type(const kc_tape_t *tape,
                                      kc_variable_t variable,
                                      kci_tensor_type_t *out_type,
                                      kc_error_t *error);
void kci_tape_clear_gradients(kc_tape_t *tape);
void kci_tape_reset(kc_tape_t *tape);

#endif
