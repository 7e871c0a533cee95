/* SPDX-License-Identifier: Apache-2.0
 *
 * layer_norm and batch_norm against one pass over the elements in row-major
 * order, which adds each to the sum of its group.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

#define EPS 1e-5

enum { LAYER = -1 }; /* beside the modes of batch_norm */

/* x seen as [outer, extent of `axis`, inner]; layer_norm: axis and inner are
 * one. */
typedef struct plan {
    int mode;
    int32_t axis;
    int32_t rank;
    int64_t shape[4];
} plan_t;

static const plan_t plans[] = {{LAYER, 1, 2, {3, 5}},
                               {LAYER, 2, 3, {4, 5, 64}},
                               {LAYER, 1, 3, {17, 3, 7}},
                               {LAYER, 0, 2, {6, 9}},
                               {LAYER, 3, 4, {2, 9, 8, 1}},
                               {LAYER, 1, 2, {130, 257}},
                               {KC_BATCH_NORM_SAMPLE, 0, 3, {5, 6, 7}},
                               {KC_BATCH_NORM_SAMPLE, 1, 3, {3, 20, 9}},
                               {KC_BATCH_NORM_SAMPLE, 2, 4, {2, 3, 18, 5}},
                               {KC_BATCH_NORM_SAMPLE, 1, 2, {3, 4}},
                               {KC_BATCH_NORM_SAMPLE, 0, 1, {40}},
                               {KC_BATCH_NORM_SAMPLE, 1, 4, {2, 37, 30, 30}},
                               {KC_BATCH_NORM_BATCH, 1, 2, {9, 20}},
                               {KC_BATCH_NORM_BATCH, 1, 4, {5, 18, 3, 7}},
                               {KC_BATCH_NORM_BATCH, 2, 3, {5, 7, 33}},
                               {KC_BATCH_NORM_BATCH, 1, 2, {1, 3}},
                               {KC_BATCH_NORM_BATCH, 1, 3, {40, 33, 50}},
                               {KC_BATCH_NORM_EVAL, 0, 2, {5, 6}},
                               {KC_BATCH_NORM_EVAL, 1, 2, {7, 19}},
                               {KC_BATCH_NORM_EVAL, 1, 4, {3, 5, 4, 6}},
                               {KC_BATCH_NORM_EVAL, 3, 4, {2, 30, 30, 17}}};
#define PLAN_COUNT (int)(sizeof plans / sizeof plans[0])

static size_t product(const plan_t *plan, int32_t first, int32_t end)
{
    size_t count = 1;
    for (int32_t i = first; i < end; i++) {
        count *= (size_t)plan->shape[i];
    }
    return count;
}

/* Of an element: the group it is in and its entry of gamma and beta. */
static size_t group_of(const plan_t *plan, size_t idx)
{
    size_t inner = product(plan, plan->axis + 1, plan->rank);
    size_t extent = (size_t)plan->shape[plan->axis];
    switch (plan->mode) {
    case LAYER:
        return idx / (extent * inner);
    case KC_BATCH_NORM_BATCH:
        return idx / inner % extent;
    default:
        return idx / inner;
    }
}

static size_t entry_of(const plan_t *plan, size_t idx)
{
    size_t inner = product(plan, plan->axis + 1, plan->rank);
    size_t extent = (size_t)plan->shape[plan->axis];
    return plan->mode == LAYER ? idx % (extent * inner) : idx / inner % extent;
}

/* Means and variances of all groups by the two written passes. */
static void oracle_statistics(const plan_t *plan, const operand_t *x,
                              double *mean, double *variance)
{
    double *counts = new_doubles(x->count);
    for (size_t i = 0; i < x->count; i++) {
        size_t g = group_of(plan, i);
        mean[g] = rounded(x->dtype, mean[g] + operand_get(x, i));
        counts[g]++;
    }
    for (size_t g = 0; g < x->count && counts[g] > 0; g++) {
        mean[g] = rounded(x->dtype, mean[g] / counts[g]);
    }
    for (size_t i = 0; i < x->count; i++) {
        size_t g = group_of(plan, i);
        double d = rounded(x->dtype, operand_get(x, i) - mean[g]);
        variance[g] = rounded(x->dtype, variance[g] + rounded(x->dtype, d * d));
    }
    for (size_t g = 0; g < x->count && counts[g] > 0; g++) {
        variance[g] = rounded(x->dtype, variance[g] / counts[g]);
    }
    free(counts);
}

