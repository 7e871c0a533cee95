/* SPDX-License-Identifier: Apache-2.0
 *
 * A smooth case with what its gradients are asked for: a drawn cotangent of
 * the output, the inputs that have a derivative, the operands in double.
 */
#ifndef KC_CONFORM_GRADIENT_CASE_H
#define KC_CONFORM_GRADIENT_CASE_H

#include "conform/difference.h"
#include "conform/gradient.h"

/* Outputs of a case at most; larger ones are drawn again. */
#define KCI_GRADIENT_OUTPUTS_MAX 400

typedef struct kci_gradient_case {
    kci_case_t *trial;
    kci_point_t *point;
    kci_problem_t output; /* of the unchanged operands */
    bool wanted[KCI_CASE_INPUT_MAX];
    double *cotangent_values; /* exact in the dtype */
    double largest_cotangent;
    void *cotangent_memory;
    DLTensor cotangent;
} kci_gradient_case_t;

/* On KC_OK the caller ends with kci_gradient_case_release. */
KC_MUST_USE kc_status_t kci_gradient_case_create(int32_t op, int32_t dtype,
                                                 uint64_t seed,
                                                 kci_gradient_case_t *out_case,
                                                 kc_error_t *error);
void kci_gradient_case_release(kci_gradient_case_t *one);
kci_gradient_call_t kci_gradient_case_call(const kci_gradient_case_t *one,
                                           const bool *wanted);
/* Equal bits, any NaN being equal to any NaN. */
bool kci_gradient_is_same(kc_tensor_t *a, kc_tensor_t *b);

#endif
