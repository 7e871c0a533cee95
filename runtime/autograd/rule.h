/* SPDX-License-Identifier: Apache-2.0
 *
 * The tape's derivative rules, one or two an operation: composed of catalogue
 * operations, or a loop of the runtime on the cpu. Which one an operation
 * has, and which forward operands it reads, is stated in ops/vjp.h. Formulas,
 * conventions at kinks and orders of summation: ops.md 6.5 and rows V of 7.
 */
#ifndef KC_AUTOGRAD_RULE_H
#define KC_AUTOGRAD_RULE_H

#include <kcapsule/handler.h>
#include "compose/composition.h"
#include "ops/vjp.h"

/* What a composed rule is made from. Terms are KCI_NO_TERM and types NULL
 * for an optional input that is absent; terms also for what is not saved. */
typedef struct kci_rule_terms {
    int32_t op;
    const kc_attributes_t *attributes; /* resolved; NULL without any */
    size_t input_count;
    const kci_tensor_type_t *const *input_types;
    const kci_tensor_type_t *output_type;
    const kci_term_t *inputs;
    kci_term_t output;
    kci_term_t cotangent; /* of the output; its type is the output's */
    const bool *wanted;   /* one an input: its cotangent is wanted */
} kci_rule_terms_t;

/* Sets `cotangents[i]` for each wanted input: a term of the input's type, or
 * KCI_NO_TERM for zeros. Others are left alone. Failures stay in the
 * composition. */
typedef void (*kci_compose_rule_fn)(kci_composition_t *composition,
                                    const kci_rule_terms_t *terms,
                                    kci_term_t *cotangents);

/* `run` and `workspace` are called as the `vjp` of a handler is
 * (sdk call.h): inputs and outputs that ops/vjp.h saves, the others NULL;
 * one cotangent of the output; the cotangents of the inputs that are wanted,
 * NULL for the rest. All dense, float32 or float64 alike. */
typedef struct kci_rule {
    kci_compose_rule_fn compose; /* NULL: none */
    kc_handler_fn run;           /* NULL: none */
    kc_workspace_fn workspace;   /* NULL: none needed */
} kci_rule_t;

/* Of a valid kc_op_t; never NULL, empty for the random sources. */
const kci_rule_t *kci_rule(int32_t op);

#endif
