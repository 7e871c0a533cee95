/* SPDX-License-Identifier: Apache-2.0
 *
 * One operation of the reference module under test: operands, attributes, and
 * the values that have to come out, bit by bit, at every number of threads.
 */
#ifndef KC_TESTS_UNIT_MODULES_TRIAL_H
#define KC_TESTS_UNIT_MODULES_TRIAL_H

#include <check.h>
#include <kcapsule/handler.h>

#include "unit/modules/operand.h"

#define TRIAL_INPUTS_MAX 5

/* Owns its operands. `seed` is printed when an expectation fails; 0: the
 * values are not random. With `in_place` the output is input 0. */
typedef struct trial {
    int32_t op;
    uint64_t seed;
    uint32_t numerics;
    int in_place;
    kc_attributes_t attributes;
    uint32_t input_count;
    operand_t *inputs[TRIAL_INPUTS_MAX];
    operand_t *output;
    kc_error_t error;
} trial_t;

void trial_init(trial_t *trial, int32_t op);
void trial_clear(trial_t *trial);

/* Moves `operand` into the next place; NULL is an absent optional one. */
operand_t *trial_add(trial_t *trial, operand_t *operand);
operand_t *trial_set_output(trial_t *trial, operand_t *operand);

/* Fills an operand from the trial's stream `state`. */
void trial_fill_uniform(operand_t *operand, uint64_t *state, double lo,
                        double hi);
void trial_fill_wild(operand_t *operand, uint64_t *state, int specials);

/* Calls the handler once. 0 threads: serial, tiles in order. */
kc_status_t trial_run(trial_t *trial, size_t thread_count);

/* Runs serially and with 1, 2 and 7 threads; each time the output has to be
 * `expected` bit by bit (any NaN for NaN), nothing else may be written. */
void trial_expect(trial_t *trial, const double *expected);

/* The same for a short list: trial_expect_values(&trial, VALUES(1, 2)). */
#define VALUES(...) ((const double[]){__VA_ARGS__})

/* The types that the reference module computes in. */
static const int32_t trial_floats[] = {KC_DTYPE_F32, KC_DTYPE_F64};

#endif
