/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalisation with small numbers whose statistics are known.
 */
#include <math.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"

START_TEST(layer_norm)
{
    /* Mean 2, variance 1: (x - 2) / sqrt(1 + 3) with eps 3. */
    worked_t w = worked_begin(KC_OP_LAYER_NORM);
    w.attributes.u.layer_norm.axis = 1;
    w.attributes.u.layer_norm.eps = 3;
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(1, 3, 7, 7));
    worked_expect(&w, SHAPE(2, 2), VALUES(-0.5, 0.5, 0, 0), 1e-15);
    worked_end(&w);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(2, 4));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(10, 20));
    worked_expect(&w, SHAPE(2, 2), VALUES(9, 22, 10, 20), 1e-15);
    worked_end(&w);
}
END_TEST

START_TEST(layer_norm_spoils_its_row_only)
{
    worked_t w = worked_begin(KC_OP_LAYER_NORM);
    w.attributes.u.layer_norm.axis = 1;
    w.attributes.u.layer_norm.eps = 3;
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(NAN, 3, 1, 3));
    worked_expect(&w, SHAPE(2, 2), VALUES(NAN, NAN, -0.5, 0.5), 0);
    worked_end(&w);
}
END_TEST

static worked_t batch(int32_t mode, int64_t channel_axis)
{
    worked_t w = worked_begin(KC_OP_BATCH_NORM);
    w.attributes.u.batch_norm.mode = mode;
    w.attributes.u.batch_norm.channel_axis = channel_axis;
    w.attributes.u.batch_norm.eps = 3;
    return w;
}

START_TEST(batch_norm_of_samples)
{
    worked_t w = batch(KC_BATCH_NORM_SAMPLE, 1);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 1, 2), VALUES(1, 3, 5, 7));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(2));
    worked_add(&w, KC_DTYPE_F32, SHAPE(1), VALUES(1));
    worked_expect(&w, SHAPE(2, 1, 2), VALUES(0, 2, 0, 2), 1e-15);
    worked_end(&w);
}
END_TEST

START_TEST(batch_norm_of_the_batch)
{
    /* Channel 0: 1, 3; channel 1: 5, 7; each mean +- 1. */
    worked_t w = batch(KC_BATCH_NORM_BATCH, 1);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 2), VALUES(1, 5, 3, 7));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(2, 4));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(0, 1));
    worked_expect(&w, SHAPE(2, 2), VALUES(-1, -1, 1, 3), 1e-15);
    worked_end(&w);
}
END_TEST

START_TEST(batch_norm_with_stored_statistics)
{
    worked_t w = batch(KC_BATCH_NORM_EVAL, 0);
    worked_add(&w, KC_DTYPE_F32, SHAPE(2, 1), VALUES(5, 7));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(2, 1));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(0, 1));
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(1, 1));
    /* A negative variance is 0: s = sqrt 3. */
    worked_add(&w, KC_DTYPE_F32, SHAPE(2), VALUES(1, -5));
    worked_expect(&w, SHAPE(2, 1), VALUES(4, 6 / sqrt(3) + 1), 1e-14);
    worked_end(&w);
}
END_TEST

START_TEST(bounds)
{
    worked_bounds_hold(KC_OP_LAYER_NORM, KC_DTYPE_F32, 1, 200);
    worked_bounds_hold(KC_OP_BATCH_NORM, KC_DTYPE_F32, 1, 200);
    worked_bounds_hold(KC_OP_LAYER_NORM, KC_DTYPE_F64, 1, 50);
}
END_TEST

CONFORM_SUITE(norm, layer_norm, layer_norm_spoils_its_row_only,
              batch_norm_of_samples, batch_norm_of_the_batch,
              batch_norm_with_stored_statistics, bounds)