static void stored_statistics(const plan_t *plan, const trial_t *trial,
                              double *mean, double *variance)
{
    for (size_t i = 0; i < trial->inputs[0]->count; i++) {
        size_t g = group_of(plan, i);
        double stored = operand_get(trial->inputs[4], entry_of(plan, i));
        mean[g] = operand_get(trial->inputs[3], entry_of(plan, i));
        variance[g] = stored < 0 ? 0 : stored;
    }
}

static double *oracle(const plan_t *plan, const trial_t *trial)
{
    const operand_t *x = trial->inputs[0];
    const int32_t dtype = x->dtype;
    const double eps = rounded(dtype, EPS);
    double *mean = new_doubles(x->count);
    double *variance = new_doubles(x->count);
    double *y = new_doubles(x->count);
    if (plan->mode == KC_BATCH_NORM_EVAL) {
        stored_statistics(plan, trial, mean, variance);
    } else {
        oracle_statistics(plan, x, mean, variance);
    }
    for (size_t i = 0; i < x->count; i++) {
        size_t g = group_of(plan, i);
        double s = rounded(dtype, sqrt(rounded(dtype, variance[g] + eps)));
        double d = rounded(dtype, operand_get(x, i) - mean[g]);
        double gamma = 1;
        double beta = 0;
        if (trial->input_count > 1) {
            gamma = operand_get(trial->inputs[1], entry_of(plan, i));
            beta = operand_get(trial->inputs[2], entry_of(plan, i));
        }
        y[i] = rounded(dtype, rounded(dtype, d / s) * gamma);
        y[i] = rounded(dtype, y[i] + beta);
    }
    free(mean);
    free(variance);
    return y;
}

/* Input 0 alone; the caller adds what it wants. */
static void begin(trial_t *trial, const plan_t *plan, int32_t dtype)
{
    trial_init(trial,
               plan->mode == LAYER ? KC_OP_LAYER_NORM : KC_OP_BATCH_NORM);
    if (plan->mode == LAYER) {
        trial->attributes.u.layer_norm.axis = plan->axis;
        trial->attributes.u.layer_norm.eps = EPS;
    } else {
        trial->attributes.u.batch_norm.mode = plan->mode;
        trial->attributes.u.batch_norm.channel_axis = plan->axis;
        trial->attributes.u.batch_norm.eps = EPS;
    }
    trial_add(trial, operand_create(dtype, plan->rank, plan->shape));
    trial_set_output(trial, operand_create(dtype, plan->rank, plan->shape));
}

/* gamma and beta; for eval the stored mean and variance as well. */
static void add_parameters(trial_t *trial, const plan_t *plan, uint64_t *state)
{
    int32_t dtype = trial->inputs[0]->dtype;
    int32_t count = plan->mode == KC_BATCH_NORM_EVAL ? 4 : 2;
    int32_t rank = plan->mode == LAYER ? plan->rank - plan->axis : 1;
    for (int32_t i = 0; i < count; i++) {
        trial_fill_uniform(
            trial_add(trial,
                      operand_create(dtype, rank, plan->shape + plan->axis)),
            state, i == 3 ? -0.2 : -2, 2); /* a variance may be negative */
    }
}

static void expect_oracle(const plan_t *plan, trial_t *trial)
{
    double *expected = oracle(plan, trial);
    trial_expect(trial, expected);
    free(expected);
}

START_TEST(norms_are_the_written_passes)
{
    for (int i = 0; i < 2; i++) {
        for (int wild = 0; wild < 3; wild++) {
            trial_t trial;
            uint64_t state = 300 + (uint64_t)_i;
            begin(&trial, &plans[_i], trial_floats[i]);
            trial.seed = state;
            trial.in_place = wild == 0;
            if (wild == 0) {
                trial_fill_uniform(trial.inputs[0], &state, -3, 5);
            } else {
                trial_fill_wild(trial.inputs[0], &state, wild == 2);
            }
            add_parameters(&trial, &plans[_i], &state);
            expect_oracle(&plans[_i], &trial);
            trial_clear(&trial);
        }
    }
}
END_TEST

START_TEST(layer_norm_without_parameters)
{
    const plan_t plan = {LAYER, 1, 2, {20, 33}};
    trial_t trial;
    uint64_t state = 5;
    begin(&trial, &plan, trial_floats[_i]);
    trial_fill_uniform(trial.inputs[0], &state, -1, 1);
    operand_set(trial.inputs[0], 0, -0.0);
    for (size_t k = 1; k < 33; k++) { /* mean 0: x - mean is -0 */
        operand_set(trial.inputs[0], k, k < 17 ? 1 : -1);
    }
    expect_oracle(&plan, &trial);
    ck_assert(same_bits(operand_get(trial.output, 0), 0.0));
    trial_clear(&trial);
}
END_TEST

