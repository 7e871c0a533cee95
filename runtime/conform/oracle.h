/* SPDX-License-Identifier: Apache-2.0
 *
 * The oracles: each operation in float64 as its formula reads, and for every
 * element of the result how far an implementation may be off, as far as that
 * follows from the operation. Share no code with any module.
 */
#ifndef KC_CONFORM_ORACLE_H
#define KC_CONFORM_ORACLE_H

#include <kcapsule/attributes.h>
#include "conform/array.h"
#include "conform/tracked.h"

#define KCI_CASE_INPUT_MAX 8

/* Ulps that the functions of one element (exp, tanh, gelu ...) may be off
 * where nothing else is said: correctly rounded. */
#define KCI_CORRECTLY_ROUNDED 0.5

/*
 * One question and its answer. Of output element i:
 * `values[i]` the exact result, as near as double allows;
 * `bounds[i]` the largest distance from it that is right; 0: exactly that
 * number, rounded to the type, with its sign; INFINITY: unknown;
 * `written[i]` the result in the element type in the written order.
 */
typedef struct kci_problem {
    int32_t op;
    kc_attributes_t attributes;
    kci_precision_t type;
    double function_ulps;
    size_t input_count;
    kci_array_t inputs[KCI_CASE_INPUT_MAX];
    int32_t dtype; /* of the output, as the rest */
    int32_t rank;
    int64_t shape[KC_MAX_RANK];
    int64_t count;
    double *values;
    double *bounds;
    double *written;
} kci_problem_t;

/* Answers a call whose operands fit the operation. At most
 * KCI_CASE_INPUT_MAX inputs; `function_ulps` 0: correctly rounded. On KC_OK
 * the caller ends with kci_problem_release. */
KC_MUST_USE kc_status_t kci_oracle_evaluate(
    int32_t op, const kc_attributes_t *attributes,
    const DLTensor *const *inputs, size_t input_count, double function_ulps,
    kci_problem_t *out_problem, kc_error_t *error);
void kci_problem_release(kci_problem_t *problem);

/* For the families. The shape of the result, before its elements. */
KC_MUST_USE kc_status_t kci_problem_shape(kci_problem_t *problem, int32_t rank,
                                          const int64_t *shape,
                                          kc_error_t *error);
bool kci_problem_has(const kci_problem_t *problem, size_t input);
void kci_expect(kci_problem_t *problem, int64_t place, kci_tracked_t result);
/* The number itself; where it is computed, by one rounding. */
void kci_expect_exact(kci_problem_t *problem, int64_t place, double value);
/* A function of one element, evaluated in double with the given error. */
void kci_expect_function(kci_problem_t *problem, int64_t place,
                         kci_tracked_t result);

/* One evaluation a family, the same names as in runtime/ops. */
#define KCI_FOR_EACH_FAMILY(X)                                                 \
    X(random)                                                                  \
    X(pointwise)                                                               \
    X(softmax)                                                                 \
    X(reduce)                                                                  \
    X(layout)                                                                  \
    X(index)                                                                   \
    X(matmul)                                                                  \
    X(norm)                                                                    \
    X(conv)                                                                    \
    X(pool)                                                                    \
    X(spectral)                                                                \
    X(scan)                                                                    \
    X(attention)

#define KCI_DECLARE_ORACLE(family)                                             \
    KC_MUST_USE kc_status_t kci_oracle_##family(kci_problem_t *problem,        \
                                                kc_error_t *error);
KCI_FOR_EACH_FAMILY(KCI_DECLARE_ORACLE)

#endif
