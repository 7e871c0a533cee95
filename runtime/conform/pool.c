/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools over the last axes. max: a selection, exact; cells in the padding do
 * not take part and NaN wins. avg: the sum of the window over all its cells,
 * padding counted as zeros. smooth_max: piv + log(sum exp(b (x - piv))) / b
 * over all cells, the padding as value 0.
 */
#include "conform/case.h"

#include <math.h>
#include <string.h>

/* One window: a cell of the input or, in the padding, nothing. */
typedef struct window {
    const kci_problem_t *problem;
    int32_t spatial;
    const int64_t *x;     /* spatial extents */
    const double *values; /* of the plane */
    const int64_t *q;     /* place of the output */
    int64_t cells;        /* of the window, with those in the padding */
} window_t;

/* Value of the cell at `tap`; false in the padding. */
static bool cell(const window_t *window, const int64_t *tap, double *out)
{
    const kc_pool_attributes_t *pool = &window->problem->attributes.u.pool;
    int64_t at[KC_MAX_RANK];
    for (int32_t i = 0; i < window->spatial; i++) {
        at[i] = window->q[i] * pool->stride[i] + tap[i] - pool->padding[i];
        if (at[i] < 0 || at[i] >= window->x[i]) {
            return false;
        }
    }
    *out = window->values[kci_place_of(window->spatial, window->x, at)];
    return true;
}

static bool next_tap(const window_t *window, int64_t *tap)
{
    return kci_next_index(window->spatial,
                          window->problem->attributes.u.pool.kernel, tap);
}

/* The first largest in row-major order; of zeros the first has the sign. */
static double maximum(const window_t *window, bool *out_is_mixed_zero)
{
    int64_t tap[KC_MAX_RANK] = {0};
    double best = 0;
    double value = 0;
    bool has_any = false;
    *out_is_mixed_zero = false;
    do {
        if (!cell(window, tap, &value) || isnan(best)) {
            continue;
        }
        if (has_any && value == 0 && best == 0 &&
            signbit(value) != signbit(best)) {
            *out_is_mixed_zero = true;
        }
        if (!has_any || isnan(value) || value > best) {
            best = value;
            has_any = true;
        }
    } while (next_tap(window, tap));
    return best;
}

static kci_tracked_t average(const window_t *window)
{
    int64_t tap[KC_MAX_RANK] = {0};
    kci_fold_t fold = kci_fold_begin(&window->problem->type);
    double value = 0;
    do {
        /* Out of range reads +0, which changes no sum and counts as a term. */
        kci_fold_add(&fold,
                     kci_tracked_exact(cell(window, tap, &value) ? value : 0));
    } while (next_tap(window, tap));
    return kci_fold_mean(&fold, window->cells);
}

/* The largest cell for a positive beta, the smallest for a negative one,
 * padding included as 0. NaN reaches the sum in any case. */
static double pivot(const window_t *window, double beta)
{
    int64_t tap[KC_MAX_RANK] = {0};
    double best = 0;
    double value = 0;
    bool has_any = false;
    do {
        value = cell(window, tap, &value) ? value : 0;
        if (!has_any || (beta > 0 ? value > best : value < best)) {
            best = value;
            has_any = true;
        }
    } while (next_tap(window, tap));
    return best;
}

static kci_tracked_t smooth_maximum(const window_t *window)
{
    const kci_precision_t *t = &window->problem->type;
    double beta =
        kci_precision_round(t, window->problem->attributes.u.pool.beta);
    int64_t tap[KC_MAX_RANK] = {0};
    kci_tracked_t piv = kci_tracked_exact(pivot(window, beta));
    kci_fold_t fold = kci_fold_begin(t);
    double value = 0;
    do {
        value = cell(window, tap, &value) ? value : 0;
        kci_tracked_t d =
            kci_tracked_subtract(t, kci_tracked_exact(value), piv);
        kci_fold_add(
            &fold, kci_tracked_exp(
                       t, kci_tracked_multiply(t, kci_tracked_exact(beta), d)));
    } while (next_tap(window, tap));
    kci_tracked_t log_sum = kci_tracked_log(t, kci_fold_sum(&fold));
    kci_tracked_t inverse =
        kci_tracked_divide(t, kci_tracked_exact(1), kci_tracked_exact(beta));
    return kci_tracked_add(t, piv, kci_tracked_multiply(t, log_sum, inverse));
}

