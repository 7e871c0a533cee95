/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul and linear by LibTorch, on small integers, whose sums are exact in
 * any order: results of every small shape, products over nothing, what a zero
 * does to infinities, and the bias, which is last.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"

typedef struct sides {
    int64_t batch;
    int64_t m;
    int64_t n;
    int64_t p;
} sides_t;

static operand_t *integers(int32_t dtype, int64_t batch, int64_t rows,
                           int64_t columns, uint64_t *state)
{
    operand_t *operand = operand_create(dtype, SHAPE(batch, rows, columns));
    for (size_t i = 0; i < operand->count; i++) {
        operand_set(operand, i, (double)(random_word(state) % 9) - 4);
    }
    return operand;
}

/* out[b, i, j] = the sum over k of a[b, i, k] b[b, k, j]; 't' where an operand
 * is read with its last axes exchanged. */
static double *products(const operand_t *a, int a_turned, const operand_t *b,
                        int b_turned)
{
    const int64_t batch = a->shape[0];
    const int64_t rows = a->shape[a_turned ? 2 : 1];
    const int64_t middle = a->shape[a_turned ? 1 : 2];
    const int64_t columns = b->shape[b_turned ? 1 : 2];
    double *out = new_doubles((size_t)(batch * rows * columns));
    for (int64_t at = 0; at < batch * rows * columns; at++) {
        int64_t i = at / columns % rows;
        int64_t j = at % columns;
        int64_t first = at / columns / rows * middle;
        for (int64_t k = 0; k < middle; k++) {
            int64_t left =
                first * rows + (a_turned ? k * rows + i : i * middle + k);
            int64_t right =
                first * columns + (b_turned ? j * middle + k : k * columns + j);
            out[at] +=
                operand_get(a, (size_t)left) * operand_get(b, (size_t)right);
        }
    }
    return out;
}

/* An infinity in `a` meets zeros of `b` when `wild`. */
static void check_product(const libtorch_t *libtorch, int32_t dtype, sides_t s,
                          int wild)
{
    trial_t trial;
    uint64_t state = 70 + (uint64_t)(s.m + 64 * s.n + 4096 * s.p);
    double *y;
    double *expected[2];
    operand_t *gradients[2];
    operand_t *g;
    trial_init(&trial, KC_OP_MATMUL);
    trial.seed = state;
    trial_add(&trial, integers(dtype, s.batch, s.m, s.n, &state));
    trial_add(&trial, integers(dtype, s.batch, s.n, s.p, &state));
    trial_set_output(&trial, operand_create(dtype, SHAPE(s.batch, s.m, s.p)));
    if (wild && trial.inputs[0]->count > 0) {
        operand_set(trial.inputs[0], trial.inputs[0]->count - 1, INFINITY);
    }
    g = integers(dtype, s.batch, s.m, s.p, &state);
    y = products(trial.inputs[0], 0, trial.inputs[1], 0);
    expected[0] = products(g, 0, trial.inputs[1], 1);
    expected[1] = products(trial.inputs[0], 1, g, 0);
    gradients[0] = operand_create(dtype, SHAPE(s.batch, s.m, s.n));
    gradients[1] = operand_create(dtype, SHAPE(s.batch, s.n, s.p));
    if (trial.output->count > 0) {
        libtorch_expect(libtorch, &trial, y);
        libtorch_expect_vjp(libtorch, &trial, g, gradients,
                            (const double *const *)expected);
    }
    for (int i = 0; i < 2; i++) {
        operand_destroy(gradients[i]);
        free(expected[i]);
    }
    operand_destroy(g);
    free(y);
    trial_clear(&trial);
}

/* Small ones and large ones are different code in ATen, and one matrix is
 * another function than several. */
START_TEST(no_result_keeps_what_it_held)
{
    const int64_t sides[] = {0, 1, 2, 3, 5, 8, 17, 40};
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 8 * 8 * 8 * 2; i++) {
        sides_t s = {i % 2 == 0 ? 1 : 3, sides[i / 2 % 8], sides[i / 16 % 8],
                     sides[i / 128]};
        check_product(&libtorch, KC_DTYPE_F32, s, 0);
        check_product(&libtorch, KC_DTYPE_F32, s, 1);
        check_product(&libtorch, KC_DTYPE_F64, s, 1);
    }
    libtorch_close(&libtorch);
}
END_TEST

static trial_t affine(int32_t dtype, int64_t in, const double *x,
                      const double *weight, double bias)
{
    trial_t trial;
    trial_init(&trial, KC_OP_LINEAR);
    trial_add(&trial, operand_of(dtype, SHAPE(in), x));
    trial_add(&trial, operand_of(dtype, SHAPE(1, in), weight));
    trial_add(&trial, operand_of(dtype, SHAPE(1), &bias));
    trial_set_output(&trial, operand_create(dtype, SHAPE(1)));
    return trial;
}

/* 2^60 swallows the bias unless -2^60 has come before. */
START_TEST(the_bias_is_added_last)
{
    const double x[] = {0x1p30, 0x1p30};
    const double weight[] = {0x1p30, -0x1p30};
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        trial_t trial = affine(trial_floats[i], 2, x, weight, 1);
        libtorch_expect(&libtorch, &trial, VALUES(1));
        trial_clear(&trial);
        trial = affine(trial_floats[i], 0, x, weight, -0.0);
        libtorch_expect(&libtorch, &trial, VALUES(0.0));
        trial_clear(&trial);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* A cotangent of x over no outputs is a sum of nothing; that of the weights
 * over one row is the row. */
START_TEST(gradients_of_one_row)
{
    const double x[] = {2, -3};
    const double weight[] = {5, 7};
    const double *expected[] = {VALUES(20, 28), VALUES(8, -12), VALUES(4)};
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        int32_t dtype = trial_floats[i];
        trial_t trial = affine(dtype, 2, x, weight, 1);
        operand_t *g = operand_of(dtype, SHAPE(1), VALUES(4));
        operand_t *gradients[] = {operand_create(dtype, SHAPE(2)),
                                  operand_create(dtype, SHAPE(1, 2)),
                                  operand_create(dtype, SHAPE(1))};
        libtorch_expect_vjp(&libtorch, &trial, g, gradients, expected);
        for (int j = 0; j < 3; j++) {
            operand_destroy(gradients[j]);
        }
        operand_destroy(g);
        trial_clear(&trial);
    }
    libtorch_close(&libtorch);
}
END_TEST

TCase *tcase_libtorch_matmul(void)
{
    TCase *tcase = tcase_create("libtorch_matmul");
    tcase_add_test(tcase, no_result_keeps_what_it_held);
    tcase_add_test(tcase, the_bias_is_added_last);
    tcase_add_test(tcase, gradients_of_one_row);
    return tcase;
}
