/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * One derivative rule on given operands, called the way the tape calls it,
 * and held against central differences of the forward in double. Everything
 * fails the test when it cannot be had. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_RULE_FIXTURE_H
#define KC_TESTS_UNIT_AUTOGRAD_RULE_FIXTURE_H

#include "autograd/rule.h"
#include "exec/session.h"
#include "unit/operand_fixture.h"

#define RULE_INPUTS_MAX 8

/* A session without gradients over the built modules, checked_cpu. */
typedef struct rule_fixture {
    kci_host_allocator_t allocator;
    kci_host_t *host;
    kc_session_t *session;
} rule_fixture_t;
void rule_fixture_begin(rule_fixture_t *fixture, uint32_t thread_count);
/* Everything of the allocator came back. */
void rule_fixture_end(rule_fixture_t *fixture);

/* Elements given in double are rounded to the dtype; of the caller. */
kc_tensor_t *rule_tensor(rule_fixture_t *fixture, int32_t dtype, int32_t rank,
                         const int64_t *dims, const double *elements);
/* Seeded numbers in [-1, 1). */
kc_tensor_t *rule_random(rule_fixture_t *fixture, int32_t dtype, int32_t rank,
                         const int64_t *dims, uint64_t seed);
double rule_element(const kc_tensor_t *tensor, int64_t place);
/* Rounded to the dtype of the tensor. */
void rule_set_element(kc_tensor_t *tensor, int64_t place, double value);

/* Inputs of one operation; NULL for absent ones. */
typedef struct rule_operands {
    int32_t op;
    const kc_attributes_t *attributes; /* NULL without any */
    kc_tensor_t *inputs[RULE_INPUTS_MAX];
    size_t input_count;
} rule_operands_t;

/* The inputs, which were the operands' own. */
void rule_operands_release(rule_operands_t *operands);

kc_tensor_t *rule_forward(rule_fixture_t *fixture,
                          const rule_operands_t *operands);
/* Which rule: where an operation has both, the tests ask for each. */
typedef enum rule_kind { RULE_COMPOSED, RULE_RUNTIME } rule_kind_t;
/* The cotangents of the wanted inputs; NULL where not wanted. Zeros that a
 * composed rule states by KCI_NO_TERM are made. What the rule saves nothing
 * of is not given to it. */
void rule_vjp(rule_fixture_t *fixture, rule_kind_t kind,
              const rule_operands_t *operands, const kc_tensor_t *output,
              const kc_tensor_t *cotangent, const bool *wanted,
              kc_tensor_t **out_cotangents);

/* float64 operands: the rule against central differences (two step widths,
 * extrapolated) of the forward, with a seeded cotangent; all differentiable
 * inputs at once, then each alone, whose bits must be the same. `tolerance`
 * is relative to 1 + |expected|. */
void rule_check_differences(rule_fixture_t *fixture, rule_kind_t kind,
                            const rule_operands_t *operands, uint64_t seed,
                            double tolerance);
/* Equal bits of two tensors of one type; any NaN equals any NaN. */
void rule_check_bits(const kc_tensor_t *found, const kc_tensor_t *expected);

#endif
