/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Checks over seeded geometries, by the loops of conv_loops.c.
 */
#include "unit/autograd/conv_checks.h"

#include <math.h>

#include "unit/expect.h"

/* Sums of differences have some hundred terms of size 1 at most, known to
 * 1e-13 of the step 1e-4; the rule itself is exact to 1e-14. */
#define TOLERANCE 1e-8

void conv_check_bits(int32_t op, uint64_t first_seed)
{
    rule_fixture_t fixture;
    rule_fixture_begin(&fixture, 2);
    for (uint64_t seed = first_seed; seed < first_seed + 10; seed++) {
        uint64_t state = seed;
        conv_trial_t trial;
        const conv_case_t shape = conv_case_random(op, &state);
        conv_trial_begin(&fixture, &shape, KC_DTYPE_F32, state, &trial);
        conv_trial_check(&fixture, &trial);
        conv_trial_end(&trial);
    }
    rule_fixture_end(&fixture);
}

void conv_check_differences(int32_t op)
{
    rule_fixture_t fixture;
    rule_fixture_begin(&fixture, 1);
    for (uint64_t seed = 100; seed < 112; seed++) {
        uint64_t state = seed;
        conv_trial_t trial;
        conv_case_t shape = conv_case_random(op, &state);
        shape.has_bias = seed % 2 == 0;
        conv_trial_begin(&fixture, &shape, KC_DTYPE_F64, seed, &trial);
        rule_check_differences(&fixture, RULE_RUNTIME, &trial.operands, seed,
                               TOLERANCE);
        conv_trial_end(&trial);
    }
    rule_fixture_end(&fixture);
}

void conv_check_empty_sums(const conv_case_t *shape, int64_t padding)
{
    rule_fixture_t fixture;
    conv_trial_t trial;
    rule_fixture_begin(&fixture, 2);
    for (int kind = 0; kind < 4; kind++) {
        conv_case_t empty = *shape;
        int64_t *const extents[] = {&empty.batch[0], &empty.inputs,
                                    &empty.outputs, &empty.n[1]};
        *extents[kind] = 0;
        empty.before[1] = kind == 3 ? padding : shape->before[1];
        conv_trial_begin(&fixture, &empty, KC_DTYPE_F32, 5, &trial);
        conv_trial_check(&fixture, &trial);
        conv_trial_end(&trial);
    }
    rule_fixture_end(&fixture);
}

void conv_check_infinite_cotangent(const conv_case_t *shape,
                                   conv_reach_fn reaches)
{
    rule_fixture_t fixture;
    conv_trial_t trial;
    conv_case_t single = *shape;
    rule_fixture_begin(&fixture, 1);
    single.batch_rank = 0;
    single.batch[0] = 1;
    conv_trial_begin(&fixture, &single, KC_DTYPE_F32, 7, &trial);
    rule_set_element(trial.cotangent, 0, INFINITY);
    conv_trial_check(&fixture, &trial);
    for (int input = 0; input < 3; input++) {
        const kc_tensor_t *found = trial.found[input];
        for (int64_t i = 0; i < kc_tensor_element_count(&found->view); i++) {
            ck_assert_int_eq(isfinite(rule_element(found, i)) == 0,
                             reaches(input, i));
        }
    }
    conv_trial_end(&trial);
    rule_fixture_end(&fixture);
}
