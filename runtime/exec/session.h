/* SPDX-License-Identifier: Apache-2.0
 *
 * The eager session: every operation is planned, accepted and bound at its
 * first use under the session's policy, then found in a table.
 */
#ifndef KC_EXEC_SESSION_H
#define KC_EXEC_SESSION_H

#include "compose/composition.h"
#include "dispatch/call.h"
#include "exec/record.h"
#include "tensor/tensor.h"

typedef struct kc_session kc_session_t; /* one thread at a time */

/* `with_gradients`: the profile's VJP mode is in force; without, none is.
 * Refuses a profile without any capsule for its device, naming both. */
KC_MUST_USE kc_status_t kci_session_create(kci_host_t *host,
                                           kc_profile_t *profile,
                                           bool with_gradients,
                                           kc_session_t **out_session,
                                           kc_error_t *error);
/* A tape keeps its session: whoever goes first, the last one ends it. */
kc_session_t *kci_session_retain(kc_session_t *session);
void kci_session_destroy(kc_session_t *session); /* accepts NULL */

/* Into a caller's output. `attributes` may be NULL for an operation without
 * any. */
KC_MUST_USE kc_status_t kci_session_run(kc_session_t *session, int32_t op,
                                        const kc_attributes_t *attributes,
                                        const DLTensor *const *inputs,
                                        size_t input_count, DLTensor *output,
                                        kc_error_t *error);
/* Allocates the output. */
KC_MUST_USE kc_status_t kci_session_apply(kc_session_t *session, int32_t op,
                                          const kc_attributes_t *attributes,
                                          const DLTensor *const *inputs,
                                          size_t input_count,
                                          kc_tensor_t **out_tensor,
                                          kc_error_t *error);

/* Every call's first question: an operation of the catalogue, and not more
 * inputs than any has. KC_ERR_ARGUMENT. */
KC_MUST_USE kc_status_t kci_session_check_request(int32_t op,
                                                  size_t input_count,
                                                  kc_error_t *error);

/* A call that the tape records: tells which bound capsule served. Its
 * binding lives as long as the session. */
KC_MUST_USE kc_status_t kci_session_apply_bound(
    kc_session_t *session, int32_t op, const kc_attributes_t *attributes,
    const DLTensor *const *inputs, size_t input_count,
    kc_attributes_t *out_resolved, const kci_binding_t **out_binding,
    kc_tensor_t **out_tensor, kc_error_t *error);

/* The operations of a composition, each planned under the inner policy,
 * accepted, bound at its first use and recorded in `role` (an inner one, or
 * KCI_CALL_SUM) for `served`, which may be NULL. `arguments`: a view for each
 * argument term. `out_tensors[i]`: a tensor of the caller's for `terms[i]`
 * (of an argument or literal a copy; of KCI_NO_TERM NULL). */
KC_MUST_USE kc_status_t kci_session_run_composition(
    kc_session_t *session, const kci_composition_t *composition,
    const DLTensor *const *arguments, kci_call_role_t role,
    const kci_entry_t *served, const kci_term_t *terms, size_t term_count,
    kc_tensor_t **out_tensors, kc_error_t *error);

/* A derivative rule through the session: kci_call_vjp with its services,
 * recorded as KCI_CALL_VJP of the binding's capsule. */
KC_MUST_USE kc_status_t kci_session_call_vjp(kc_session_t *session,
                                             const kci_binding_t *binding,
                                             const kci_vjp_call_t *call,
                                             kc_error_t *error);
/* A composed rule that is about to be applied, in the record. */
KC_MUST_USE kc_status_t kci_session_note_rule(kc_session_t *session,
                                              const kci_binding_t *binding,
                                              kc_error_t *error);
/* The policy in force; its VJP mode says whether gradients are on. */
const kc_policy_t *kci_session_policy(const kc_session_t *session);
kci_host_t *kci_session_host(const kc_session_t *session);

/* A seeded random source counts its uses: ops.md 5.2. */
uint64_t kci_session_next_random_counter(kc_session_t *session);
/* Nothing was drawn with the number taken last: the next one gets it. */
void kci_session_return_random_counter(kc_session_t *session);

/* What really ran so far, in first-use order. */
const kci_run_record_t *kci_session_record(const kc_session_t *session);
void kci_session_enable_time(kc_session_t *session);

#endif
