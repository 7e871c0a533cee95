/* SPDX-License-Identifier: Apache-2.0
 *
 * reshape, permute, broadcast, slice and concat: every element at its place,
 * for all element types, from dense and from strided operands.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

/* Position of the output element `idx` in the input's memory: along output
 * axis i the input moves by step[i]. */
static size_t source_of(size_t idx, int32_t rank, const int64_t *shape,
                        const int64_t *step)
{
    size_t place = 0;
    for (int32_t i = rank; i-- > 0;) {
        place += idx % (size_t)shape[i] * (size_t)step[i];
        idx /= (size_t)shape[i];
    }
    return place;
}

/* Bits that differ from each other and survive only a plain copy: signs of
 * zero, subnormals and all integers. */
static void fill_distinct(operand_t *x)
{
    for (size_t i = 0; i < x->storage; i++) {
        double value = (double)i - 40;
        if (x->dtype == KC_DTYPE_F32 || x->dtype == KC_DTYPE_F64) {
            value = i == 0 ? -0.0 : ldexp(value, (int)(i % 150) - 149);
        }
        operand_set(x, i,
                    x->dtype == KC_DTYPE_BOOL ? (double)(i % 3 != 0) : value);
    }
}

/* `trial` has input and attributes; the output gets shape and elements. */
static void expect_moved(trial_t *trial, int32_t rank, const int64_t *shape,
                         const int64_t *step)
{
    operand_t *x = trial->inputs[0];
    double *expected;
    fill_distinct(x);
    trial_set_output(trial, operand_create(x->dtype, rank, shape));
    expected = new_doubles(trial->output->count);
    for (size_t i = 0; i < trial->output->count; i++) {
        expected[i] = operand_get(x, source_of(i, rank, shape, step));
    }
    trial_expect(trial, expected);
    free(expected);
    trial_clear(trial);
}

static void check_permute(operand_t *x, const int64_t *perm)
{
    trial_t trial;
    int64_t shape[KC_MAX_RANK] = {0};
    int64_t step[KC_MAX_RANK] = {0};
    int32_t rank = x->view.ndim;
    trial_init(&trial, KC_OP_PERMUTE);
    trial_add(&trial, x);
    trial.attributes.u.permute.rank = rank;
    for (int32_t i = 0; i < rank; i++) {
        trial.attributes.u.permute.perm[i] = perm[i];
        shape[i] = x->shape[perm[i]];
        step[i] = x->strides[perm[i]];
    }
    expect_moved(&trial, rank, shape, step);
}

START_TEST(permute_moves_axes)
{
    const int64_t perms[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int64_t shapes[][3] = {
        {2, 3, 4}, {1, 5, 1}, {40, 30, 20}, {3, 0, 2}, {130, 1, 200}};
    const int64_t gaps[] = {10 * 7 * 9, 9 * 2, 2};
    for (size_t p = 0; p < sizeof perms / sizeof perms[0]; p++) {
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            check_permute(operand_create(_i, 3, shapes[s]), perms[p]);
        }
        check_permute(
            operand_create_strided(_i, SHAPE(2, 7, 4), gaps, 2 * 10 * 7 * 9),
            perms[p]);
    }
    check_permute(operand_create(_i, 0, NULL), NULL);
}
END_TEST

START_TEST(permute_reads_repeated_elements)
{
    const int64_t strides[] = {0, 1};
    check_permute(operand_create_strided(_i, SHAPE(3, 4), strides, 4),
                  (const int64_t[]){1, 0});
}
END_TEST

static void check_broadcast(operand_t *x, int32_t rank, const int64_t *shape)
{
    trial_t trial;
    int64_t step[KC_MAX_RANK] = {0};
    trial_init(&trial, KC_OP_BROADCAST);
    trial_add(&trial, x);
    trial.attributes.u.shape.rank = rank;
    for (int32_t i = 0; i < rank; i++) {
        int32_t from = i - (rank - x->view.ndim);
        trial.attributes.u.shape.shape[i] = shape[i];
        step[i] = from < 0 || x->shape[from] == 1 ? 0 : x->strides[from];
    }
    expect_moved(&trial, rank, shape, step);
}