static void evaluate(kci_problem_t *problem, int64_t i, const window_t *window)
{
    bool is_mixed_zero = false;
    double largest = 0;
    switch (problem->op) {
    case KC_OP_MAX_POOL:
        largest = maximum(window, &is_mixed_zero);
        if (largest == 0 && is_mixed_zero) {
            /* Equal numbers: which of them wins is seen by the gradient. */
            kci_expect(problem, i, kci_tracked_exact(largest));
        } else {
            kci_expect_exact(problem, i, largest);
        }
        break;
    case KC_OP_AVG_POOL:
        kci_expect(problem, i, average(window));
        break;
    default:
        kci_expect(problem, i, smooth_maximum(window));
        break;
    }
}

kc_status_t kci_oracle_pool(kci_problem_t *problem, kc_error_t *error)
{
    const kci_array_t *x = &problem->inputs[0];
    const kc_pool_attributes_t *pool = &problem->attributes.u.pool;
    int32_t spatial = (int32_t)pool->spatial_rank;
    int32_t lead = x->rank - spatial;
    int64_t shape[KC_MAX_RANK];
    int64_t index[KC_MAX_RANK] = {0};
    memcpy(shape, x->shape, sizeof shape);
    for (int32_t i = 0; i < spatial; i++) {
        shape[lead + i] =
            (x->shape[lead + i] + 2 * pool->padding[i] - pool->kernel[i]) /
                pool->stride[i] +
            1;
    }
    kc_status_t status = kci_problem_shape(problem, x->rank, shape, error);
    int64_t plane = kci_extent_product(x->shape, lead, x->rank);
    for (int64_t i = 0; status == KC_OK && i < problem->count; i++) {
        int64_t batch = kci_place_of(lead, shape, index);
        window_t window = {
            problem,         spatial,
            x->shape + lead, x->values + batch * plane,
            index + lead,    kci_extent_product(pool->kernel, 0, spatial)};
        evaluate(problem, i, &window);
        kci_next_index(problem->rank, shape, index);
    }
    return status;
}

void kci_draw_pool(kci_case_t *trial)
{
    static const double betas[] = {1, -1, 0.5, 10, -100, 1e-3, 1e6, 3.7};
    kci_draw_t *draw = &trial->draw;
    kc_pool_attributes_t *pool = &trial->attributes.u.pool;
    int32_t spatial = (int32_t)kci_draw_integer(draw, 1, 3);
    int32_t lead = (int32_t)kci_draw_integer(draw, 0, 2);
    int64_t shape[KC_MAX_RANK];
    kci_draw_extents(draw, lead, kci_case_budget(trial, 6), shape);
    kci_case_emptiness(trial, lead, shape);
    pool->spatial_rank = spatial;
    for (int32_t i = 0; i < spatial; i++) {
        pool->kernel[i] = kci_draw_integer(draw, 1, spatial == 1 ? 7 : 4);
        pool->stride[i] = kci_draw_integer(draw, 1, 4);
        pool->padding[i] = kci_draw_integer(draw, 0, pool->kernel[i] / 2);
        int64_t least = pool->kernel[i] - 2 * pool->padding[i];
        int64_t extent = kci_draw_extent(draw, spatial == 1 ? 129 : 9);
        shape[lead + i] = extent < least ? least : extent;
    }
    if (trial->op == KC_OP_SMOOTH_MAX_POOL) {
        pool->beta = betas[kci_draw_integer(draw, 0, 7)];
    }
    kci_case_add(trial, trial->dtype, lead + spatial, shape, KCI_FILL_VALUES);
}
