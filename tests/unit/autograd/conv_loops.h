/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The derivatives of conv and conv_transpose as ops.md writes them, one scalar
 * at a time in float32, and seeded geometries to hold the rules against them.
 */
#ifndef KC_TESTS_UNIT_AUTOGRAD_CONV_LOOPS_H
#define KC_TESTS_UNIT_AUTOGRAD_CONV_LOOPS_H

#include "unit/autograd/rule_fixture.h"

/* Spatial axes that are not there have extent, kernel, stride 1. */
typedef struct conv_case {
    int32_t op;
    int axes;
    int batch_rank; /* leading axes */
    int64_t batch[2];
    int64_t groups;
    int64_t inputs; /* channels of x of one group */
    int64_t outputs;
    int64_t n[3];
    int64_t kernel[3];
    int64_t stride[3];
    int64_t before[3];
    int64_t after[3];
    int64_t dilation[3];
    bool has_bias;
} conv_case_t;

/* Small channels and planes, up to three axes; the window always fits. */
conv_case_t conv_case_random(int32_t op, uint64_t *state);

/* The operands of a case with what the rule and the loops make of them. */
typedef struct conv_trial {
    conv_case_t shape;
    rule_operands_t operands;
    kc_attributes_t attributes;
    kc_tensor_t *output;
    kc_tensor_t *cotangent;
    kc_tensor_t *found[3];
} conv_trial_t;
/* `trial` must not move afterwards. */
void conv_trial_begin(rule_fixture_t *fixture, const conv_case_t *shape,
                      int32_t dtype, uint64_t seed, conv_trial_t *trial);
/* The rule with all its inputs wanted; compares with the loops bit by bit. */
void conv_trial_check(rule_fixture_t *fixture, conv_trial_t *trial);
void conv_trial_end(conv_trial_t *trial);

#endif
