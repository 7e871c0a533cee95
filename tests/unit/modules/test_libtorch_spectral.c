/* SPDX-License-Identifier: Apache-2.0
 *
 * fft_fno by LibTorch: the bins that stand for themselves, the weights of the
 * others, and operands that are aligned to an element and no more, which is
 * less than ATen's complex numbers are.
 */
#include <math.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/tcases.h"

static const double signal[] = {5, 1, 2, 3};
static const double spectrum[] = {11, 0, 3, 2, 3, 0};

static trial_t trial_of(int32_t transform, int64_t n, int64_t modes)
{
    trial_t trial;
    trial_init(&trial, KC_OP_FFT_FNO);
    trial.attributes.u.fft = (kc_fft_attributes_t){transform, n, modes};
    return trial;
}

static void finish(const libtorch_t *libtorch, trial_t *trial,
                   operand_t *cotangent, operand_t *gradient, const double *y,
                   const double *dx)
{
    operand_t *gradients[] = {gradient};
    double before[6];
    for (size_t i = 0; i < trial->inputs[0]->count; i++) {
        before[i] = operand_get(trial->inputs[0], i);
    }
    libtorch_expect(libtorch, trial, y);
    libtorch_expect_vjp(libtorch, trial, cotangent, gradients, &dx);
    for (size_t i = 0; i < trial->inputs[0]->count; i++) {
        ck_assert(same_bits(operand_get(trial->inputs[0], i), before[i]));
    }
    operand_destroy(gradient);
    operand_destroy(cotangent);
    trial_clear(trial);
}

/* The cotangent of an imaginary part that is always 0 is not read. */
static void check_forward(const libtorch_t *libtorch, int32_t dtype)
{
    trial_t trial = trial_of(KC_FFT_RFFT, 4, 0);
    trial_add(&trial, operand_of(dtype, SHAPE(4), signal));
    trial_set_output(&trial, operand_create(dtype, SHAPE(3, 2)));
    finish(libtorch, &trial,
           operand_of(dtype, SHAPE(3, 2), VALUES(1, NAN, 2, 4, 1, NAN)),
           operand_create(dtype, SHAPE(4)), spectrum, VALUES(4, -4, 0, 4));
}

/* Nor is such a part itself; its cotangent is 0. */
static void check_inverse(const libtorch_t *libtorch, int32_t dtype)
{
    trial_t trial = trial_of(KC_FFT_IRFFT, 4, 0);
    trial_add(&trial,
              operand_of(dtype, SHAPE(3, 2), VALUES(11, NAN, 3, 2, 3, NAN)));
    trial_set_output(&trial, operand_create(dtype, SHAPE(4)));
    finish(libtorch, &trial, operand_of(dtype, SHAPE(4), signal),
           operand_create(dtype, SHAPE(3, 2)), signal,
           VALUES(2.75, 0, 1.5, 1, .75, 0));
}

static void check_single(const libtorch_t *libtorch, int32_t dtype)
{
    trial_t trial = trial_of(KC_FFT_RFFT, 1, 0);
    trial_add(&trial, operand_of(dtype, SHAPE(2, 1), VALUES(7, 8)));
    trial_set_output(&trial, operand_create(dtype, SHAPE(2, 1, 2)));
    finish(
        libtorch, &trial, operand_of(dtype, SHAPE(2, 1, 2), VALUES(1, 2, 3, 4)),
        operand_create(dtype, SHAPE(2, 1)), VALUES(7, 0, 8, 0), VALUES(1, 3));
}

START_TEST(a_bin_that_stands_for_itself_has_no_imaginary_part)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (size_t type = 0; type < 2; type++) {
        check_forward(&libtorch, trial_floats[type]);
        check_inverse(&libtorch, trial_floats[type]);
        check_single(&libtorch, trial_floats[type]);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* n = 2 has no other bins: an imaginary weight, be it infinite, is not met. */
static void check_convolution(const libtorch_t *libtorch, int32_t dtype)
{
    const double *expected[] = {VALUES(2.5, .5), VALUES(12, -1), VALUES(0, 0)};
    trial_t trial = trial_of(KC_FFT_SPECTRAL_CONV1D, 2, 2);
    operand_t *cotangent = operand_of(dtype, SHAPE(2, 1), VALUES(1, 2));
    operand_t *gradients[] = {operand_create(dtype, SHAPE(2, 1)),
                              operand_create(dtype, SHAPE(2, 1, 1)),
                              operand_create(dtype, SHAPE(2, 1, 1))};
    trial_add(&trial, operand_of(dtype, SHAPE(2, 1), VALUES(5, 3)));
    trial_add(&trial, operand_of(dtype, SHAPE(2, 1, 1), VALUES(1, -2)));
    trial_add(&trial, operand_of(dtype, SHAPE(2, 1, 1), VALUES(INFINITY, NAN)));
    trial_set_output(&trial, operand_create(dtype, SHAPE(2, 1)));
    libtorch_expect(libtorch, &trial, VALUES(2, 6));
    libtorch_expect_vjp(libtorch, &trial, cotangent, gradients, expected);
    for (int i = 0; i < 3; i++) {
        operand_destroy(gradients[i]);
    }
    operand_destroy(cotangent);
    trial_clear(&trial);
}

static void check_no_modes(const libtorch_t *libtorch, int32_t dtype)
{
    const double *expected[] = {VALUES(0, 0, 0), NULL, NULL};
    trial_t trial = trial_of(KC_FFT_SPECTRAL_CONV1D, 3, 0);
    operand_t *cotangent =
        operand_of(dtype, SHAPE(3, 1), VALUES(NAN, INFINITY, 1));
    operand_t *gradients[] = {operand_create(dtype, SHAPE(3, 1)),
                              operand_create(dtype, SHAPE(0, 1, 1)), NULL};
    trial_add(&trial, operand_of(dtype, SHAPE(3, 1), VALUES(NAN, 1, 2)));
    trial_add(&trial, operand_create(dtype, SHAPE(0, 1, 1)));
    trial_add(&trial, operand_create(dtype, SHAPE(0, 1, 1)));
    trial_set_output(&trial, operand_create(dtype, SHAPE(3, 1)));
    libtorch_expect(libtorch, &trial, VALUES(0, 0, 0));
    libtorch_expect_vjp(libtorch, &trial, cotangent, gradients, expected);
    operand_destroy(gradients[0]);
    operand_destroy(gradients[1]);
    operand_destroy(cotangent);
    trial_clear(&trial);
}

START_TEST(a_convolution_of_few_or_no_modes)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (size_t type = 0; type < 2; type++) {
        check_convolution(&libtorch, trial_floats[type]);
        check_no_modes(&libtorch, trial_floats[type]);
    }
    libtorch_close(&libtorch);
}
END_TEST

TCase *tcase_libtorch_spectral(void)
{
    TCase *tcase = tcase_create("libtorch_spectral");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_bin_that_stands_for_itself_has_no_imaginary_part);
    tcase_add_test(tcase, a_convolution_of_few_or_no_modes);
    return tcase;
}
