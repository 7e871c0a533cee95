/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums and means along one axis. Sum: 2 g Sum|t|; mean: that over n and the
 * roundings of the division. The sum of nothing is +0, its mean NaN.
 */
#include "conform/case.h"

#include <math.h>

static kci_tracked_t reduce(const kci_problem_t *problem, int64_t first,
                            int64_t stride, int64_t n)
{
    const double *x = problem->inputs[0].values;
    kci_fold_t fold = kci_fold_begin(&problem->type);
    for (int64_t j = 0; j < n; j++) {
        kci_fold_add(&fold, kci_tracked_exact(x[first + j * stride]));
    }
    if (problem->op == KC_OP_REDUCE_SUM) {
        return kci_fold_sum(&fold);
    }
    return n == 0 ? kci_tracked_exact(NAN) : kci_fold_mean(&fold, n);
}

kc_status_t kci_oracle_reduce(kci_problem_t *problem, kc_error_t *error)
{
    const kci_array_t *x = &problem->inputs[0];
    int64_t axis = problem->attributes.u.axis.axis;
    int64_t shape[KC_MAX_RANK];
    int32_t rank = 0;
    for (int32_t i = 0; i < x->rank; i++) {
        if (i != axis) {
            shape[rank++] = x->shape[i];
        }
    }
    kc_status_t status = kci_problem_shape(problem, rank, shape, error);
    if (status != KC_OK || problem->count == 0) {
        return status;
    }
    int64_t n = x->shape[axis];
    int64_t inner = kci_extent_product(x->shape, axis + 1, x->rank);
    for (int64_t i = 0; i < problem->count; i++) {
        int64_t first = i / inner * n * inner + i % inner;
        kci_expect(problem, i, reduce(problem, first, inner, n));
    }
    return KC_OK;
}

void kci_draw_reduce(kci_case_t *trial)
{
    int64_t shape[KC_MAX_RANK];
    int32_t rank = (int32_t)kci_draw_integer(&trial->draw, 1, 5);
    kci_draw_extents(&trial->draw, rank, kci_case_budget(trial, 3000), shape);
    kci_case_emptiness(trial, rank, shape);
    kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
    trial->attributes.u.axis.axis = kci_draw_integer(&trial->draw, 0, rank - 1);
}
