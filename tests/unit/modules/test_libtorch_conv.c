/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions by LibTorch: where ATen pads with zeros that an infinite weight
 * makes NaN of, refuses what is empty, or knows no more than three axes.
 */
#include <math.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/tcases.h"

/* One plane of one line: x [1, n], weight [1, 1, kernel], bias [1]. */
typedef struct line {
    int32_t op;
    int64_t n;
    int64_t kernel;
    int64_t out;
    int64_t stride;
    int64_t padding;
    int64_t padding_after;
    const double *x;
    const double *weight;
    const double *y; /* with a bias of 0 */
    const double *cotangent;
    const double *dx;
    const double *dweight;
    double dbias;
} line_t;

static trial_t trial_of(const line_t *line, int32_t dtype)
{
    trial_t trial;
    kc_conv_attributes_t *conv = &trial.attributes.u.conv;
    trial_init(&trial, line->op);
    conv->spatial_rank = 1;
    conv->stride[0] = line->stride;
    conv->padding[0] = line->padding;
    conv->padding_after[0] = line->padding_after;
    conv->dilation[0] = 1;
    conv->groups = 1;
    trial_add(&trial, operand_of(dtype, SHAPE(1, line->n), line->x));
    trial_add(&trial,
              operand_of(dtype, SHAPE(1, 1, line->kernel), line->weight));
    trial_add(&trial, operand_create(dtype, SHAPE(1)));
    trial_set_output(&trial, operand_create(dtype, SHAPE(1, line->out)));
    return trial;
}

static void check_line(const libtorch_t *libtorch, const line_t *line,
                       int32_t dtype)
{
    trial_t trial = trial_of(line, dtype);
    operand_t *cotangent =
        operand_of(dtype, SHAPE(1, line->out), line->cotangent);
    operand_t *gradients[] = {operand_create(dtype, SHAPE(1, line->n)),
                              operand_create(dtype, SHAPE(1, 1, line->kernel)),
                              operand_create(dtype, SHAPE(1))};
    const double *expected[] = {line->dx, line->dweight, &line->dbias};
    libtorch_expect(libtorch, &trial, line->y);
    libtorch_expect_vjp(libtorch, &trial, cotangent, gradients, expected);
    for (int i = 0; i < 3; i++) {
        operand_destroy(gradients[i]);
    }
    operand_destroy(cotangent);
    trial_clear(&trial);
}

/* A tap in the padding is skipped; 0 times an infinity would be NaN. */
static const double border_x[] = {1, 2, 3};
static const double no_values[] = {0, 0, 0, 0};
static const line_t borders[] = {
    {KC_OP_CONV, 3, 3, 3, 1, 1, 1, border_x, VALUES(INFINITY, 1, 0),
     VALUES(1, INFINITY, INFINITY), VALUES(0, 0, 1), VALUES(NAN, INFINITY, 1),
     VALUES(2, 3, 0), 1},
    {KC_OP_CONV, 3, 3, 3, 1, 1, 1, border_x, VALUES(NAN, 1, 0),
     VALUES(1, NAN, NAN), VALUES(1, 0, 0), VALUES(NAN, NAN, 0), VALUES(0, 1, 2),
     1},
    {KC_OP_CONV, 3, 3, 3, 1, 1, 1, border_x, VALUES(1, 1, 1), VALUES(3, 6, 5),
     VALUES(INFINITY, 0, 0), VALUES(INFINITY, INFINITY, 0),
     VALUES(0, INFINITY, INFINITY), INFINITY},
    /* The result's places that no tap reaches, and those cut off. */
    {KC_OP_CONV_TRANSPOSE, 2, 1, 3, 2, 0, 0, border_x, VALUES(INFINITY),
     VALUES(INFINITY, 0, INFINITY), VALUES(1, 1, 2), VALUES(INFINITY, INFINITY),
     VALUES(5), 4},
    {KC_OP_CONV_TRANSPOSE, 2, 3, 2, 1, 1, 1, border_x, VALUES(INFINITY, 1, 0),
     VALUES(INFINITY, 2), VALUES(1, 2), VALUES(1, INFINITY), VALUES(2, 5, 2),
     3}};

