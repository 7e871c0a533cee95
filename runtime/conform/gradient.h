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

/* Cases of each operation and type that make check runs. */
#define KCI_GRADIENT_CASES 40
#define KCI_GRADIENT_SEED  UINT64_C(20261)

/* One question: operands, a cotangent, which inputs. */
typedef struct kci_gradient_call {
    int32_t op;
    const kc_attributes_t *attributes;
    const DLTensor *const *inputs; /* NULL where absent */
    size_t input_count;
    const DLTensor *cotangent;
    const bool *wanted; /* one an input */
} kci_gradient_call_t;

/* Answers it: as kci_gradient_run. */
typedef kc_status_t (*kci_gradient_run_fn)(void *context,
                                           const kci_gradient_call_t *call,
                                           kc_tensor_t **out_gradients,
                                           kc_error_t *error);

/* What is put to the test: the forward by `capsule`, which the session must
 * choose, the backward by whoever owns its rule. All borrowed. */
typedef struct kci_gradient_subject {
    const kc_capsule_record_t *capsule;
    kc_runtime_t *runtime;
    kc_session_t *session;   /* with gradients; its record is asked, too */
    kci_gradient_run_fn run; /* NULL: kci_gradient_run */
    void *context;
} kci_gradient_subject_t;

/* Through the subject's `run`. `out_gradients[i]`: a tensor of the caller's
 * for each wanted input, NULL for the others; nothing on a failure. */
KC_MUST_USE kc_status_t kci_gradient_ask(const kci_gradient_subject_t *subject,
                                         const kci_gradient_call_t *call,
                                         kc_tensor_t **out_gradients,
                                         kc_error_t *error);
/* Through a tape of the session. */
KC_MUST_USE kc_status_t kci_gradient_run(const kci_gradient_subject_t *subject,
                                         const kci_gradient_call_t *call,
                                         kc_tensor_t **out_gradients,
                                         kc_error_t *error);
/* Which inputs have a derivative by the catalogue, one an input; others are
 * masks, indices, constants of the formula. */
void kci_gradient_inputs(int32_t op, const DLTensor *const *inputs,
                         size_t input_count, bool *out_differentiable);

/* Cases of the capsule's operation in the dtype of the options, like
 * kci_conform_op: right by differences, the same bits when it is asked again
 * and for each input alone, no input written; then that the record names the
 * rule of the capsule as often as it was asked for. */
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
