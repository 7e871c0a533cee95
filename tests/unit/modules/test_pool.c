/* SPDX-License-Identifier: Apache-2.0
 *
 * max_pool, avg_pool and smooth_max_pool against loops over the coordinates of
 * each window, and the values that tell what padding, ties and NaN mean.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/oracle.h"
#include "unit/modules/tcases.h"
#include "unit/modules/trial.h"

#define AXES_MAX  3
#define CELLS_MAX 128

/* `lead` is one leading axis, or none if it is -1. */
typedef struct plan {
    int64_t lead;
    int32_t axes;
    int64_t in[AXES_MAX];
    int64_t kernel[AXES_MAX];
    int64_t stride[AXES_MAX];
    int64_t padding[AXES_MAX];
} plan_t;

static const plan_t plans[] = {
    {-1, 1, {1}, {1}, {1}, {0}},
    {-1, 1, {300}, {3}, {1}, {1}},
    {3, 1, {200}, {5}, {2}, {2}},
    {2, 1, {140}, {4}, {3}, {0}},
    {5, 2, {9, 70}, {3, 3}, {1, 1}, {1, 1}},
    {40, 2, {12, 12}, {2, 2}, {2, 2}, {0, 0}},
    {-1, 2, {7, 8}, {4, 3}, {2, 3}, {2, 0}},
    {2, 3, {4, 5, 6}, {2, 3, 2}, {1, 2, 2}, {1, 1, 0}},
    {2, 1, {1}, {3}, {1}, {1}},
    {0, 2, {4, 4}, {2, 2}, {2, 2}, {0, 0}}};
#define PLAN_COUNT (int)(sizeof plans / sizeof plans[0])

static const int32_t ops[] = {KC_OP_MAX_POOL, KC_OP_AVG_POOL,
                              KC_OP_SMOOTH_MAX_POOL};

static int64_t out_extent(const plan_t *plan, int32_t axis)
{
    int64_t free_cells =
        plan->in[axis] + 2 * plan->padding[axis] - plan->kernel[axis];
    return free_cells < 0 ? -1 : free_cells / plan->stride[axis] + 1;
}

static size_t product(const int64_t *extents, int32_t count)
{
    size_t result = 1;
    for (int32_t i = 0; i < count; i++) {
        result *= (size_t)extents[i];
    }
    return result;
}

/* The cells of one window in row-major order; 0 and not `inside` where they
 * are padding. */
static size_t window_cells(const plan_t *plan, const operand_t *x, size_t plane,
                           size_t place, const int64_t *out, double *cells,
                           int *inside)
{
    const size_t count = product(plan->kernel, plan->axes);
    for (size_t k = 0; k < count; k++) {
        size_t tap = k;
        size_t rest = place;
        size_t cell = 0;
        size_t step = 1;
        inside[k] = 1;
        for (int32_t i = plan->axes; i-- > 0;) {
            int64_t at = (int64_t)(rest % (size_t)out[i]) * plan->stride[i] +
                         (int64_t)(tap % (size_t)plan->kernel[i]) -
                         plan->padding[i];
            inside[k] &= at >= 0 && at < plan->in[i];
            cell += (size_t)at * step;
            step *= (size_t)plan->in[i];
            rest /= (size_t)out[i];
            tap /= (size_t)plan->kernel[i];
        }
        cells[k] = inside[k] ? operand_get(x, plane * step + cell) : 0;
    }
    return count;
}

/* The first largest cell inside; the first NaN, if there is one. */
static double oracle_max(size_t count, const double *cells, const int *inside)
{
    double best = 0;
    int has_any = 0;
    for (size_t k = 0; k < count; k++) {
        if (inside[k] && !isnan(best) &&
            (!has_any || cells[k] > best || isnan(cells[k]))) {
            best = cells[k];
            has_any = 1;
        }
    }
    return best;
}

static double oracle_average(int32_t dtype, size_t count, const double *cells)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        sum = rounded(dtype, sum + cells[k]);
    }
    return rounded(dtype, sum / (double)count);
}

static double oracle_smooth(int32_t dtype, double beta, size_t count,
                            const double *cells)
{
    double pivot = cells[0];
    double sum = 0;
    double inverse = rounded(dtype, 1 / beta);
    for (size_t k = 1; k < count; k++) {
        if (beta > 0 ? cells[k] > pivot : cells[k] < pivot) {
            pivot = cells[k];
        }
    }
    for (size_t k = 0; k < count; k++) {
        double scaled = rounded(dtype, beta * rounded(dtype, cells[k] - pivot));
        sum = rounded(dtype, sum + rounded(dtype, exp(scaled)));
    }
    return rounded(dtype,
                   pivot + rounded(dtype, rounded(dtype, log(sum)) * inverse));
}

