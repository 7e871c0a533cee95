/* SPDX-License-Identifier: Apache-2.0
 *
 * Owners of derivative rules to put to the test: each gives what an honest
 * tape gives, with one fault.
 */
#ifndef KC_TESTS_UNIT_CONFORM_GRADIENT_IMPOSTORS_H
#define KC_TESTS_UNIT_CONFORM_GRADIENT_IMPOSTORS_H

#include "conform/gradient.h"

typedef enum gradient_fault {
    GRADIENT_HONEST,
    GRADIENT_NEGATED,
    GRADIENT_DOUBLED,
    GRADIENT_ZEROS,
    GRADIENT_NAN,            /* the first element */
    GRADIENT_ONE_OFF,        /* the largest, by 1e-3 of itself in f32 and 1e-6
                              * in f64 */
    GRADIENT_TRANSPOSED,     /* last two axes, the shape as it should be */
    GRADIENT_NOT_SUMMED,     /* one cotangent instead of a sum of them */
    GRADIENT_NEXT_NUMBERS,   /* every element, to the next number above */
    GRADIENT_NEGATIVE_ZEROS, /* -0 where there is 0 */
    GRADIENT_ALONE_DIFFERS,  /* the next number where one is wanted alone */
    GRADIENT_LATER_DIFFERS,  /* the next number from the second call on */
    GRADIENT_WRITES_INPUT,
    GRADIENT_TIE_TO_FIRST,  /* of two equal numbers the first gets it whole */
    GRADIENT_MASK_IGNORED,  /* blocked entries take part */
    GRADIENT_READS_BLOCKED, /* ... times zero */
    GRADIENT_FAILS
} gradient_fault_t;

typedef struct gradient_impostor {
    kci_gradient_subject_t honest;
    gradient_fault_t fault;
    uint64_t call_count;
} gradient_impostor_t;

/* For kci_gradient_subject_t.run; `context` is a gradient_impostor_t. */
kc_status_t gradient_impostor_run(void *context,
                                  const kci_gradient_call_t *call,
                                  kc_tensor_t **out_gradients,
                                  kc_error_t *error);
/* The honest subject, answered for by the impostor. */
kci_gradient_subject_t gradient_impostor_subject(gradient_impostor_t *impostor);

#endif
