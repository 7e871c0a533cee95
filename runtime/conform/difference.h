/* SPDX-License-Identifier: Apache-2.0
 *
 * Derivatives of the oracles by central differences in double, with what the
 * differences themselves may be off.
 */
#ifndef KC_CONFORM_DIFFERENCE_H
#define KC_CONFORM_DIFFERENCE_H

#include "conform/oracle.h"

/* Of the sum of cotangent * output, for each element of one input. */
typedef struct kci_slope {
    double value;
    double error;     /* bound on |value - derivative| */
    double magnitude; /* sum of |cotangent * d output / d element| */
    double largest;   /* of |d output / d element| */
} kci_slope_t;

/* Operands of one call in double, dense, to be bent. */
typedef struct kci_point {
    int32_t op;
    const kc_attributes_t *attributes; /* borrowed */
    size_t input_count;
    kci_array_t inputs[KCI_CASE_INPUT_MAX];
    DLTensor views[KCI_CASE_INPUT_MAX]; /* float ones: over the arrays */
    const DLTensor *pointers[KCI_CASE_INPUT_MAX];
} kci_point_t;

KC_MUST_USE kc_status_t kci_point_create(int32_t op,
                                         const kc_attributes_t *attributes,
                                         const DLTensor *const *inputs,
                                         size_t input_count,
                                         kci_point_t **out_point,
                                         kc_error_t *error);
void kci_point_release(kci_point_t *point); /* accepts NULL */
/* `cotangent` has an element for each of the output. `*out_slopes` has one
 * for each element of the input and is the caller's (free). */
KC_MUST_USE kc_status_t kci_point_slopes(kci_point_t *point, size_t input,
                                         const double *cotangent,
                                         kci_slope_t **out_slopes,
                                         kc_error_t *error);

#endif
