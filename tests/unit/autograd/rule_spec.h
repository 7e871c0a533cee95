/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * One operation with its operands as data, so that a test says what it looks
 * at and the same operands can be had under every dtype and thread count. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_RULE_SPEC_H
#define KC_TESTS_UNIT_AUTOGRAD_RULE_SPEC_H

#include "unit/autograd/rule_fixture.h"

#define RULE_SPEC_INPUTS 4
#define RULE_SPEC_RANK   5

/* `elements` NULL: seeded in [lo, hi), of both zero in [-1, 1); then a gap
 * keeps numbers off zero, |x| is at least as large. dtype KC_DTYPE_F32 stands
 * for the floating-point type of the run. */
typedef struct rule_input {
    int32_t dtype;
    int32_t rank;
    int64_t dims[RULE_SPEC_RANK];
    const double *elements;
    double lo;
    double hi;
    double gap;
} rule_input_t;

typedef struct rule_spec {
    int32_t op;
    rule_kind_t kind;
    kc_attributes_t attributes; /* of no struct size: none */
    size_t input_count;
    rule_input_t inputs[RULE_SPEC_INPUTS];
} rule_spec_t;

/* A composed rule of one input with an attribute `axis`, alone. */
rule_spec_t rule_spec_along(int32_t op, int32_t rank, const int64_t *dims,
                            int64_t axis);
void rule_spec_make(rule_fixture_t *fixture, const rule_spec_t *spec,
                    int32_t dtype, uint64_t seed, rule_operands_t *out);

/* float64: rule_check_differences. */
void rule_spec_differences(rule_fixture_t *fixture, const rule_spec_t *spec,
                           uint64_t seed, double tolerance);
/* Every input that has a cotangent, for this cotangent of the output, in
 * float32 and float64: element by element `expected[input]` to the bit;
 * NULL: not looked at. Numbers must be exact in float32. */
void rule_spec_values(rule_fixture_t *fixture, const rule_spec_t *spec,
                      const double *cotangent, const double *const *expected);
/* Equal bits with 1, 2 and 7 threads, float32 and float64, and some element
 * of every cotangent that is not zero. Makes its own fixtures. */
void rule_spec_threads(const rule_spec_t *spec, uint64_t seed);

#endif
