/* SPDX-License-Identifier: Apache-2.0
 *
 * mse_loss against the written sum, bit by bit.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

static double mse_of(const operand_t *a, const operand_t *b)
{
    double sum = 0;
    for (size_t i = 0; i < a->count; i++) {
        double d = rounded(a->dtype, operand_get(a, i) - operand_get(b, i));
        sum = rounded(a->dtype, sum + rounded(a->dtype, d * d));
    }
    return rounded(a->dtype, sum / (double)a->count);
}

static void check_mse(int32_t dtype, int64_t rows, int64_t columns, int wild,
                      uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    double expected;
    operand_t *a;
    operand_t *b;
    trial_init(&trial, KC_OP_MSE_LOSS);
    trial.seed = seed;
    a = trial_add(&trial, operand_create(dtype, SHAPE(rows, columns)));
    b = trial_add(&trial, operand_create(dtype, SHAPE(rows, columns)));
    trial_set_output(&trial, operand_create(dtype, 0, NULL));
    if (wild) {
        trial_fill_wild(a, &state, 0);
        trial_fill_wild(b, &state, 0);
    } else {
        trial_fill_uniform(a, &state, -3, 3);
        trial_fill_uniform(b, &state, -3, 3);
    }
    expected = mse_of(a, b);
    trial_expect(&trial, &expected);
    trial_clear(&trial);
}

START_TEST(mse_is_the_left_fold)
{
    const int64_t sizes[][2] = {{1, 1}, {3, 7}, {200, 301}};
    for (size_t i = 0; i < 3; i++) {
        check_mse(trial_floats[_i], sizes[i][0], sizes[i][1], 0, 4000 + i);
        check_mse(trial_floats[_i], sizes[i][0], sizes[i][1], 1, 4100 + i);
    }
}
END_TEST

START_TEST(mse_of_nothing_is_nan)
{
    check_mse(trial_floats[_i], 0, 3, 0, 1);
}
END_TEST

TCase *tcase_loss(void)
{
    TCase *tcase = tcase_create("loss");
    tcase_add_loop_test(tcase, mse_is_the_left_fold, 0, 2);
    tcase_add_loop_test(tcase, mse_of_nothing_is_nan, 0, 2);
    return tcase;
}
