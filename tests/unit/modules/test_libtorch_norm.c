/* SPDX-License-Identifier: Apache-2.0
 *
 * Norms of the libtorch module: constant groups, which ATen's x a + b does not
 * bring to beta, groups without a spread, large means, and batches of one or
 * none, of which its batch norm divides by zero.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"

#define EPS 1e-5

enum { LAYER = -1 }; /* beside the modes of batch_norm */

/* x is [outer, channels, inner]; of layer_norm the last two are a row. */
static trial_t norm(int mode, int32_t dtype, int64_t outer, int64_t channels,
                    int64_t inner)
{
    trial_t trial;
    operand_t *parameter;
    trial_init(&trial, mode == LAYER ? KC_OP_LAYER_NORM : KC_OP_BATCH_NORM);
    trial_add(&trial, operand_create(dtype, SHAPE(outer, channels, inner)));
    if (mode == LAYER) {
        trial.attributes.u.layer_norm.axis = 1;
        trial.attributes.u.layer_norm.eps = EPS;
    } else {
        trial.attributes.u.batch_norm.mode = mode;
        trial.attributes.u.batch_norm.channel_axis = 1;
        trial.attributes.u.batch_norm.eps = EPS;
    }
    for (int i = 0; i < (mode == KC_BATCH_NORM_EVAL ? 4 : 2); i++) {
        parameter = mode == LAYER
                        ? operand_create(dtype, SHAPE(channels, inner))
                        : operand_create(dtype, SHAPE(channels));
        trial_add(&trial, parameter);
        for (size_t j = 0; j < parameter->count; j++) {
            operand_set(parameter, j, i % 2 == 0 ? 2 : 3);
        }
    }
    trial_set_output(&trial,
                     operand_create(dtype, SHAPE(outer, channels, inner)));
    return trial;
}

static void set_all(operand_t *operand, double value)
{
    for (size_t i = 0; i < operand->count; i++) {
        operand_set(operand, i, value);
    }
}

/* Everything is `value`: the result is beta, and nothing goes back to x. */
static void check_constant(const libtorch_t *libtorch, int mode, int32_t dtype,
                           int64_t outer, int64_t channels, int64_t inner,
                           double value)
{
    trial_t trial = norm(mode, dtype, outer, channels, inner);
    operand_t *x = trial.inputs[0];
    double *beta = new_doubles(x->count);
    double *zeros = new_doubles(x->count);
    operand_t *gradients[TRIAL_INPUTS_MAX] = {NULL};
    const double *expected[TRIAL_INPUTS_MAX] = {zeros};
    operand_t *g = operand_create(dtype, 3, x->shape);
    set_all(x, value);
    set_all(g, 1);
    for (size_t i = 0; i < x->count; i++) {
        beta[i] = 3;
    }
    gradients[0] = operand_create(dtype, 3, x->shape);
    libtorch_expect(libtorch, &trial, beta);
    libtorch_expect_vjp(libtorch, &trial, g, gradients, expected);
    operand_destroy(gradients[0]);
    operand_destroy(g);
    free(zeros);
    free(beta);
    trial_clear(&trial);
}

static void check_constants(const libtorch_t *libtorch, int64_t n, double value)
{
    for (int i = 0; i < 2; i++) {
        int32_t dtype = trial_floats[i];
        check_constant(libtorch, LAYER, dtype, 3, 1, n, value);
        check_constant(libtorch, KC_BATCH_NORM_SAMPLE, dtype, 2, 3, n, value);
        check_constant(libtorch, KC_BATCH_NORM_BATCH, dtype, 1, 3, n, value);
        check_constant(libtorch, KC_BATCH_NORM_BATCH, dtype, n, 20, 1, value);
    }
}

