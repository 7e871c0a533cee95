/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The derivatives of the pools as ops.md writes them, one cell of one window
 * at a time in float32, and seeded geometries to hold the rules against them.
 */
#ifndef KC_TESTS_UNIT_AUTOGRAD_POOL_LOOPS_H
#define KC_TESTS_UNIT_AUTOGRAD_POOL_LOOPS_H

#include "unit/autograd/rule_fixture.h"

typedef struct pool_trial {
    rule_operands_t operands;
    kc_attributes_t attributes;
    kc_tensor_t *output;
    kc_tensor_t *cotangent;
    kc_tensor_t *found;
} pool_trial_t;

/* Attributes of a pool with windows of one extent on all axes. */
kc_attributes_t pool_attributes(int32_t op, int64_t axes, int64_t kernel,
                                int64_t stride, int64_t padding);
/* Takes `x`. The cotangent is seeded. `trial` must not move afterwards. */
void pool_trial_begin(rule_fixture_t *fixture,
                      const kc_attributes_t *attributes, kc_tensor_t *x,
                      uint64_t seed, pool_trial_t *trial);
/* The same with up to three axes, two leading ones, uneven windows. */
void pool_trial_random(rule_fixture_t *fixture, int32_t op, int32_t dtype,
                       uint64_t seed, pool_trial_t *trial);
/* The rule; compares with the loops bit by bit. */
void pool_trial_check(rule_fixture_t *fixture, pool_trial_t *trial);
void pool_trial_end(pool_trial_t *trial);

#endif
