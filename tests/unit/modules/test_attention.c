/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention of the reference module against the written formula, bit by bit,
 * with every form of mask, and what a blocked key must never do.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

/* q [batch, heads, queries, width], k and v alike. `mask_rank` -1: none;
 * otherwise mask_shape, right-aligned with [batch, heads, queries, keys]. */
typedef struct geometry {
    int64_t batch;
    int64_t heads;
    int64_t queries;
    int64_t keys;
    int64_t width;
    int64_t value_width;
    int32_t causal;
    int32_t mask_rank;
    int64_t mask_shape[4];
} geometry_t;

static int is_allowed(const geometry_t *g, const operand_t *mask, size_t head,
                      size_t i, size_t j)
{
    const size_t place[4] = {head / (size_t)g->heads, head % (size_t)g->heads,
                             i, j};
    size_t idx = 0;
    if (g->causal && j > i) {
        return 0;
    }
    if (mask == NULL) {
        return 1;
    }
    for (int32_t axis = 0; axis < g->mask_rank; axis++) {
        int64_t extent = g->mask_shape[axis];
        idx = idx * (size_t)extent +
              (extent == 1 ? 0 : place[axis + 4 - g->mask_rank]);
    }
    return operand_get(mask, idx) != 0;
}

static void expect_row(const geometry_t *g, const trial_t *trial, size_t head,
                       size_t i, double *out_row)
{
    const operand_t *q = trial->inputs[0];
    const operand_t *k = trial->inputs[1];
    const operand_t *v = trial->inputs[2];
    const operand_t *mask = trial->inputs[3];
    const int32_t dtype = q->dtype;
    const double scale = rounded(dtype, trial->attributes.u.attention.scale);
    const size_t keys = (size_t)g->keys;
    const size_t width = (size_t)g->width;
    double *weight = new_doubles(keys);
    unsigned char *allowed = calloc(keys + 1, 1);
    ck_assert_ptr_nonnull(allowed);
    for (size_t j = 0; j < keys; j++) {
        double dot =
            oracle_dot(dtype, width, q, (head * (size_t)g->queries + i) * width,
                       1, k, (head * keys + j) * width, 1);
        weight[j] = rounded(dtype, dot * scale);
        allowed[j] = (unsigned char)is_allowed(g, mask, head, i, j);
    }
    oracle_softmax(dtype, keys, weight, allowed, weight);
    for (size_t c = 0; c < (size_t)g->value_width; c++) {
        double sum = 0;
        for (size_t j = 0; j < keys; j++) {
            double value =
                operand_get(v, (head * keys + j) * (size_t)g->value_width + c);
            if (allowed[j]) {
                sum = rounded(dtype, sum + rounded(dtype, weight[j] * value));
            }
        }
        out_row[c] = sum;
    }
    free(allowed);
    free(weight);
}

