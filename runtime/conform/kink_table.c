/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of kinks: ops.md 6.4, 6.5 and the columns of 7 on kinks, ties,
 * domains and edges.
 */
#include "conform/kink.h"

#include <math.h>

static void clamp_one(kc_attributes_t *attributes)
{
    attributes->u.clamp.lo = -1;
    attributes->u.clamp.hi = 1;
}

static void clamp_crossed(kc_attributes_t *attributes)
{
    attributes->u.clamp.lo = 1;
    attributes->u.clamp.hi = -1;
}

static void window_one_axis(kc_attributes_t *attributes)
{
    attributes->u.pool =
        (kc_pool_attributes_t){.spatial_rank = 1, .kernel = {2}, .stride = {1}};
}

static void window_two_axes(kc_attributes_t *attributes)
{
    attributes->u.pool = (kc_pool_attributes_t){
        .spatial_rank = 2, .kernel = {2, 2}, .stride = {1, 1}};
}

static void padded_average(kc_attributes_t *attributes)
{
    attributes->u.pool = (kc_pool_attributes_t){
        .spatial_rank = 1, .kernel = {3}, .stride = {1}, .padding = {1}};
}

/* One axis in and out. */
#define VECTOR(n) .rank = 1, .shape = {n}, .out_rank = 1, .out_shape = {n}

