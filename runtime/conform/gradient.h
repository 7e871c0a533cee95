/* SPDX-License-Identifier: Apache-2.0
 *
 * The gradients of one operation put to the test, whoever owns the rule:
 * seeded cases against central differences of the oracles, each input alone
 * with the same bits, kinks by the written convention, and blocked entries
 * that may hold anything. One suite for every provider.
 */
#ifndef KC_CONFORM_GRADIENT_H
#define KC_CONFORM_GRADIENT_H

#include <kcapsule/tape.h>
#include "conform/conform.h"

/* What is put to the test: the forward by `capsule`, which the session must
 * choose, the backward by whoever owns its rule. All borrowed. */
typedef struct kci_gradient_subject {
    const kc_capsule_record_t *capsule;
    kc_runtime_t *runtime;
    kc_session_t *session; /* with gradients */
} kci_gradient_subject_t;

/* One question: operands, a cotangent, which inputs. */
typedef struct kci_gradient_call {
    int32_t op;
    const kc_attributes_t *attributes;
    const DLTensor *const *inputs; /* NULL where absent */
    size_t input_count;
    const DLTensor *cotangent;
    const bool *wanted; /* one an input */
} kci_gradient_call_t;

/* Through a tape of the session. `out_gradients[i]`: a tensor of the caller's
 * for each wanted input. */
KC_MUST_USE kc_status_t kci_gradient_run(const kci_gradient_subject_t *subject,
                                         const kci_gradient_call_t *call,
                                         kc_tensor_t **out_gradients,
                                         kc_error_t *error);
/* Which inputs have a derivative by the catalogue, one an input; others are
 * masks, indices, constants of the formula. */
void kci_gradient_inputs(int32_t op, const DLTensor *const *inputs,
                         size_t input_count, bool *out_differentiable);

/* Cases of the capsule's operation in the dtype of the options, like
 * kci_conform_op; then that the record names the rule of the capsule as often
 * as it was asked for. */
KC_MUST_USE kc_status_t kci_conform_gradients(
    const kci_gradient_subject_t *subject, const kci_conform_options_t *options,
    kci_conform_report_t *out_report, kc_error_t *error);
/* The kinks of the operation (kink.c), exact. An operation without any runs
 * no case. */
KC_MUST_USE kc_status_t kci_conform_kinks(const kci_gradient_subject_t *subject,
                                          int32_t dtype,
                                          kci_conform_report_t *out_report,
                                          kc_error_t *error);
/* Of operations with a mask: what is blocked is exactly zero and may hold
 * NaN or infinities without a changed byte elsewhere (blocked.c). */
KC_MUST_USE kc_status_t kci_conform_blocked(
    const kci_gradient_subject_t *subject, const kci_conform_options_t *options,
    kci_conform_report_t *out_report, kc_error_t *error);

#endif
