/* SPDX-License-Identifier: Apache-2.0
 *
 * gather and scatter_add against loops over coordinates: every type, both
 * types of indices, repeats, and the order in which repeats are added.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

/* A tensor [outer, extent, inner] and `count` indices of its axis 1. */
typedef struct plan {
    int64_t outer;
    int64_t extent;
    int64_t inner;
    int64_t count;
} plan_t;

static const plan_t plans[] = {
    {1, 5, 1, 7},    {3, 4, 5, 6},   {2, 1, 3, 9},    {1, 300, 1, 40000},
    {1, 9, 700, 50}, {40, 7, 33, 5}, {500, 3, 1, 40}, {2, 3, 4, 0},
    {0, 3, 4, 2},    {2, 3, 0, 2},   {2, 0, 3, 0}};
#define PLAN_COUNT (int)(sizeof plans / sizeof plans[0])

static operand_t *new_indices(const plan_t *plan, int32_t dtype,
                              uint64_t *state)
{
    operand_t *indices = operand_create(dtype, SHAPE(plan->count));
    for (size_t j = 0; j < indices->count; j++) {
        operand_set(indices, j,
                    (double)(random_word(state) % (uint64_t)plan->extent));
    }
    return indices;
}

/* Place of [outer, at, inner] in a tensor of `extent` on the axis. */
static size_t place(const plan_t *plan, int64_t extent, size_t outer, size_t at,
                    size_t inner)
{
    return (outer * (size_t)extent + at) * (size_t)plan->inner + inner;
}

static void check_gather(const plan_t *plan, int32_t dtype, int32_t index_type)
{
    const size_t slice = (size_t)(plan->count * plan->inner);
    uint64_t state = 11;
    trial_t trial;
    operand_t *x;
    operand_t *indices;
    double *expected;
    trial_init(&trial, KC_OP_GATHER);
    trial.attributes.u.axis.axis = 1;
    x = trial_add(&trial, operand_create(dtype, SHAPE(plan->outer, plan->extent,
                                                      plan->inner)));
    for (size_t i = 0; i < x->storage; i++) {
        operand_set(x, i,
                    dtype == KC_DTYPE_BOOL ? (double)(i % 3 == 0)
                                           : (double)i - 20);
    }
    indices = trial_add(&trial, new_indices(plan, index_type, &state));
    trial_set_output(
        &trial,
        operand_create(dtype, SHAPE(plan->outer, plan->count, plan->inner)));
    expected = new_doubles(trial.output->count);
    for (size_t i = 0; i < trial.output->count; i++) {
        size_t j = i % slice / (size_t)plan->inner;
        expected[i] = operand_get(x, place(plan, plan->extent, i / slice,
                                           (size_t)operand_get(indices, j),
                                           i % (size_t)plan->inner));
    }
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

START_TEST(gather_selects_slices)
{
    for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        check_gather(&plans[_i], dtype, KC_DTYPE_I64);
        check_gather(&plans[_i], dtype, KC_DTYPE_I32);
    }
}
END_TEST

static void check_scatter(const plan_t *plan, int32_t dtype, int in_place,
                          int32_t index_type)
{
    uint64_t state = 12;
    trial_t trial;
    operand_t *base;
    operand_t *source;
    operand_t *indices;
    double *expected;
    trial_init(&trial, KC_OP_SCATTER_ADD);
    trial.in_place = in_place;
    trial.attributes.u.axis.axis = 1;
    base = trial_add(
        &trial,
        operand_create(dtype, SHAPE(plan->outer, plan->extent, plan->inner)));
    indices = trial_add(&trial, new_indices(plan, index_type, &state));
    source = trial_add(
        &trial,
        operand_create(dtype, SHAPE(plan->outer, plan->count, plan->inner)));
    trial_set_output(&trial, operand_create(dtype, 3, base->shape));
    trial_fill_wild(base, &state, 1);
    trial_fill_wild(source, &state, 1);
    expected = new_doubles(base->count);
    for (size_t i = 0; i < base->count; i++) {
        expected[i] = operand_get(base, i);
    }
    for (size_t i = 0; i < source->count; i++) { /* j ascends with i */
        size_t inner = i % (size_t)plan->inner;
        size_t j = i / (size_t)plan->inner % (size_t)plan->count;
        size_t outer = i / (size_t)(plan->inner * plan->count);
        size_t to = place(plan, plan->extent, outer,
                          (size_t)operand_get(indices, j), inner);
        expected[to] = rounded(dtype, expected[to] + operand_get(source, i));
    }
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

START_TEST(scatter_add_adds_in_order)
{
    for (int i = 0; i < 2; i++) {
        check_scatter(&plans[_i], trial_floats[i], 0, KC_DTYPE_I64);
        check_scatter(&plans[_i], trial_floats[i], 0, KC_DTYPE_I32);
        check_scatter(&plans[_i], trial_floats[i], 1, KC_DTYPE_I64);
    }
}
END_TEST

/* Into 0: 1, then half a unit in the last place twice, each of which is
 * dropped; in any other order they count. */
START_TEST(repeats_accumulate_in_ascending_order)
{
    int32_t dtype = trial_floats[_i];
    double half = dtype == KC_DTYPE_F32 ? 0x1p-24 : 0x1p-53;
    trial_t trial;
    trial_init(&trial, KC_OP_SCATTER_ADD);
    trial_add(&trial, operand_create(dtype, SHAPE(2)));
    operand_fill(trial_add(&trial, operand_create(KC_DTYPE_I64, SHAPE(6))),
                 VALUES(1, 1, 1, 0, 0, 0));
    operand_fill(trial_add(&trial, operand_create(dtype, SHAPE(6))),
                 VALUES(1, half, half, half, half, 1));
    trial_set_output(&trial, operand_create(dtype, SHAPE(2)));
    trial_expect(&trial, VALUES(1 + 2 * half, 1));
    trial_clear(&trial);
}
END_TEST

/* A slot nobody adds to keeps its bits; -0 + -0 stays -0. */
START_TEST(untouched_slots_are_copies)
{
    trial_t trial;
    trial_init(&trial, KC_OP_SCATTER_ADD);
    operand_fill(trial_add(&trial, operand_create(KC_DTYPE_F32, SHAPE(4))),
                 VALUES(-0.0, NAN, -0.0, 0x1p-149));
    operand_fill(trial_add(&trial, operand_create(KC_DTYPE_I32, SHAPE(1))),
                 VALUES(2));
    operand_fill(trial_add(&trial, operand_create(KC_DTYPE_F32, SHAPE(1))),
                 VALUES(-0.0));
    trial_set_output(&trial, operand_create(KC_DTYPE_F32, SHAPE(4)));
    trial_expect(&trial, VALUES(-0.0, NAN, -0.0, 0x1p-149));
    trial_clear(&trial);
}
END_TEST

TCase *tcase_index(void)
{
    TCase *tcase = tcase_create("index");
    tcase_add_loop_test(tcase, gather_selects_slices, 0, PLAN_COUNT);
    tcase_add_loop_test(tcase, scatter_add_adds_in_order, 0, PLAN_COUNT);
    tcase_add_loop_test(tcase, repeats_accumulate_in_ascending_order, 0, 2);
    tcase_add_test(tcase, untouched_slots_are_copies);
    return tcase;
}