START_TEST(broadcast_repeats)
{
    const int64_t gaps[] = {50, 5};
    check_broadcast(operand_create(_i, 0, NULL), SHAPE(2, 3));
    check_broadcast(operand_create(_i, 0, NULL), 0, NULL);
    check_broadcast(operand_create(_i, SHAPE(3)), SHAPE(2, 3));
    check_broadcast(operand_create(_i, SHAPE(3, 1)), SHAPE(2, 3, 4));
    check_broadcast(operand_create(_i, SHAPE(1, 3, 1)), SHAPE(5, 3, 7));
    check_broadcast(operand_create(_i, SHAPE(2, 3)), SHAPE(2, 3));
    check_broadcast(operand_create(_i, SHAPE(130)), SHAPE(300, 130));
    check_broadcast(operand_create(_i, SHAPE(1)), SHAPE(40000));
    check_broadcast(operand_create(_i, SHAPE(1, 3)), SHAPE(0, 3));
    check_broadcast(operand_create(_i, SHAPE(3, 1)), SHAPE(3, 0));
    check_broadcast(operand_create_strided(_i, SHAPE(3, 4), gaps, 150),
                    SHAPE(2, 3, 4));
}
END_TEST

static void check_reshape(operand_t *x, int32_t rank, const int64_t *shape)
{
    trial_t trial;
    int64_t step[KC_MAX_RANK] = {0};
    int64_t count = 1;
    for (int32_t i = rank; i-- > 0;) {
        step[i] = count;
        count *= shape[i];
    }
    trial_init(&trial, KC_OP_RESHAPE);
    trial_add(&trial, x);
    trial.attributes.u.shape.rank = rank;
    if (rank > 0) {
        memcpy(trial.attributes.u.shape.shape, shape,
               (size_t)rank * sizeof *shape);
    }
    expect_moved(&trial, rank, shape, step);
}

START_TEST(reshape_keeps_the_order)
{
    check_reshape(operand_create(_i, SHAPE(2, 3, 4)), SHAPE(6, 4));
    check_reshape(operand_create(_i, 0, NULL), SHAPE(1, 1));
    check_reshape(operand_create(_i, SHAPE(1)), 0, NULL);
    check_reshape(operand_create(_i, SHAPE(300, 200)), SHAPE(60000));
    check_reshape(operand_create(_i, SHAPE(0, 3)), SHAPE(5, 0));
}
END_TEST