static double *oracle(const plan_t *plan, const trial_t *trial)
{
    const operand_t *y = trial->output;
    const int32_t dtype = y->dtype;
    const int64_t *out = y->shape + y->view.ndim - plan->axes;
    const size_t places = product(out, plan->axes);
    const double beta = rounded(dtype, trial->attributes.u.pool.beta);
    double *expected = new_doubles(y->count);
    for (size_t i = 0; i < y->count; i++) {
        double cells[CELLS_MAX] = {0};
        int inside[CELLS_MAX];
        size_t count = window_cells(plan, trial->inputs[0], i / places,
                                    i % places, out, cells, inside);
        switch (trial->op) {
        case KC_OP_MAX_POOL:
            expected[i] = oracle_max(count, cells, inside);
            break;
        case KC_OP_AVG_POOL:
            expected[i] = oracle_average(dtype, count, cells);
            break;
        default:
            expected[i] = oracle_smooth(dtype, beta, count, cells);
        }
    }
    return expected;
}

static operand_t *new_planes(const plan_t *plan, int32_t dtype,
                             const int64_t *extents)
{
    int64_t shape[AXES_MAX + 1] = {plan->lead};
    int32_t leads = plan->lead >= 0;
    memcpy(shape + leads, extents, (size_t)plan->axes * sizeof *extents);
    return operand_create(dtype, leads + plan->axes, shape);
}

static void begin(trial_t *trial, const plan_t *plan, int32_t op, int32_t dtype,
                  double beta)
{
    kc_pool_attributes_t *pool = &trial->attributes.u.pool;
    int64_t out[AXES_MAX];
    trial_init(trial, op);
    pool->spatial_rank = plan->axes;
    pool->beta = beta;
    for (int32_t i = 0; i < plan->axes; i++) {
        pool->kernel[i] = plan->kernel[i];
        pool->stride[i] = plan->stride[i];
        pool->padding[i] = plan->padding[i];
        out[i] = out_extent(plan, i);
    }
    trial_add(trial, new_planes(plan, dtype, plan->in));
    trial_set_output(trial, new_planes(plan, dtype, out));
}

/* `kind` 0: usual values, 1: any finite ones, 2: infinities and NaN too. */
static void check(const plan_t *plan, int32_t op, int32_t dtype, double beta,
                  int kind, uint64_t seed)
{
    trial_t trial;
    uint64_t state = seed;
    double *expected;
    begin(&trial, plan, op, dtype, beta);
    trial.seed = seed;
    if (kind == 0) {
        trial_fill_uniform(trial.inputs[0], &state, -3, 2);
    } else {
        trial_fill_wild(trial.inputs[0], &state, kind == 2);
    }
    expected = oracle(plan, &trial);
    trial_expect(&trial, expected);
    free(expected);
    trial_clear(&trial);
}

START_TEST(pools_are_the_written_windows)
{
    const double betas[] = {1, -1, 0.3, -25};
    for (size_t op = 0; op < 3; op++) {
        for (int kind = 0; kind < 3; kind++) {
            for (size_t b = 0; b < (op == 2 ? 4 : 1); b++) {
                check(&plans[_i], ops[op], KC_DTYPE_F32, betas[b], kind, 60);
                check(&plans[_i], ops[op], KC_DTYPE_F64, betas[b], kind, 61);
            }
        }
    }
}
END_TEST

static int64_t draw(uint64_t *state, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(random_word(state) % (uint64_t)(hi - lo + 1));
}

START_TEST(any_geometry_is_the_written_window)
{
    uint64_t state = 9000 + (uint64_t)_i;
    for (int round = 0; round < 12; round++) {
        plan_t plan = {.lead = draw(&state, -1, 3),
                       .axes = (int32_t)draw(&state, 1, AXES_MAX)};
        for (int32_t i = 0; i < plan.axes; i++) {
            do {
                plan.in[i] = draw(&state, 1, plan.axes == 1 ? 150 : 9);
                plan.kernel[i] = draw(&state, 1, 5);
                plan.stride[i] = draw(&state, 1, 4);
                plan.padding[i] = draw(&state, 0, plan.kernel[i] / 2);
            } while (out_extent(&plan, i) < 1);
        }
        check(&plan, ops[round % 3], trial_floats[round % 2],
              random_uniform(&state, 0.1, 4), round % 4 == 3 ? 2 : round % 2,
              state);
    }
}
END_TEST

static plan_t square(int64_t n, int64_t kernel, int64_t stride, int64_t padding)
{
    plan_t plan = {
        -1, 2, {n, n}, {kernel, kernel}, {stride, stride}, {padding, padding}};
    return plan;
}

static plan_t line(int64_t n, int64_t kernel, int64_t padding)
{
    plan_t plan = {-1, 1, {n}, {kernel}, {1}, {padding}};
    return plan;
}

