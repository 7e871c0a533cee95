/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul and linear against the written sum, bit by bit, at sizes around the
 * edges of tiles and panels, and the sums that tell the orders apart.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

enum { UNIFORM, WILD, SPECIAL, FILL_COUNT };

static void fill(operand_t *operand, uint64_t *state, int kind)
{
    if (kind == UNIFORM) {
        trial_fill_uniform(operand, state, -2, 2);
    } else {
        trial_fill_wild(operand, state, kind == SPECIAL);
    }
}

static void check_matmul(int32_t dtype, int64_t batch, int64_t m, int64_t n,
                         int64_t p, int kind, uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    double *expected = new_doubles((size_t)(batch * m * p));
    operand_t *a;
    operand_t *b;
    size_t idx = 0;
    trial_init(&trial, KC_OP_MATMUL);
    trial.seed = seed;
    a = trial_add(&trial, operand_create(dtype, SHAPE(batch, m, n)));
    b = trial_add(&trial, operand_create(dtype, SHAPE(batch, n, p)));
    trial_set_output(&trial, operand_create(dtype, SHAPE(batch, m, p)));
    fill(a, &state, kind);
    fill(b, &state, kind);
    for (int64_t row = 0; row < batch * m; row++) {
        for (int64_t j = 0; j < p; j++) {
            expected[idx++] =
                oracle_dot(dtype, (size_t)n, a, (size_t)(row * n), 1, b,
                           (size_t)(row / m * n * p + j), (size_t)p);
        }
    }
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

START_TEST(matmul_is_the_left_fold)
{
    const int64_t sizes[][4] = {
        {1, 1, 1, 1},    {2, 3, 5, 7},     {1, 4, 128, 32},
        {1, 5, 129, 33}, {1, 70, 130, 70}, {1, 1, 300, 90},
        {1, 3, 260, 64}, {3, 65, 40, 66},  {1, 128, 9, 128}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int kind = 0; kind < FILL_COUNT; kind++) {
            check_matmul(trial_floats[_i], sizes[i][0], sizes[i][1],
                         sizes[i][2], sizes[i][3], kind, 1000 + i);
        }
    }
}
END_TEST

/* Around the widths of vectors, panels and tiles. Taken as a Latin square:
 * any two of the three extents meet in all pairs. */
static const int64_t edges[] = {1, 7, 8, 31, 32, 33, 127, 128, 129};
#define EDGE_COUNT 9
#define LATIN(i)   edges[(i) % EDGE_COUNT]

START_TEST(matmul_at_edges)
{
    for (int64_t i = 0; i < EDGE_COUNT; i++) {
        for (int kind = 0; kind < FILL_COUNT; kind++) {
            check_matmul(trial_floats[0], 1, edges[_i], LATIN(_i + i), edges[i],
                         kind, 3000 + (uint64_t)i);
            check_matmul(trial_floats[1], 1, edges[_i], LATIN(_i + i), edges[i],
                         kind, 3000 + (uint64_t)i);
        }
    }
}
END_TEST

/* Rows are taken a handful at a time: every rest of them, on every width. */
START_TEST(matmul_of_few_rows)
{
    const int64_t widths[] = {4, 12, 16, 20, 40};
    for (int64_t rows = 1; rows <= 17; rows++) {
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            check_matmul(trial_floats[_i], 1, rows, 19, widths[i], SPECIAL,
                         4000 + (uint64_t)rows);
        }
    }
}
END_TEST

START_TEST(matmul_of_nothing)
{
    check_matmul(trial_floats[_i], 2, 3, 0, 130, UNIFORM, 1); /* zeros */
    check_matmul(trial_floats[_i], 2, 0, 3, 4, UNIFORM, 1);
    check_matmul(trial_floats[_i], 2, 3, 4, 0, UNIFORM, 1);
    check_matmul(trial_floats[_i], 0, 3, 4, 5, UNIFORM, 1);
}
END_TEST

/* a . b as a 1 x n times n x 1 product and as a linear layer without bias. */
static void check_dot(int32_t dtype, int64_t n, const double *a,
                      const double *b, double expected)
{
    const int32_t ops[] = {KC_OP_MATMUL, KC_OP_LINEAR};
    const int64_t b_shapes[][2] = {{n, 1}, {1, n}};
    for (size_t i = 0; i < 2; i++) {
        trial_t trial;
        trial_init(&trial, ops[i]);
        operand_fill(trial_add(&trial, operand_create(dtype, SHAPE(1, n))), a);
        operand_fill(trial_add(&trial, operand_create(dtype, 2, b_shapes[i])),
                     b);
        trial_set_output(&trial, operand_create(dtype, SHAPE(1, 1)));
        trial_expect(&trial, &expected);
        trial_clear(&trial);
    }
}