START_TEST(a_tap_in_the_padding_is_skipped)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (size_t i = 0; i < sizeof borders / sizeof *borders; i++) {
        check_line(&libtorch, &borders[i], KC_DTYPE_F32);
        check_line(&libtorch, &borders[i], KC_DTYPE_F64);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* More padding on one side, which ATen does not know. */
static const line_t sides[] = {
    {KC_OP_CONV, 3, 2, 4, 1, 2, 0, border_x, VALUES(1, 10),
     VALUES(0, 10, 21, 32), VALUES(1, 2, 3, 4), VALUES(23, 34, 40),
     VALUES(11, 20), 10},
    {KC_OP_CONV, 3, 2, 4, 1, 0, 2, border_x, VALUES(1, 10),
     VALUES(21, 32, 3, 0), VALUES(1, 2, 3, 4), VALUES(1, 12, 23), VALUES(14, 8),
     10},
    {KC_OP_CONV, 3, 2, 3, 2, 1, 3, border_x, VALUES(1, 10), VALUES(10, 32, 0),
     VALUES(1, 2, 3), VALUES(10, 2, 20), VALUES(4, 7), 6}};

START_TEST(padding_may_differ_from_side_to_side)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        check_line(&libtorch, &sides[i], KC_DTYPE_F32);
        check_line(&libtorch, &sides[i], KC_DTYPE_F64);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* No input channels, or nothing but padding: the bias; no batch: nothing. */
static void check_empty(const libtorch_t *libtorch, int32_t dtype,
                        int64_t batch, int64_t channels, int64_t n)
{
    const size_t weights = (size_t)(2 * channels * 2);
    trial_t trial;
    kc_conv_attributes_t *conv = &trial.attributes.u.conv;
    operand_t *cotangent = operand_create(dtype, SHAPE(batch, 2, n + 1));
    operand_t *gradients[] = {operand_create(dtype, SHAPE(batch, channels, n)),
                              operand_create(dtype, SHAPE(2, channels, 2)),
                              operand_create(dtype, SHAPE(2))};
    const double sums[] = {(double)(batch * (n + 1)),
                           (double)(batch * (n + 1))};
    const double *expected[] = {no_values, no_values, sums};
    double y[16];
    trial_init(&trial, KC_OP_CONV);
    conv->spatial_rank = 1;
    conv->stride[0] = conv->dilation[0] = conv->groups = 1;
    conv->padding[0] = conv->padding_after[0] = 1;
    trial_add(&trial, operand_create(dtype, SHAPE(batch, channels, n)));
    trial_add(&trial, operand_create(dtype, SHAPE(2, channels, 2)));
    trial_add(&trial, operand_of(dtype, SHAPE(2), VALUES(5, 7)));
    trial_set_output(&trial, operand_create(dtype, SHAPE(batch, 2, n + 1)));
    ck_assert_uint_le(trial.output->count, 16);
    ck_assert_uint_le(weights, 4);
    for (size_t i = 0; i < trial.output->count; i++) {
        y[i] = i / (size_t)(n + 1) % 2 == 0 ? 5 : 7;
        operand_set(cotangent, i, 1);
    }
    libtorch_expect(libtorch, &trial, y);
    libtorch_expect_vjp(libtorch, &trial, cotangent, gradients, expected);
    for (int i = 0; i < 3; i++) {
        operand_destroy(gradients[i]);
    }
    operand_destroy(cotangent);
    trial_clear(&trial);
}

START_TEST(a_sum_over_nothing_is_zero)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (size_t type = 0; type < 2; type++) {
        check_empty(&libtorch, trial_floats[type], 2, 0, 3);
        check_empty(&libtorch, trial_floats[type], 2, 1, 0);
        check_empty(&libtorch, trial_floats[type], 0, 1, 3);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* x [2, 1, 1, 1, 2], two batches of one channel. */
static void check_four_axes(const libtorch_t *libtorch, int32_t dtype)
{
    const double dweight[] = {1 * 10 + 3 * 10, 2 * 10 + 4 * 10};
    trial_t trial;
    kc_conv_attributes_t *conv = &trial.attributes.u.conv;
    operand_t *cotangent =
        operand_of(dtype, SHAPE(2, 1, 1, 1, 1, 1), VALUES(10, 10));
    operand_t *gradients[] = {operand_create(dtype, SHAPE(2, 1, 1, 1, 1, 2)),
                              operand_create(dtype, SHAPE(1, 1, 1, 1, 1, 2)),
                              NULL};
    const double *expected[] = {VALUES(10, 200, 10, 200), dweight, NULL};
    trial_init(&trial, KC_OP_CONV);
    conv->spatial_rank = 4;
    conv->groups = 1;
    for (int i = 0; i < 4; i++) {
        conv->stride[i] = conv->dilation[i] = 1;
    }
    trial_add(&trial,
              operand_of(dtype, SHAPE(2, 1, 1, 1, 1, 2), VALUES(1, 2, 3, 4)));
    trial_add(&trial,
              operand_of(dtype, SHAPE(1, 1, 1, 1, 1, 2), VALUES(1, 20)));
    trial_add(&trial, NULL);
    trial_set_output(&trial, operand_create(dtype, SHAPE(2, 1, 1, 1, 1, 1)));
    libtorch_expect(libtorch, &trial, VALUES(41, 83));
    libtorch_expect_vjp(libtorch, &trial, cotangent, gradients, expected);
    operand_destroy(gradients[0]);
    operand_destroy(gradients[1]);
    operand_destroy(cotangent);
    trial_clear(&trial);
}

START_TEST(four_axes_are_one_more_than_aten_has)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    check_four_axes(&libtorch, KC_DTYPE_F32);
    check_four_axes(&libtorch, KC_DTYPE_F64);
    libtorch_close(&libtorch);
}
END_TEST

TCase *tcase_libtorch_conv(void)
{
    TCase *tcase = tcase_create("libtorch_conv");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_tap_in_the_padding_is_skipped);
    tcase_add_test(tcase, padding_may_differ_from_side_to_side);
    tcase_add_test(tcase, a_sum_over_nothing_is_zero);
    tcase_add_test(tcase, four_axes_are_one_more_than_aten_has);
    return tcase;
}