static const kci_kink_t kinks[] = {
    {.op = KC_OP_RELU,
     .name = "zeros, NaN, what is not selected",
     VECTOR(7),
     .input_count = 1,
     .inputs = {{0, -0.0, NAN, -1, 2, -INFINITY, INFINITY}},
     .cotangent = {1, 1, 1, INFINITY, 3, NAN, 2},
     .gradients = {{0, 0, 0, 0, 3, 0, 2}},
     .has_sign = 1},
    {.op = KC_OP_ABS,
     .name = "slope 0 at zero and at NaN",
     VECTOR(6),
     .input_count = 1,
     .inputs = {{0, -0.0, NAN, -2, 3, 0}},
     .cotangent = {1, 1, 1, 1, 1, INFINITY},
     .gradients = {{0, 0, 0, -1, 1, 0}},
     .has_sign = 1},
    {.op = KC_OP_CLAMP,
     .name = "slope 1 at the bounds, 0 beyond and at NaN",
     VECTOR(7),
     .input_count = 1,
     .inputs = {{-1, 1, -1.5, NAN, 0.5, INFINITY, 2}},
     .cotangent = {2, 3, 1, 1, 5, 1, NAN},
     .gradients = {{2, 3, 0, 0, 5, 0, 0}},
     .has_sign = 1,
     .set_attributes = clamp_one},
    {.op = KC_OP_CLAMP,
     .name = "crossed bounds",
     VECTOR(3),
     .input_count = 1,
     .inputs = {{0, 1, -1}},
     .cotangent = {1, 1, 1},
     .gradients = {{0, 0, 0}},
     .has_sign = 1,
     .set_attributes = clamp_crossed},
    {.op = KC_OP_MAX,
     .name = "halves at ties and at NaN",
     VECTOR(6),
     .input_count = 2,
     .inputs = {{3, 1, NAN, 2, 0, 5}, {3, 2, 1, NAN, -0.0, 4}},
     .cotangent = {1, 1, 1, 1, 1, INFINITY},
     .gradients = {{0.5, 0, 0.5, 0.5, 0.5, INFINITY},
                   {0.5, 1, 0.5, 0.5, 0.5, 0}},
     .has_sign = 1},
    {.op = KC_OP_MIN,
     .name = "halves at ties and at NaN",
     VECTOR(6),
     .input_count = 2,
     .inputs = {{3, 1, NAN, 2, 0, 5}, {3, 2, 1, NAN, -0.0, 4}},
     .cotangent = {1, 1, 1, 1, 1, NAN},
     .gradients = {{0.5, 1, 0.5, 0.5, 0.5, 0}, {0.5, 0, 0.5, 0.5, 0.5, NAN}},
     .has_sign = 1},
    {.op = KC_OP_SQRT,
     .name = "infinite at 0, NaN below",
     VECTOR(4),
     .input_count = 1,
     .inputs = {{0, -0.0, 4, -1}},
     .cotangent = {1, 1, 1, 1},
     .gradients = {{INFINITY, INFINITY, 0.25, NAN}}},
    {.op = KC_OP_LOG,
     .name = "1/x everywhere",
     VECTOR(3),
     .input_count = 1,
     .inputs = {{0, -2, 4}},
     .cotangent = {1, 1, 1},
     .gradients = {{INFINITY, -0.5, 0.25}}},
    {.op = KC_OP_INV,
     .name = "minus infinity at both zeros",
     VECTOR(4),
     .input_count = 1,
     .inputs = {{0, -0.0, 2, INFINITY}},
     .cotangent = {1, 1, 1, 1},
     .gradients = {{-INFINITY, -INFINITY, -0.25, 0}}},
    {.op = KC_OP_SIGMOID,
     .name = "flat at infinities",
     VECTOR(3),
     .input_count = 1,
     .inputs = {{INFINITY, -INFINITY, 0}},
     .cotangent = {1, 1, 1},
     .gradients = {{0, 0, 0.25}}},
    {.op = KC_OP_TANH,
     .name = "flat at infinities",
     VECTOR(3),
     .input_count = 1,
     .inputs = {{INFINITY, -INFINITY, 0}},
     .cotangent = {1, 1, 1},
     .gradients = {{0, 0, 1}}},
    {.op = KC_OP_SOFTPLUS,
     .name = "a step at infinities",
     VECTOR(3),
     .input_count = 1,
     .inputs = {{INFINITY, -INFINITY, 0}},
     .cotangent = {1, 1, 1},
     .gradients = {{1, 0, 0.5}}},
    {.op = KC_OP_SOFTMAX,
     .name = "equal large scores",
     VECTOR(2),
     .input_count = 1,
     .inputs = {{-10000, -10000}},
     .cotangent = {1, 0},
     .gradients = {{0.25, -0.25}}},
    {.op = KC_OP_LOG_SOFTMAX,
     .name = "a certain class",
     VECTOR(2),
     .input_count = 1,
     .inputs = {{1000, 0}},
     .cotangent = {0, -1},
     .gradients = {{1, -1}}},
    {.op = KC_OP_HARD_MASKED_SOFTMAX,
     .name = "blocked entries hold anything",
     .rank = 2,
     .shape = {3, 2},
     .out_rank = 2,
     .out_shape = {3, 2},
     .input_count = 2,
     .second_is_mask = 1,
     .inputs = {{1, 1, NAN, 5, INFINITY, NAN}, {1, 1, 0, 1, 0, 0}},
     .cotangent = {1, 0, NAN, 7, NAN, INFINITY},
     .gradients = {{0.25, -0.25, 0, 0, 0, 0}}},
    {.op = KC_OP_MAX_POOL,
     .name = "the first of equals",
     .rank = 2,
     .shape = {1, 3},
     .out_rank = 2,
     .out_shape = {1, 2},
     .input_count = 1,
     .inputs = {{2, 2, 1}},
     .cotangent = {1, 1},
     .gradients = {{1, 1, 0}},
     .has_sign = 1,
     .set_attributes = window_one_axis},
    {.op = KC_OP_MAX_POOL,
     .name = "one window of equals",
     .rank = 3,
     .shape = {1, 2, 2},
     .out_rank = 3,
     .out_shape = {1, 1, 1},
     .input_count = 1,
     .inputs = {{5, 5, 5, 5}},
     .cotangent = {1},
     .gradients = {{1, 0, 0, 0}},
     .has_sign = 1,
     .set_attributes = window_two_axes},
    {.op = KC_OP_MAX_POOL,
     .name = "overlapping windows of equals",
     .rank = 3,
     .shape = {1, 3, 3},
     .out_rank = 3,
     .out_shape = {1, 2, 2},
     .input_count = 1,
     .inputs = {{5, 5, 5, 5, 5, 5, 5, 5, 5}},
     .cotangent = {1, 1, 1, 1},
     .gradients = {{1, 1, 0, 1, 1, 0, 0, 0, 0}},
     .has_sign = 1,
     .set_attributes = window_two_axes},
    {.op = KC_OP_MAX_POOL,
     .name = "the first NaN",
     .rank = 2,
     .shape = {1, 4},
     .out_rank = 2,
     .out_shape = {1, 3},
     .input_count = 1,
     .inputs = {{1, NAN, NAN, 3}},
     .cotangent = {1, 2, 4},
     .gradients = {{0, 3, 4, 0}},
     .has_sign = 1,
     .set_attributes = window_one_axis},
    {.op = KC_OP_MAX_POOL,
     .name = "all minus infinity",
     .rank = 2,
     .shape = {1, 3},
     .out_rank = 2,
     .out_shape = {1, 2},
     .input_count = 1,
     .inputs = {{-INFINITY, -INFINITY, -INFINITY}},
     .cotangent = {1, 2},
     .gradients = {{1, 2, 0}},
     .has_sign = 1,
     .set_attributes = window_one_axis},
    {.op = KC_OP_AVG_POOL,
     .name = "the share of the padding is dropped",
     .rank = 2,
     .shape = {1, 1},
     .out_rank = 2,
     .out_shape = {1, 1},
     .input_count = 1,
     .inputs = {{3}},
     .cotangent = {6},
     .gradients = {{2}},
     .set_attributes = padded_average},
};

size_t kci_kink_count(void)
{
    return sizeof kinks / sizeof *kinks;
}

const kci_kink_t *kci_kink(size_t index)
{
    return &kinks[index];
}