/* Half a unit in the last place of 1, twice: the left fold drops both; from
 * the right, in pairs or in a wider type they would count. */
START_TEST(order_and_width_show)
{
    int32_t dtype = trial_floats[_i];
    double half = dtype == KC_DTYPE_F32 ? 0x1p-24 : 0x1p-53;
    check_dot(dtype, 3, VALUES(1, half, half), VALUES(1, 1, 1), 1);
    check_dot(dtype, 3, VALUES(half, half, 1), VALUES(1, 1, 1), 1 + 2 * half);
}
END_TEST

/* (1 + e)^2 - (1 + 2e) is e^2 to a fused multiply-add, 0 to two roundings. */
START_TEST(contraction_shows)
{
    int32_t dtype = trial_floats[_i];
    double e = dtype == KC_DTYPE_F32 ? 0x1p-12 : 0x1p-27;
    check_dot(dtype, 2, VALUES(-(1 + 2 * e), 1 + e), VALUES(1, 1 + e), 0);
}
END_TEST

START_TEST(sums_start_at_plus_zero)
{
    check_dot(trial_floats[_i], 2, VALUES(-0.0, 0.0), VALUES(1, -1), 0.0);
}
END_TEST

START_TEST(zero_times_infinity_is_kept)
{
    check_dot(trial_floats[_i], 3, VALUES(0, 1, 2), VALUES(INFINITY, 1, 1),
              NAN);
}
END_TEST

static void check_linear(int32_t dtype, int64_t rows, int64_t in, int64_t out,
                         int has_bias, int kind, uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    double *expected = new_doubles((size_t)(rows * out));
    operand_t *x;
    operand_t *w;
    operand_t *bias = NULL;
    trial_init(&trial, KC_OP_LINEAR);
    trial.seed = seed;
    x = trial_add(&trial, operand_create(dtype, SHAPE(rows, 1, in)));
    w = trial_add(&trial, operand_create(dtype, SHAPE(out, in)));
    fill(x, &state, kind);
    fill(w, &state, kind);
    if (has_bias) {
        bias = operand_create(dtype, SHAPE(out));
        fill(bias, &state, kind);
    }
    trial_add(&trial, bias);
    trial_set_output(&trial, operand_create(dtype, SHAPE(rows, 1, out)));
    for (size_t i = 0; i < (size_t)(rows * out); i++) {
        size_t o = i % (size_t)out;
        double sum = oracle_dot(dtype, (size_t)in, w, o * (size_t)in, 1, x,
                                i / (size_t)out * (size_t)in, 1);
        expected[i] =
            has_bias ? rounded(dtype, sum + operand_get(bias, o)) : sum;
    }
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

START_TEST(linear_at_edges)
{
    for (int64_t i = 0; i < EDGE_COUNT; i++) {
        int kind = (int)i % FILL_COUNT;
        check_linear(trial_floats[0], edges[_i], LATIN(_i + i), edges[i],
                     kind != UNIFORM, kind, 5000 + (uint64_t)i);
        check_linear(trial_floats[1], edges[_i], LATIN(_i + i), edges[i],
                     kind == UNIFORM, kind, 5000 + (uint64_t)i);
    }
}
END_TEST

START_TEST(linear_adds_its_bias_last)
{
    const int64_t sizes[][3] = {{1, 1, 1},    {1, 300, 70},  {3, 17, 33},
                                {8, 129, 64}, {70, 65, 130}, {2, 0, 100},
                                {0, 3, 4},    {2, 3, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int kind = 0; kind < FILL_COUNT; kind++) {
            for (int has_bias = 0; has_bias < 2; has_bias++) {
                check_linear(trial_floats[_i], sizes[i][0], sizes[i][1],
                             sizes[i][2], has_bias, kind, 2000 + i);
            }
        }
    }
}
END_TEST

TCase *tcase_matmul(void)
{
    TCase *tcase = tcase_create("matmul");
    tcase_add_loop_test(tcase, matmul_is_the_left_fold, 0, 2);
    tcase_add_loop_test(tcase, matmul_at_edges, 0, EDGE_COUNT);
    tcase_add_loop_test(tcase, matmul_of_few_rows, 0, 2);
    tcase_add_loop_test(tcase, matmul_of_nothing, 0, 2);
    tcase_add_loop_test(tcase, order_and_width_show, 0, 2);
    tcase_add_loop_test(tcase, contraction_shows, 0, 2);
    tcase_add_loop_test(tcase, sums_start_at_plus_zero, 0, 2);
    tcase_add_loop_test(tcase, zero_times_infinity_is_kept, 0, 2);
    tcase_add_loop_test(tcase, linear_at_edges, 0, EDGE_COUNT);
    tcase_add_loop_test(tcase, linear_adds_its_bias_last, 0, 2);
    return tcase;
}
