/* SPDX-License-Identifier: Apache-2.0
 *
 * Products and the mean squared error: folds of products, each rounded before
 * it is added. An implementation that begins with the bias adds the same
 * terms in another order, so the bias is a term of the bound.
 */
#include "conform/case.h"

#include <math.h>

static kci_tracked_t product(const kci_precision_t *type, double a, double b)
{
    return kci_tracked_multiply(type, kci_tracked_exact(a),
                                kci_tracked_exact(b));
}

/* C[i, j] = fold over k of A[i, k] B[k, j]. */
static kc_status_t matmul(kci_problem_t *problem, kc_error_t *error)
{
    const kci_array_t *a = &problem->inputs[0];
    const kci_array_t *b = &problem->inputs[1];
    int64_t m = a->shape[a->rank - 2];
    int64_t n = a->shape[a->rank - 1];
    int64_t p = b->shape[b->rank - 1];
    int64_t shape[KC_MAX_RANK];
    for (int32_t i = 0; i < a->rank; i++) {
        shape[i] = i == a->rank - 1 ? p : a->shape[i];
    }
    kc_status_t status = kci_problem_shape(problem, a->rank, shape, error);
    for (int64_t at = 0; status == KC_OK && at < problem->count; at++) {
        int64_t batch = at / (m * p);
        int64_t i = at / p % m;
        int64_t j = at % p;
        const double *row = a->values + (batch * m + i) * n;
        const double *column = b->values + batch * n * p + j;
        kci_fold_t fold = kci_fold_begin(&problem->type);
        for (int64_t k = 0; k < n; k++) {
            kci_fold_add(&fold, product(&problem->type, row[k], column[k * p]));
        }
        kci_expect(problem, at, kci_fold_sum(&fold));
    }
    return status;
}

/* y[o] = fold over i of W[o, i] x[i], then the bias. */
static kc_status_t linear(kci_problem_t *problem, kc_error_t *error)
{
    const kci_array_t *x = &problem->inputs[0];
    const kci_array_t *weight = &problem->inputs[1];
    int64_t in = weight->shape[1];
    int64_t out = weight->shape[0];
    int64_t shape[KC_MAX_RANK];
    for (int32_t i = 0; i < x->rank; i++) {
        shape[i] = i == x->rank - 1 ? out : x->shape[i];
    }
    kc_status_t status = kci_problem_shape(problem, x->rank, shape, error);
    for (int64_t at = 0; status == KC_OK && at < problem->count; at++) {
        const double *row = x->values + at / out * in;
        const double *weights = weight->values + at % out * in;
        kci_fold_t fold = kci_fold_begin(&problem->type);
        for (int64_t i = 0; i < in; i++) {
            kci_fold_add(&fold, product(&problem->type, weights[i], row[i]));
        }
        if (kci_problem_has(problem, 2)) {
            kci_fold_add(
                &fold, kci_tracked_exact(problem->inputs[2].values[at % out]));
        }
        kci_expect(problem, at, kci_fold_sum(&fold));
    }
    return status;
}

/* The mean of (a - b)^2; of nothing NaN. */
static kc_status_t mse_loss(kci_problem_t *problem, kc_error_t *error)
{
    const kci_array_t *a = &problem->inputs[0];
    kci_fold_t fold = kci_fold_begin(&problem->type);
    for (int64_t i = 0; i < a->count; i++) {
        kci_tracked_t d = kci_tracked_subtract(
            &problem->type, kci_tracked_exact(a->values[i]),
            kci_tracked_exact(problem->inputs[1].values[i]));
        kci_fold_add(&fold, kci_tracked_multiply(&problem->type, d, d));
    }
    kc_status_t status = kci_problem_shape(problem, 0, a->shape, error);
    if (status == KC_OK) {
        kci_expect(problem, 0,
                   a->count == 0 ? kci_tracked_exact(NAN)
                                 : kci_fold_mean(&fold, a->count));
    }
    return status;
}

kc_status_t kci_oracle_matmul(kci_problem_t *problem, kc_error_t *error)
{
    switch (problem->op) {
    case KC_OP_MATMUL:
        return matmul(problem, error);
    case KC_OP_LINEAR:
        return linear(problem, error);
    default:
        return mse_loss(problem, error);
    }
}

/* m * n * p usually at most 20000: an oracle looks at every product. */
static void draw_matmul(kci_case_t *trial)
{
    kci_draw_t *draw = &trial->draw;
    int64_t sides[3];
    int64_t shape[KC_MAX_RANK];
    int32_t lead = (int32_t)kci_draw_integer(draw, 0, 2);
    kci_draw_extents(draw, lead, 4, shape);
    kci_draw_extents(draw, 3, kci_case_budget(trial, 20000), sides);
    kci_case_emptiness(trial, lead, shape);
    kci_case_emptiness(trial, 3, sides);
    shape[lead] = sides[0];
    shape[lead + 1] = sides[1];
    kci_case_add(trial, trial->dtype, lead + 2, shape, KCI_FILL_VALUES);
    shape[lead] = sides[1];
    shape[lead + 1] = sides[2];
    kci_case_add(trial, trial->dtype, lead + 2, shape, KCI_FILL_VALUES);
}

static void draw_linear(kci_case_t *trial)
{
    kci_draw_t *draw = &trial->draw;
    int64_t sides[3];
    int64_t shape[KC_MAX_RANK];
    int32_t lead = (int32_t)kci_draw_integer(draw, 0, 2);
    kci_draw_extents(draw, 3, kci_case_budget(trial, 20000), sides);
    kci_case_emptiness(trial, 3, sides);
    for (int32_t i = 0; i < lead; i++) {
        shape[i] = i == 0 ? sides[2] : 2;
    }
    shape[lead] = sides[1];
    kci_case_add(trial, trial->dtype, lead + 1, shape, KCI_FILL_VALUES);
    kci_case_add(trial, trial->dtype, 2, sides, KCI_FILL_VALUES);
    if (kci_draw_chance(draw, 70)) {
        kci_case_add(trial, trial->dtype, 1, sides, KCI_FILL_VALUES);
    }
}

void kci_draw_matmul(kci_case_t *trial)
{
    int64_t shape[KC_MAX_RANK];
    if (trial->op == KC_OP_MATMUL) {
        draw_matmul(trial);
    } else if (trial->op == KC_OP_LINEAR) {
        draw_linear(trial);
    } else {
        int32_t rank = (int32_t)kci_draw_integer(&trial->draw, 0, 5);
        kci_draw_extents(&trial->draw, rank, kci_case_budget(trial, 3000),
                         shape);
        kci_case_emptiness(trial, rank, shape);
        kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
        kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
    }
}
