/* SPDX-License-Identifier: Apache-2.0
 *
 * mse_loss by LibTorch: the value arrives in the host's memory, which ATen's
 * function with a result replaces by its own, and the mean of nothing.
 */
#include <math.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/tcases.h"

static trial_t loss(int32_t dtype, int32_t rank, const int64_t *shape,
                    const double *a, const double *b)
{
    trial_t trial;
    trial_init(&trial, KC_OP_MSE_LOSS);
    trial_add(&trial, operand_of(dtype, rank, shape, a));
    trial_add(&trial, operand_of(dtype, rank, shape, b));
    trial_set_output(&trial, operand_create(dtype, 0, NULL));
    return trial;
}

static const double a_values[] = {1, 2, -3, 4};
static const double b_values[] = {1, 4, -3, 2};

START_TEST(the_value_is_in_the_memory_of_the_host)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        trial_t trial = loss(trial_floats[i], SHAPE(2, 2), a_values, b_values);
        libtorch_expect(&libtorch, &trial, VALUES(2));
        trial_clear(&trial);
        trial = loss(trial_floats[i], 0, NULL, a_values + 1, b_values + 1);
        libtorch_expect(&libtorch, &trial, VALUES(4));
        trial_clear(&trial);
        trial = loss(trial_floats[i], SHAPE(3, 0), NULL, NULL);
        libtorch_expect(&libtorch, &trial, VALUES(NAN));
        trial_clear(&trial);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* Also where the difference is zero, and alone. */
START_TEST(the_second_gradient_is_minus_the_first)
{
    const double da[] = {0.0, -3, 0.0, 3};
    const double db[] = {-0.0, 3, -0.0, -3};
    const double *expected[] = {da, db};
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 6; i++) {
        int32_t dtype = trial_floats[i % 2];
        trial_t trial = loss(dtype, SHAPE(4), a_values, b_values);
        operand_t *cotangent = operand_of(dtype, 0, NULL, VALUES(3));
        operand_t *first = operand_create(dtype, SHAPE(4));
        operand_t *second = operand_create(dtype, SHAPE(4));
        operand_t *gradients[] = {i / 2 == 1 ? NULL : first,
                                  i / 2 == 2 ? NULL : second};
        libtorch_expect_vjp(&libtorch, &trial, cotangent, gradients, expected);
        operand_destroy(first);
        operand_destroy(second);
        operand_destroy(cotangent);
        trial_clear(&trial);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* ATen would broadcast and say nothing but a warning. */
START_TEST(two_shapes_are_refused)
{
    libtorch_t libtorch;
    trial_t trial;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    trial = loss(KC_DTYPE_F32, SHAPE(4), a_values, b_values);
    operand_destroy(trial.inputs[1]);
    trial.inputs[1] = operand_of(KC_DTYPE_F32, SHAPE(1), b_values);
    ck_assert_int_eq(libtorch_forward(&libtorch, &trial), KC_ERR_TENSOR);
    trial_clear(&trial);
    libtorch_close(&libtorch);
}
END_TEST

TCase *tcase_libtorch_loss(void)
{
    TCase *tcase = tcase_create("libtorch_loss");
    tcase_add_test(tcase, the_value_is_in_the_memory_of_the_host);
    tcase_add_test(tcase, the_second_gradient_is_minus_the_first);
    tcase_add_test(tcase, two_shapes_are_refused);
    return tcase;
}
