/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions under test: a geometry, and the written sum for it over
 * coordinates, for conv and conv_transpose alike.
 */
#ifndef KC_TESTS_UNIT_MODULES_CONV_PLAN_H
#define KC_TESTS_UNIT_MODULES_CONV_PLAN_H

#include "unit/modules/trial.h"

#define CONV_AXES_MAX 3

enum { CONV_UNIFORM, CONV_WILD, CONV_SPECIAL, CONV_FILL_COUNT };

/* `lead` is the product of one or two leading axes; channels are counted by
 * group. */
typedef struct plan {
    int64_t lead;
    int64_t groups;
    int64_t inputs;
    int64_t outputs;
    int32_t axes;
    int64_t in[CONV_AXES_MAX];
    int64_t kernel[CONV_AXES_MAX];
    int64_t stride[CONV_AXES_MAX];
    int64_t dilation[CONV_AXES_MAX];
    int64_t padding[CONV_AXES_MAX];
    int64_t padding_after[CONV_AXES_MAX];
} conv_plan_t;

/* One axis, no leading one, one group. */
conv_plan_t conv_plan_line(int64_t inputs, int64_t outputs, int64_t n,
                           int64_t kernel, int64_t stride, int64_t padding);

/* A geometry that fits, from the stream `state`. */
conv_plan_t conv_plan_random(uint64_t *state, int32_t op);

/* Operands without values. `leads` is the number of leading axes, 0 only for
 * a lead of 1. */
void conv_plan_begin(trial_t *trial, const conv_plan_t *plan, int32_t op,
                     int32_t dtype, int32_t leads, int has_bias);

/* Expects the written sum of random operands. */
void conv_plan_check(const conv_plan_t *plan, int32_t op, int32_t dtype,
                     int kind, uint64_t seed);

/* Expects given values of given ones; no bias when `bias` is NULL. */
void conv_plan_expect(const conv_plan_t *plan, int32_t op, int32_t dtype,
                      const double *x, const double *w, const double *bias,
                      const double *expected);

#endif