/* Each row alone gives the bits it has in the batch. */
START_TEST(rows_do_not_know_the_batch)
{
    const plan_t plan = {LAYER, 1, 2, {37, 19}};
    const plan_t row_plan = {LAYER, 1, 2, {1, 19}};
    trial_t trial;
    uint64_t state = 6;
    begin(&trial, &plan, trial_floats[_i]);
    trial_fill_uniform(trial.inputs[0], &state, -1, 1);
    add_parameters(&trial, &plan, &state);
    ck_assert_int_eq(trial_run(&trial, 2), KC_OK);
    for (size_t r = 0; r < 37; r++) {
        trial_t row;
        double expected[19];
        begin(&row, &row_plan, trial_floats[_i]);
        add_parameters(&row, &row_plan, &state);
        for (size_t k = 0; k < 19; k++) {
            operand_set(row.inputs[0], k,
                        operand_get(trial.inputs[0], r * 19 + k));
            operand_set(row.inputs[1], k, operand_get(trial.inputs[1], k));
            operand_set(row.inputs[2], k, operand_get(trial.inputs[2], k));
            expected[k] = operand_get(trial.output, r * 19 + k);
        }
        trial_expect(&row, expected);
        trial_clear(&row);
    }
    trial_clear(&trial);
}
END_TEST

static void expect_layer(int32_t dtype, int64_t rows, int64_t n,
                         const double *x, const double *expected)
{
    const plan_t plan = {LAYER, 1, 2, {rows, n}};
    trial_t trial;
    begin(&trial, &plan, dtype);
    operand_fill(trial.inputs[0], x);
    trial_expect(&trial, expected);
    trial_clear(&trial);
}

START_TEST(edges)
{
    int32_t dtype = trial_floats[_i];
    expect_layer(dtype, 2, 1, VALUES(5, -7), VALUES(0, 0));
    expect_layer(dtype, 1, 4, VALUES(3, 3, 3, 3), VALUES(0, 0, 0, 0));
    /* NaN and infinity spoil their own row only. */
    expect_layer(dtype, 3, 2, VALUES(2, 2, NAN, 1, INFINITY, 1),
                 VALUES(0, 0, NAN, NAN, NAN, NAN));
}
END_TEST

/* The variance is the population's: 1 for -1 and 1. */
START_TEST(variance_divides_by_the_count)
{
    double s = sqrt(1 + (double)(float)EPS);
    expect_layer(
        KC_DTYPE_F32, 1, 2, VALUES(-1, 1),
        VALUES((float)(-1 / (double)(float)s), (float)(1 / (double)(float)s)));
}
END_TEST

/* Half a unit in the last place of 1, twice: dropped in row-major order over
 * batch and then space, counted in any other. */
START_TEST(batch_statistics_run_over_the_batch_first)
{
    int32_t dtype = trial_floats[_i];
    double half = dtype == KC_DTYPE_F32 ? 0x1p-24 : 0x1p-53;
    const plan_t plan = {KC_BATCH_NORM_BATCH, 1, 3, {2, 1, 2}};
    trial_t trial;
    uint64_t state = 1;
    begin(&trial, &plan, dtype);
    operand_fill(trial.inputs[0], VALUES(1, half, half, -1));
    add_parameters(&trial, &plan, &state);
    operand_set(trial.inputs[1], 0, 1);
    operand_set(trial.inputs[2], 0, 0);
    expect_oracle(&plan, &trial);
    ck_assert_double_gt(operand_get(trial.output, 1), 0); /* the mean is 0 */
    trial_clear(&trial);
}
END_TEST

TCase *tcase_norm(void)
{
    TCase *tcase = tcase_create("norm");
    tcase_add_loop_test(tcase, norms_are_the_written_passes, 0, PLAN_COUNT);
    tcase_add_loop_test(tcase, layer_norm_without_parameters, 0, 2);
    tcase_add_loop_test(tcase, rows_do_not_know_the_batch, 0, 2);
    tcase_add_loop_test(tcase, edges, 0, 2);
    tcase_add_test(tcase, variance_divides_by_the_count);
    tcase_add_loop_test(tcase, batch_statistics_run_over_the_batch_first, 0, 2);
    return tcase;
}
