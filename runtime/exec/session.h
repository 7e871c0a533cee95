/* SPDX-License-Identifier: Apache-2.0
 *
 * The eager session: every operation is planned, accepted and bound at its
 * first use under the session's policy, then found in a table.
 */
#ifndef KC_EXEC_SESSION_H
#define KC_EXEC_SESSION_H

#include "dispatch/call.h"
#include "exec/record.h"
#include "tensor/tensor.h"

typedef struct kc_session kc_session_t; /* one thread at a time */

/* `with_gradients`: the profile's VJP mode is kept, which this build refuses
 * (KC_ERR_NOT_IN_BUILD); without, the effective mode is none. Refuses a
 * profile without any capsule for its device, naming both. */
KC_MUST_USE kc_status_t kci_session_create(kci_host_t *host,
                                           kc_profile_t *profile,
                                           bool with_gradients,
                                           kc_session_t **out_session,
                                           kc_error_t *error);
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

/* A seeded random source counts its uses: ops.md 5.2. */
uint64_t kci_session_next_random_counter(kc_session_t *session);

/* What really ran so far, in first-use order. */
const kci_run_record_t *kci_session_record(const kc_session_t *session);
void kci_session_enable_time(kc_session_t *session);

#endif