/* The output of a slice begins `start` steps of the axis further on. */
static void check_slice(operand_t *x, int64_t axis, int64_t start,
                        int64_t length)
{
    trial_t trial;
    double *expected;
    int64_t shape[KC_MAX_RANK] = {0};
    size_t first = (size_t)start * (size_t)x->strides[axis];
    trial_init(&trial, KC_OP_SLICE);
    trial_add(&trial, x);
    fill_distinct(x);
    memcpy(shape, x->shape, sizeof shape);
    shape[axis] = length;
    trial.attributes.u.slice.axis = axis;
    trial.attributes.u.slice.start = start;
    trial.attributes.u.slice.length = length;
    trial_set_output(&trial, operand_create(x->dtype, x->view.ndim, shape));
    expected = new_doubles(trial.output->count);
    for (size_t i = 0; i < trial.output->count; i++) {
        expected[i] = operand_get(
            x, first + source_of(i, x->view.ndim, shape, x->strides));
    }
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

START_TEST(slice_cuts_a_range)
{
    const int64_t gaps[] = {9, 2};
    check_slice(operand_create(_i, SHAPE(9)), 0, 2, 5);
    check_slice(operand_create(_i, SHAPE(3, 4, 5)), 1, 1, 3);
    check_slice(operand_create(_i, SHAPE(3, 4, 5)), 2, 4, 1);
    check_slice(operand_create(_i, SHAPE(3, 4, 5)), 0, 0, 3);
    check_slice(operand_create(_i, SHAPE(3, 4)), 1, 4, 0);
    check_slice(operand_create(_i, SHAPE(3, 0)), 0, 1, 2);
    check_slice(operand_create(_i, SHAPE(0, 4)), 1, 1, 2);
    check_slice(operand_create(_i, SHAPE(200, 300)), 1, 7, 250);
    check_slice(operand_create_strided(_i, SHAPE(5, 4), gaps, 45), 0, 2, 3);
    check_slice(operand_create_strided(_i, SHAPE(5, 4), gaps, 45), 1, 1, 2);
}
END_TEST

/* [outer, extents[i], inner], joined along axis 1. */
static void check_concat(int32_t dtype, int64_t outer, uint32_t count,
                         const int64_t *extents, int64_t inner)
{
    trial_t trial;
    int64_t total = 0;
    double *expected;
    trial_init(&trial, KC_OP_CONCAT);
    trial.attributes.u.axis.axis = 1;
    for (uint32_t i = 0; i < count; i++) {
        fill_distinct(trial_add(
            &trial, operand_create(dtype, SHAPE(outer, extents[i], inner))));
        total += extents[i];
    }
    trial_set_output(&trial, operand_create(dtype, SHAPE(outer, total, inner)));
    expected = new_doubles(trial.output->count);
    for (uint32_t i = 0, begin = 0; i < count; i++) {
        const size_t length = (size_t)(extents[i] * inner);
        for (size_t k = 0; k < trial.inputs[i]->count; k++) {
            expected[k / length * (size_t)(total * inner) + begin +
                     k % length] = operand_get(trial.inputs[i], k);
        }
        begin += (uint32_t)length;
    }
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

START_TEST(concat_joins_pieces)
{
    check_concat(_i, 1, 2, (const int64_t[]){3, 4}, 1);
    check_concat(_i, 3, 3, (const int64_t[]){2, 1, 5}, 4);
    check_concat(_i, 2, 4, (const int64_t[]){0, 3, 0, 2}, 3);
    check_concat(_i, 2, 2, (const int64_t[]){0, 0}, 3);
    check_concat(_i, 2, 2, (const int64_t[]){2, 3}, 0);
    check_concat(_i, 0, 2, (const int64_t[]){2, 3}, 2);
    check_concat(_i, 300, 3, (const int64_t[]){1, 90, 37}, 2);
    check_concat(_i, 1, 2, (const int64_t[]){40000, 1}, 1);
}
END_TEST

START_TEST(sixteen_axes)
{
    const int64_t shape[KC_MAX_RANK] = {2, 1, 2, 1, 2, 1, 2, 1,
                                        2, 1, 2, 1, 2, 1, 3, 2};
    int64_t perm[KC_MAX_RANK];
    for (int64_t i = 0; i < KC_MAX_RANK; i++) {
        perm[i] = KC_MAX_RANK - 1 - i;
    }
    check_permute(operand_create(_i, KC_MAX_RANK, shape), perm);
}
END_TEST

TCase *tcase_layout(void)
{
    TCase *tcase = tcase_create("layout");
    tcase_add_loop_test(tcase, permute_moves_axes, 0, KC_DTYPE_COUNT);
    tcase_add_loop_test(tcase, permute_reads_repeated_elements, 0,
                        KC_DTYPE_COUNT);
    tcase_add_loop_test(tcase, broadcast_repeats, 0, KC_DTYPE_COUNT);
    tcase_add_loop_test(tcase, reshape_keeps_the_order, 0, KC_DTYPE_COUNT);
    tcase_add_loop_test(tcase, slice_cuts_a_range, 0, KC_DTYPE_COUNT);
    tcase_add_loop_test(tcase, concat_joins_pieces, 0, KC_DTYPE_COUNT);
    tcase_add_loop_test(tcase, sixteen_axes, 0, KC_DTYPE_COUNT);
    return tcase;
}
