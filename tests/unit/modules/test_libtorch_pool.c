/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools by LibTorch: which cell wins where ATen takes another, planes smaller
 * than their window, no planes, and more axes than ATen knows.
 */
#include <math.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/tcases.h"

/* A pool of one plane; every axis has the same extents. */
typedef struct plane {
    int32_t op;
    int32_t axes;
    int64_t n;
    int64_t kernel;
    int64_t padding;
    int64_t out;
    double beta;
    const double *x;
    const double *y;
    const double *cotangent;
    const double *dx;
} plane_t;

static operand_t *cube(int32_t dtype, int32_t axes, int64_t extent,
                       const double *values)
{
    const int64_t shape[] = {1, extent, extent, extent, extent};
    return operand_of(dtype, axes + 1, shape, values);
}

static void check_plane(const libtorch_t *libtorch, const plane_t *plane,
                        int32_t dtype)
{
    trial_t trial;
    kc_pool_attributes_t *pool = &trial.attributes.u.pool;
    operand_t *cotangent =
        cube(dtype, plane->axes, plane->out, plane->cotangent);
    operand_t *gradients[] = {cube(dtype, plane->axes, plane->n, plane->x)};
    trial_init(&trial, plane->op);
    pool->spatial_rank = plane->axes;
    pool->beta = plane->beta;
    for (int32_t i = 0; i < plane->axes; i++) {
        pool->kernel[i] = plane->kernel;
        pool->stride[i] = 1;
        pool->padding[i] = plane->padding;
    }
    trial_add(&trial, cube(dtype, plane->axes, plane->n, plane->x));
    trial_set_output(&trial, cube(dtype, plane->axes, plane->out, plane->y));
    libtorch_expect(libtorch, &trial, plane->y);
    libtorch_expect_vjp(libtorch, &trial, cotangent, gradients, &plane->dx);
    operand_destroy(gradients[0]);
    operand_destroy(cotangent);
    trial_clear(&trial);
}

static void check_planes(const plane_t *planes, size_t count)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        check_plane(&libtorch, &planes[i], KC_DTYPE_F32);
        check_plane(&libtorch, &planes[i], KC_DTYPE_F64);
    }
    libtorch_close(&libtorch);
}

/* NaN wins, of several the first, of equal cells too. */
static const plane_t winners[] = {
    {KC_OP_MAX_POOL, 1, 4, 4, 0, 1, 0, VALUES(1, NAN, NAN, 2), VALUES(NAN),
     VALUES(5), VALUES(0, 5, 0, 0)},
    {KC_OP_MAX_POOL, 1, 4, 4, 0, 1, 0, VALUES(INFINITY, 1, NAN, INFINITY),
     VALUES(NAN), VALUES(5), VALUES(0, 0, 5, 0)},
    {KC_OP_MAX_POOL, 1, 4, 3, 1, 4, 0,
     VALUES(-INFINITY, -INFINITY, -INFINITY, 1),
     VALUES(-INFINITY, -INFINITY, 1, 1), VALUES(1, 2, 3, 4),
     VALUES(3, 0, 0, 7)},
    {KC_OP_MAX_POOL, 2, 2, 2, 0, 1, 0, VALUES(1, 3, 3, 3), VALUES(3), VALUES(7),
     VALUES(0, 7, 0, 0)},
    {KC_OP_MAX_POOL, 4, 1, 2, 1, 2, 0, VALUES(-3),
     VALUES(-3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3),
     VALUES(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), VALUES(16)}};

START_TEST(the_first_of_the_largest_wins_and_nan_is_larger)
{
    check_planes(winners, sizeof winners / sizeof *winners);
}
END_TEST

/* The padding counts, and ATen refuses a cube that is smaller than its window;
 * four axes it does not have. */
static const plane_t averages[] = {
    {KC_OP_AVG_POOL, 1, 1, 2, 1, 2, 0, VALUES(8), VALUES(4, 4), VALUES(2, 4),
     VALUES(3)},
    {KC_OP_AVG_POOL, 3, 1, 2, 1, 2, 0, VALUES(8),
     VALUES(1, 1, 1, 1, 1, 1, 1, 1), VALUES(1, 2, 3, 4, 5, 6, 7, 4), VALUES(4)},
    {KC_OP_AVG_POOL, 4, 1, 2, 1, 2, 0, VALUES(16),
     VALUES(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
     VALUES(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), VALUES(1)}};

START_TEST(an_average_counts_the_padding)
{
    check_planes(averages, sizeof averages / sizeof *averages);
}
END_TEST

/* A padded cell has value 0: the largest, or of two windows the smallest, is
 * then far away, and what is far away has no weight. Nothing overflows. */
static const plane_t smooth[] = {
    {KC_OP_SMOOTH_MAX_POOL, 1, 1, 2, 1, 2, 1, VALUES(1000), VALUES(1000, 1000),
     VALUES(2, 3), VALUES(5)},
    {KC_OP_SMOOTH_MAX_POOL, 1, 1, 2, 1, 2, -1, VALUES(1000), VALUES(0, 0),
     VALUES(2, 3), VALUES(0)},
    {KC_OP_SMOOTH_MAX_POOL, 2, 1, 1, 0, 1, 1e6, VALUES(-7), VALUES(-7),
     VALUES(2), VALUES(2)}};

START_TEST(a_smooth_maximum_sees_the_padding_as_zeros)
{
    check_planes(smooth, sizeof smooth / sizeof *smooth);
}
END_TEST

START_TEST(no_planes_are_no_reason_to_fail)
{
    const int32_t ops[] = {KC_OP_MAX_POOL, KC_OP_AVG_POOL,
                           KC_OP_SMOOTH_MAX_POOL};
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        trial_t trial;
        kc_pool_attributes_t *pool = &trial.attributes.u.pool;
        operand_t *cotangent = operand_create(KC_DTYPE_F32, SHAPE(0, 3));
        operand_t *gradients[] = {operand_create(KC_DTYPE_F32, SHAPE(0, 4))};
        const double *nothing = NULL;
        trial_init(&trial, ops[i]);
        *pool = (kc_pool_attributes_t){
            .spatial_rank = 1, .kernel = {2}, .stride = {1}, .beta = 1};
        trial_add(&trial, operand_create(KC_DTYPE_F32, SHAPE(0, 4)));
        trial_set_output(&trial, operand_create(KC_DTYPE_F32, SHAPE(0, 3)));
        libtorch_expect(&libtorch, &trial, nothing);
        libtorch_expect_vjp(&libtorch, &trial, cotangent, gradients, &nothing);
        operand_destroy(gradients[0]);
        operand_destroy(cotangent);
        trial_clear(&trial);
    }
    libtorch_close(&libtorch);
}
END_TEST

TCase *tcase_libtorch_pool(void)
{
    TCase *tcase = tcase_create("libtorch_pool");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, the_first_of_the_largest_wins_and_nan_is_larger);
    tcase_add_test(tcase, an_average_counts_the_padding);
    tcase_add_test(tcase, a_smooth_maximum_sees_the_padding_as_zeros);
    tcase_add_test(tcase, no_planes_are_no_reason_to_fail);
    return tcase;
}
