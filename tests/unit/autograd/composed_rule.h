/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A composed rule as the data it is: built over types alone, not evaluated.
 * Everything fails the test when it cannot be had. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_COMPOSED_RULE_H
#define KC_TESTS_UNIT_AUTOGRAD_COMPOSED_RULE_H

#include "autograd/rule.h"

/* What an argument of the composition stands for, besides an input. */
#define COMPOSED_OUTPUT    KC_MAX_INPUTS
#define COMPOSED_COTANGENT (KC_MAX_INPUTS + 1)

/* Types are borrowed; NULL for an absent input. `wanted` may be NULL: all
 * that the operation table gives a cotangent. */
typedef struct composed_case {
    int32_t op;
    const kc_attributes_t *attributes; /* NULL without any */
    const kci_tensor_type_t *const *types;
    size_t input_count;
    const bool *wanted;
} composed_case_t;

typedef struct composed_rule {
    kci_composition_t composition;
    kc_attributes_t attributes; /* resolved */
    kci_tensor_type_t output_type;
    bool wanted[KC_MAX_INPUTS];
    kci_term_t inputs[KC_MAX_INPUTS];
    kci_term_t results[KC_MAX_INPUTS];
    size_t places[KC_MAX_INPUTS + 2]; /* of arguments, by slot */
} composed_rule_t;

/* Holds the result to the types of the inputs and to the inner operations
 * that ops/vjp.h declares. */
void composed_rule_begin(composed_rule_t *rule, const composed_case_t *from);
void composed_rule_end(composed_rule_t *rule);

/* The operations that the rule is made of there, a bit each. */
uint64_t composed_rule_ops(const composed_case_t *from);
/* Of the usual case: one or two float32 inputs of one shape. */
uint64_t composed_rule_ops_of(int32_t op, const kc_attributes_t *attributes,
                              size_t input_count, int32_t rank,
                              const int64_t *dims);
kci_tensor_type_t composed_type(int32_t dtype, int32_t rank,
                                const int64_t *dims);

#endif