/* With few bits and powers of two of elements, so that means are exact. */
START_TEST(a_constant_group_is_beta)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    check_constants(&libtorch, 1, 1000.7);
    for (int64_t n = 1; n <= 64; n *= 2) {
        check_constants(&libtorch, n, 1000.75);
        check_constants(&libtorch, n, 0.109375);
        check_constants(&libtorch, n, -3e7);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* Mean, then the mean of squares around it, in double. */
static void oracle_rows(const operand_t *x, size_t n, double *y)
{
    for (size_t first = 0; first < x->count; first += n) {
        double mean = 0;
        double variance = 0;
        for (size_t i = 0; i < n; i++) {
            mean += operand_get(x, first + i) / (double)n;
        }
        for (size_t i = 0; i < n; i++) {
            double d = operand_get(x, first + i) - mean;
            variance += d * d / (double)n;
        }
        for (size_t i = 0; i < n; i++) {
            double d = operand_get(x, first + i) - mean;
            y[first + i] = d / sqrt(variance + EPS) * 2 + 3;
        }
    }
}

/* x near 1000 with a spread of 1, rows of 64: three sums in each of sixteen
 * strands, up to 4000, and four halvings of up to 64000 in all are off by at
 * most 512000 u, the mean by 9000 u; gamma is 2, and s is more than 1. */
START_TEST(a_large_mean_costs_what_its_rounding_does)
{
    const double bound = 2 * 1000 * 12 * 0x1p-24;
    libtorch_t libtorch;
    trial_t trial;
    uint64_t state = 41;
    double *y;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    trial = norm(LAYER, KC_DTYPE_F32, 20, 1, 64);
    trial.seed = state;
    y = new_doubles(trial.inputs[0]->count);
    trial_fill_uniform(trial.inputs[0], &state, 998, 1002);
    oracle_rows(trial.inputs[0], 64, y);
    ck_assert_int_eq(libtorch_forward(&libtorch, &trial), KC_OK);
    for (size_t i = 0; i < trial.output->count; i++) {
        double off = fabs(operand_get(trial.output, i) - y[i]);
        ck_assert_msg(off <= bound, "element %zu is off by %g", i, off);
    }
    free(y);
    trial_clear(&trial);
    libtorch_close(&libtorch);
}
END_TEST

/* In every mode, with and without a batch and channels. */
START_TEST(nothing_is_normalised)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int mode = LAYER; mode <= KC_BATCH_NORM_EVAL; mode++) {
        for (int i = 0; i < 3; i++) {
            trial_t trial =
                norm(mode, KC_DTYPE_F32, i != 0, 2 * (i != 1), 3 * (i != 2));
            operand_t *g =
                operand_create(KC_DTYPE_F32, 3, trial.inputs[0]->shape);
            operand_t *gradients[TRIAL_INPUTS_MAX] = {
                NULL, operand_create(KC_DTYPE_F32, trial.inputs[1]->view.ndim,
                                     trial.inputs[1]->shape)};
            double *zeros = new_doubles(6);
            const double *expected[TRIAL_INPUTS_MAX] = {NULL, zeros};
            libtorch_expect(&libtorch, &trial, NULL);
            libtorch_expect_vjp(&libtorch, &trial, g, gradients, expected);
            free(zeros);
            operand_destroy(gradients[1]);
            operand_destroy(g);
            trial_clear(&trial);
        }
    }
    libtorch_close(&libtorch);
}
END_TEST

/* ATen gives NaN. */
START_TEST(a_stored_variance_below_zero_is_zero)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        trial_t trial = norm(KC_BATCH_NORM_EVAL, trial_floats[i], 2, 2, 2);
        double expected[8];
        double eps = rounded(trial_floats[i], EPS);
        double s = rounded(trial_floats[i], sqrt(eps));
        set_all(trial.inputs[0], 4);
        set_all(trial.inputs[3], 3);
        set_all(trial.inputs[4], -1);
        for (int j = 0; j < 8; j++) {
            expected[j] = rounded(trial_floats[i],
                                  rounded(trial_floats[i], 1 / s) * 2 + 3);
        }
        libtorch_expect(&libtorch, &trial, expected);
        trial_clear(&trial);
    }
    libtorch_close(&libtorch);
}
END_TEST

TCase *tcase_libtorch_norm(void)
{
    TCase *tcase = tcase_create("libtorch_norm");
    tcase_add_test(tcase, a_constant_group_is_beta);
    tcase_add_test(tcase, a_large_mean_costs_what_its_rounding_does);
    tcase_add_test(tcase, nothing_is_normalised);
    tcase_add_test(tcase, a_stored_variance_below_zero_is_zero);
    return tcase;
}
