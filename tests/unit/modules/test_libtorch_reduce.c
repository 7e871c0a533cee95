/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums and means by LibTorch: zeros, nothing, and what goes back.
 */
#include <math.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/tcases.h"

static trial_t along(int32_t op, int32_t dtype, int32_t axis, int64_t rows,
                     int64_t columns, double value)
{
    trial_t trial;
    trial_init(&trial, op);
    trial.attributes.u.axis.axis = axis;
    trial_add(&trial, operand_create(dtype, SHAPE(rows, columns)));
    trial_set_output(&trial,
                     operand_create(dtype, SHAPE(axis == 0 ? columns : rows)));
    for (size_t i = 0; i < trial.inputs[0]->count; i++) {
        operand_set(trial.inputs[0], i, value);
    }
    return trial;
}

/* `value` along one axis, of `n` elements, gives `expected` three times. */
static void check_sum(const libtorch_t *libtorch, int32_t op, int64_t n,
                      double value, double expected)
{
    const double three[] = {expected, expected, expected};
    for (int32_t axis = 0; axis < 2; axis++) {
        for (int i = 0; i < 2; i++) {
            trial_t trial = along(op, trial_floats[i], axis, axis == 0 ? n : 3,
                                  axis == 0 ? 3 : n, value);
            libtorch_expect(libtorch, &trial, three);
            trial_clear(&trial);
        }
    }
}

/* A sum starts at +0. ATen leaves out the sum of one element. */
START_TEST(sums_of_minus_zero_are_plus_zero)
{
    const int64_t counts[] = {1, 2, 3, 8, 40, 1000};
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 6; i++) {
        check_sum(&libtorch, KC_OP_REDUCE_SUM, counts[i], -0.0, 0.0);
        check_sum(&libtorch, KC_OP_REDUCE_MEAN, counts[i], -0.0, 0.0);
        check_sum(&libtorch, KC_OP_REDUCE_MEAN, counts[i], 4, 4);
    }
    check_sum(&libtorch, KC_OP_REDUCE_SUM, 0, 1, 0.0);
    check_sum(&libtorch, KC_OP_REDUCE_MEAN, 0, 1, NAN);
    libtorch_close(&libtorch);
}
END_TEST

static void check_back(const libtorch_t *libtorch, int32_t op, int32_t dtype,
                       double part)
{
    const double g[] = {3, -0.0};
    const double dx[] = {3 * part, 3 * part, 3 * part, 3 * part,
                         -0.0,     -0.0,     -0.0,     -0.0};
    const double *expected[] = {dx};
    trial_t trial = along(op, dtype, 1, 2, 4, 1);
    operand_t *cotangent = operand_of(dtype, SHAPE(2), g);
    operand_t *gradient = operand_create(dtype, SHAPE(2, 4));
    libtorch_expect_vjp(libtorch, &trial, cotangent, &gradient, expected);
    operand_destroy(gradient);
    gradient = operand_create(dtype, SHAPE(2, 0));
    libtorch_expect_vjp(libtorch, &trial, cotangent, &gradient, expected);
    operand_destroy(gradient);
    operand_destroy(cotangent);
    trial_clear(&trial);
}

START_TEST(a_cotangent_goes_to_every_place)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        check_back(&libtorch, KC_OP_REDUCE_SUM, trial_floats[i], 1);
        check_back(&libtorch, KC_OP_REDUCE_MEAN, trial_floats[i], 0.25);
    }
    libtorch_close(&libtorch);
}
END_TEST

TCase *tcase_libtorch_reduce(void)
{
    TCase *tcase = tcase_create("libtorch_reduce");
    tcase_add_test(tcase, sums_of_minus_zero_are_plus_zero);
    tcase_add_test(tcase, a_cotangent_goes_to_every_place);
    return tcase;
}