static void init_trial(trial_t *trial, const geometry_t *g, int32_t dtype,
                       uint64_t seed)
{
    trial_init(trial, KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    trial->seed = seed;
    trial->attributes.u.attention.causal = g->causal;
    trial->attributes.u.attention.scale = 1 / sqrt((double)g->width + 1);
    trial_add(trial, operand_create(dtype, SHAPE(g->batch, g->heads, g->queries,
                                                 g->width)));
    trial_add(trial, operand_create(
                         dtype, SHAPE(g->batch, g->heads, g->keys, g->width)));
    trial_add(trial, operand_create(dtype, SHAPE(g->batch, g->heads, g->keys,
                                                 g->value_width)));
    trial_add(trial,
              g->mask_rank < 0
                  ? NULL
                  : operand_create(KC_DTYPE_BOOL, g->mask_rank, g->mask_shape));
    trial_set_output(trial,
                     operand_create(dtype, SHAPE(g->batch, g->heads, g->queries,
                                                 g->value_width)));
}

static void check_geometry(const geometry_t *g, int32_t dtype, int wild,
                           uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    size_t rows = (size_t)(g->batch * g->heads * g->queries);
    double *expected = new_doubles(rows * (size_t)g->value_width);
    init_trial(&trial, g, dtype, seed);
    for (int i = 0; i < 3; i++) {
        if (wild) {
            trial_fill_wild(trial.inputs[i], &state, 1);
        } else {
            trial_fill_uniform(trial.inputs[i], &state, -2, 2);
        }
    }
    for (size_t i = 0; g->mask_rank >= 0 && i < trial.inputs[3]->count; i++) {
        operand_set(trial.inputs[3], i, random_word(&state) % 3 != 0);
    }
    for (size_t row = 0; row < rows; row++) {
        expect_row(g, &trial, row / (size_t)g->queries,
                   row % (size_t)g->queries,
                   expected + row * (size_t)g->value_width);
    }
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

static const geometry_t geometries[] = {
    {1, 1, 1, 1, 1, 1, 0, -1, {0}},
    {2, 3, 5, 7, 4, 6, 0, -1, {0}},
    {2, 3, 5, 7, 4, 6, 1, -1, {0}},
    {1, 2, 9, 4, 3, 2, 1, -1, {0}},
    {2, 3, 5, 7, 4, 6, 0, 2, {5, 7}},
    {2, 3, 5, 7, 4, 6, 1, 2, {5, 7}},
    {2, 3, 5, 7, 4, 6, 0, 4, {2, 3, 5, 7}},
    {2, 3, 5, 7, 4, 6, 0, 4, {2, 1, 1, 7}},
    {2, 3, 5, 7, 4, 6, 0, 4, {1, 3, 5, 1}},
    {2, 3, 5, 7, 4, 6, 0, 3, {3, 1, 7}},
    {2, 3, 5, 7, 4, 6, 0, 1, {7}},
    {2, 3, 5, 7, 4, 6, 0, 0, {0}},
    {2, 3, 33, 40, 17, 9, 1, 4, {2, 1, 33, 40}},
    {3, 4, 70, 66, 16, 24, 0, 2, {70, 66}},
    {1, 1, 5, 7, 0, 6, 0, -1, {0}}, /* no features: uniform weights */
    {0, 3, 5, 7, 4, 6, 0, -1, {0}},
    {2, 3, 5, 7, 4, 0, 0, -1, {0}}};
#define GEOMETRY_COUNT (int)(sizeof geometries / sizeof geometries[0])

START_TEST(attention_is_the_written_formula)
{
    for (size_t type = 0; type < 2; type++) {
        for (int wild = 0; wild < 2; wild++) {
            check_geometry(&geometries[_i], trial_floats[type], wild,
                           9000 + (uint64_t)_i);
        }
    }
}
END_TEST

/* One head of width 1, two queries and two keys. */
static void check_small(int32_t dtype, const double *k, const double *v,
                        const double *mask, const double *expected)
{
    const geometry_t g = {1, 1, 2, 2, 1, 1, 0, 2, {2, 2}};
    trial_t trial;
    init_trial(&trial, &g, dtype, 0);
    operand_fill(trial.inputs[0], VALUES(1, 1));
    operand_fill(trial.inputs[1], k);
    operand_fill(trial.inputs[2], v);
    operand_fill(trial.inputs[3], mask);
    trial_expect(&trial, expected);
    trial_clear(&trial);
}

START_TEST(a_fully_blocked_row_is_zero)
{
    check_small(trial_floats[_i], VALUES(1, 1), VALUES(3, 5),
                VALUES(1, 1, 0, 0), VALUES(4, 0.0));
}
END_TEST

START_TEST(true_means_may_attend)
{
    check_small(trial_floats[_i], VALUES(1, 1), VALUES(10, 20),
                VALUES(1, 0, 1, 1), VALUES(10, 15));
}
END_TEST

START_TEST(a_blocked_key_never_reaches_the_output)
{
    const double evil[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        check_small(trial_floats[_i], VALUES(1, evil[i]), VALUES(10, 20),
                    VALUES(1, 0, 0, 0), VALUES(10, 0.0));
        check_small(trial_floats[_i], VALUES(1, 1), VALUES(10, evil[i]),
                    VALUES(1, 0, 0, 0), VALUES(10, 0.0));
        check_small(trial_floats[_i], VALUES(evil[i], 1), VALUES(evil[i], 20),
                    VALUES(0, 1, 0, 0), VALUES(20, 0.0));
    }
}
END_TEST

/* A mask of ones is no mask; causality is the mask j <= i. */
START_TEST(masks_that_say_the_same)
{
    const geometry_t forms[] = {{1, 2, 9, 9, 5, 4, 0, -1, {0}},
                                {1, 2, 9, 9, 5, 4, 0, 2, {9, 9}},
                                {1, 2, 9, 9, 5, 4, 1, -1, {0}},
                                {1, 2, 9, 9, 5, 4, 0, 2, {9, 9}}};
    double *first = new_doubles(2 * 9 * 4);
    for (size_t f = 0; f < 4; f++) {
        trial_t trial;
        uint64_t state = 9100;
        init_trial(&trial, &forms[f], trial_floats[_i], 9100);
        for (int i = 0; i < 3; i++) {
            trial_fill_uniform(trial.inputs[i], &state, -2, 2);
        }
        for (size_t i = 0; forms[f].mask_rank == 2 && i < 81; i++) {
            operand_set(trial.inputs[3], i, f == 1 || i % 9 <= i / 9);
        }
        if (f % 2 == 0) {
            ck_assert_int_eq(trial_run(&trial, 1), KC_OK);
            for (size_t i = 0; i < trial.output->count; i++) {
                first[i] = operand_get(trial.output, i);
            }
        } else {
            trial_expect(&trial, first);
        }
        trial_clear(&trial);
    }
    free(first);
}
END_TEST

/* Identity values show the weights: the demonstration of boolean masks. */
START_TEST(weights_of_the_demonstration)
{
    const geometry_t g = {1, 1, 3, 3, 3, 3, 1, -1, {0}};
    const double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double scores[] = {1, 2, 3, .5, 0, -.5, 2, 2, 2};
    const double weights[] = {1, 0,       0,       0.622459, 0.377541,
                              0, 1.0 / 3, 1.0 / 3, 1.0 / 3};
    trial_t trial;
    init_trial(&trial, &g, trial_floats[_i], 0);
    trial.attributes.u.attention.scale = 1;
    operand_fill(trial.inputs[0], scores);
    operand_fill(trial.inputs[1], identity);
    operand_fill(trial.inputs[2], identity);
    ck_assert_int_eq(trial_run(&trial, 1), KC_OK);
    for (size_t i = 0; i < 9; i++) {
        double weight = operand_get(trial.output, i);
        ck_assert_double_eq_tol(weight, weights[i], 5e-7);
        ck_assert(weights[i] != 0 || same_bits(weight, 0.0));
    }
    trial_clear(&trial);
}
END_TEST

TCase *tcase_attention(void)
{
    TCase *tcase = tcase_create("attention");
    tcase_add_loop_test(tcase, attention_is_the_written_formula, 0,
                        GEOMETRY_COUNT);
    tcase_add_loop_test(tcase, a_fully_blocked_row_is_zero, 0, 2);
    tcase_add_loop_test(tcase, true_means_may_attend, 0, 2);
    tcase_add_loop_test(tcase, a_blocked_key_never_reaches_the_output, 0, 2);
    tcase_add_loop_test(tcase, masks_that_say_the_same, 0, 2);
    tcase_add_loop_test(tcase, weights_of_the_demonstration, 0, 2);
    return tcase;
}
