/* SPDX-License-Identifier: Apache-2.0
 *
 * gather and scatter_add by LibTorch: repeats in the written order, nothing
 * to index, and an index that no host would let through.
 */
#include <string.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/tcases.h"

/* Each is lost when it is added to 1 in f32, and their sum is not. */
#define TINY 0x1p-24

static trial_t scatter(int32_t index_dtype)
{
    const double base[] = {1, -0.0, 5};
    const double indices[] = {0, 2, 0, 2};
    const double source[] = {TINY, 1, TINY, 2};
    trial_t trial;
    trial_init(&trial, KC_OP_SCATTER_ADD);
    trial_add(&trial, operand_of(KC_DTYPE_F32, SHAPE(3), base));
    trial_add(&trial, operand_of(index_dtype, SHAPE(4), indices));
    trial_add(&trial, operand_of(KC_DTYPE_F32, SHAPE(4), source));
    trial_set_output(&trial, operand_create(KC_DTYPE_F32, SHAPE(3)));
    return trial;
}

static void check_scatter(const libtorch_t *libtorch, int32_t index_dtype)
{
    const double sums[] = {1, -0.0, 8};
    const double g[] = {7, 8, 9};
    const double dsource[] = {7, 9, 7, 9};
    const double *expected[] = {g, NULL, dsource};
    trial_t trial = scatter(index_dtype);
    operand_t *cotangent = operand_of(KC_DTYPE_F32, SHAPE(3), g);
    operand_t *gradients[] = {operand_create(KC_DTYPE_F32, SHAPE(3)), NULL,
                              operand_create(KC_DTYPE_F32, SHAPE(4))};
    libtorch_expect(libtorch, &trial, sums);
    libtorch_expect_vjp(libtorch, &trial, cotangent, gradients, expected);
    trial.in_place = 1;
    libtorch_expect(libtorch, &trial, sums);
    operand_destroy(gradients[0]);
    operand_destroy(gradients[2]);
    operand_destroy(cotangent);
    trial_clear(&trial);
}

/* The other order would give 1 + 2^-23. */
static void check_gather(const libtorch_t *libtorch, int32_t index_dtype)
{
    const double x[] = {1, 2, 3};
    const double indices[] = {2, 2, 2, 0};
    const double y[] = {3, 3, 3, 1};
    const double g[] = {1, TINY, TINY, 4};
    const double dx[] = {4, 0.0, 1};
    const double *expected[] = {dx, NULL};
    trial_t trial;
    operand_t *cotangent = operand_of(KC_DTYPE_F32, SHAPE(4), g);
    operand_t *gradients[] = {operand_create(KC_DTYPE_F32, SHAPE(3)), NULL};
    trial_init(&trial, KC_OP_GATHER);
    trial_add(&trial, operand_of(KC_DTYPE_F32, SHAPE(3), x));
    trial_add(&trial, operand_of(index_dtype, SHAPE(4), indices));
    trial_set_output(&trial, operand_create(KC_DTYPE_F32, SHAPE(4)));
    libtorch_expect(libtorch, &trial, y);
    libtorch_expect_vjp(libtorch, &trial, cotangent, gradients, expected);
    operand_destroy(gradients[0]);
    operand_destroy(cotangent);
    trial_clear(&trial);
}

START_TEST(repeats_add_in_the_order_of_the_indices)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    check_scatter(&libtorch, KC_DTYPE_I32);
    check_scatter(&libtorch, KC_DTYPE_I64);
    check_gather(&libtorch, KC_DTYPE_I32);
    check_gather(&libtorch, KC_DTYPE_I64);
    libtorch_close(&libtorch);
}
END_TEST

START_TEST(nothing_is_indexed)
{
    const double base[] = {1, -0.0};
    const double *expected[] = {base, NULL, base};
    libtorch_t libtorch;
    trial_t trial;
    operand_t *gradients[3] = {NULL};
    operand_t *cotangent;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    trial_init(&trial, KC_OP_SCATTER_ADD);
    trial_add(&trial, operand_of(KC_DTYPE_F64, SHAPE(2), base));
    trial_add(&trial, operand_create(KC_DTYPE_I64, SHAPE(0)));
    trial_add(&trial, operand_create(KC_DTYPE_F64, SHAPE(0)));
    trial_set_output(&trial, operand_create(KC_DTYPE_F64, SHAPE(2)));
    cotangent = operand_of(KC_DTYPE_F64, SHAPE(2), base);
    gradients[0] = operand_create(KC_DTYPE_F64, SHAPE(2));
    gradients[2] = operand_create(KC_DTYPE_F64, SHAPE(0));
    libtorch_expect(&libtorch, &trial, base);
    libtorch_expect_vjp(&libtorch, &trial, cotangent, gradients, expected);
    operand_destroy(gradients[0]);
    operand_destroy(gradients[2]);
    operand_destroy(cotangent);
    trial_clear(&trial);
    libtorch_close(&libtorch);
}
END_TEST

/* Hosts refuse it before; here it is what ATen throws, as one line. */
START_TEST(a_bad_index_is_a_status)
{
    libtorch_t libtorch;
    trial_t trial;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    trial = scatter(KC_DTYPE_I64);
    operand_set(trial.inputs[1], 3, 3);
    ck_assert_int_eq(libtorch_forward(&libtorch, &trial), KC_ERR_KERNEL);
    ck_assert_int_gt((int)strlen(trial.error.message), 0);
    ck_assert_ptr_null(strchr(trial.error.message, '\n'));
    trial_clear(&trial);
    libtorch_close(&libtorch);
}
END_TEST

TCase *tcase_libtorch_index(void)
{
    TCase *tcase = tcase_create("libtorch_index");
    tcase_add_test(tcase, repeats_add_in_the_order_of_the_indices);
    tcase_add_test(tcase, nothing_is_indexed);
    tcase_add_test(tcase, a_bad_index_is_a_status);
    return tcase;
}