static void expect_case(const plan_t *plan, int32_t op, int32_t dtype,
                        double beta, const double *x, const double *expected)
{
    trial_t trial;
    begin(&trial, plan, op, dtype, beta);
    operand_fill(trial.inputs[0], x);
    trial_expect(&trial, expected);
    trial_clear(&trial);
}

/* Padding is no data: all -1 stays -1, and all -inf stays -inf. */
START_TEST(padding_never_wins)
{
    const plan_t plan = square(2, 3, 1, 1);
    int32_t dtype = trial_floats[_i];
    expect_case(&plan, KC_OP_MAX_POOL, dtype, 0, VALUES(-1, -1, -1, -1),
                VALUES(-1, -1, -1, -1));
    expect_case(&plan, KC_OP_MAX_POOL, dtype, 0,
                VALUES(-INFINITY, -INFINITY, -INFINITY, -INFINITY),
                VALUES(-INFINITY, -INFINITY, -INFINITY, -INFINITY));
}
END_TEST

START_TEST(max_pool_by_hand)
{
    const plan_t two = line(3, 2, 0);
    const plan_t one = line(2, 2, 0);
    int32_t dtype = trial_floats[_i];
    expect_case(&two, KC_OP_MAX_POOL, dtype, 0, VALUES(2, 2, 1), VALUES(2, 2));
    expect_case(&two, KC_OP_MAX_POOL, dtype, 0, VALUES(1, NAN, 7),
                VALUES(NAN, NAN));
    expect_case(&two, KC_OP_MAX_POOL, dtype, 0, VALUES(NAN, INFINITY, 7),
                VALUES(NAN, INFINITY));
    /* Of equal cells the first one: its sign of zero shows. */
    expect_case(&one, KC_OP_MAX_POOL, dtype, 0, VALUES(-0.0, 0.0),
                VALUES(-0.0));
    expect_case(&one, KC_OP_MAX_POOL, dtype, 0, VALUES(0.0, -0.0), VALUES(0.0));
}
END_TEST

/* Padded cells count: 3 / 3. */
START_TEST(avg_pool_divides_by_the_whole_window)
{
    const plan_t plan = line(1, 3, 1);
    int32_t dtype = trial_floats[_i];
    double half = dtype == KC_DTYPE_F32 ? 0x1p-24 : 0x1p-53;
    const plan_t three = line(3, 3, 0);
    expect_case(&plan, KC_OP_AVG_POOL, dtype, 0, VALUES(3), VALUES(1));
    expect_case(&three, KC_OP_AVG_POOL, dtype, 0, VALUES(1, half, half),
                VALUES(rounded(dtype, 1.0 / 3)));
    expect_case(&three, KC_OP_AVG_POOL, dtype, 0, VALUES(-0.0, -0.0, -0.0),
                VALUES(0.0));
}
END_TEST

/* log(2 + 1/e) for the window (0, -1, 0). */
START_TEST(smooth_max_pool_counts_padding_as_zero)
{
    const plan_t plan = line(1, 3, 1);
    trial_t trial;
    begin(&trial, &plan, KC_OP_SMOOTH_MAX_POOL, trial_floats[_i], 1);
    operand_set(trial.inputs[0], 0, -1);
    ck_assert_int_eq(trial_run(&trial, 0), KC_OK);
    ck_assert_double_eq_tol(operand_get(trial.output, 0), 0.861994, 1e-6);
    trial_clear(&trial);
}
END_TEST

/* max <= y <= max + log(cells) / beta, without overflow for large values. */
START_TEST(smooth_max_pool_does_not_overflow)
{
    const plan_t plan = line(3, 3, 0);
    int32_t dtype = trial_floats[_i];
    expect_case(&plan, KC_OP_SMOOTH_MAX_POOL, dtype, 1,
                VALUES(1e30, -1e30, 1e20), VALUES(rounded(dtype, 1e30)));
    expect_case(&plan, KC_OP_SMOOTH_MAX_POOL, dtype, -1,
                VALUES(1e30, -1e30, 1e20), VALUES(rounded(dtype, -1e30)));
}
END_TEST

TCase *tcase_pool(void)
{
    TCase *tcase = tcase_create("pool");
    tcase_add_loop_test(tcase, pools_are_the_written_windows, 0, PLAN_COUNT);
    tcase_add_loop_test(tcase, any_geometry_is_the_written_window, 0, 20);
    tcase_add_loop_test(tcase, padding_never_wins, 0, 2);
    tcase_add_loop_test(tcase, max_pool_by_hand, 0, 2);
    tcase_add_loop_test(tcase, avg_pool_divides_by_the_whole_window, 0, 2);
    tcase_add_loop_test(tcase, smooth_max_pool_counts_padding_as_zero, 0, 2);
    tcase_add_loop_test(tcase, smooth_max_pool_does_not_overflow, 0, 2);
    return tcase;
}
