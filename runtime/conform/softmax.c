/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalised exponentials of the n elements along one axis. The maximum is a
 * selection and exact; what rounds is the difference, the exponential, the
 * sum and the quotient.
 */
#include "conform/case.h"

#include <math.h>

/* One slice: element j is at first + j * stride. */
typedef struct slice {
    const kci_problem_t *problem;
    int64_t first;
    int64_t stride;
    int64_t n;
} slice_t;

static int64_t place(const slice_t *slice, int64_t j)
{
    return slice->first + j * slice->stride;
}

static double element(const slice_t *slice, int64_t j)
{
    return slice->problem->inputs[0].values[place(slice, j)];
}

static bool is_allowed(const slice_t *slice, int64_t j)
{
    return slice->problem->op != KC_OP_HARD_MASKED_SOFTMAX ||
           slice->problem->inputs[1].values[place(slice, j)] != 0;
}

/* The first largest allowed element. NaN is larger only when it is first;
 * otherwise it reaches the sum. */
static double maximum(const slice_t *slice)
{
    double largest = 0;
    bool has_any = false;
    for (int64_t j = 0; j < slice->n; j++) {
        if (is_allowed(slice, j) && (!has_any || element(slice, j) > largest)) {
            largest = element(slice, j);
            has_any = true;
        }
    }
    return largest;
}

static kci_tracked_t shifted(const slice_t *slice, int64_t j, double largest)
{
    return kci_tracked_subtract(&slice->problem->type,
                                kci_tracked_exact(element(slice, j)),
                                kci_tracked_exact(largest));
}

static kci_tracked_t exponential(const slice_t *slice, int64_t j,
                                 double largest)
{
    if (!is_allowed(slice, j)) {
        return kci_tracked_exact(0);
    }
    return kci_tracked_exp(&slice->problem->type, shifted(slice, j, largest));
}

static kci_tracked_t result(const slice_t *slice, int64_t j, double largest,
                            kci_tracked_t sum)
{
    const kci_precision_t *type = &slice->problem->type;
    if (slice->problem->op == KC_OP_LOG_SOFTMAX) {
        return kci_tracked_subtract(type, shifted(slice, j, largest),
                                    kci_tracked_log(type, sum));
    }
    return kci_tracked_divide(type, exponential(slice, j, largest), sum);
}

static void evaluate_slice(kci_problem_t *problem, const slice_t *slice)
{
    double largest = maximum(slice);
    kci_fold_t fold = kci_fold_begin(&problem->type);
    for (int64_t j = 0; j < slice->n; j++) {
        kci_fold_add(&fold, exponential(slice, j, largest));
    }
    kci_tracked_t sum = kci_fold_sum(&fold);
    for (int64_t j = 0; j < slice->n; j++) {
        if (is_allowed(slice, j)) {
            kci_expect(problem, place(slice, j),
                       result(slice, j, largest, sum));
        } else {
            kci_expect_exact(problem, place(slice, j), 0);
        }
    }
}

/* A scalar is one slice of one element. */
kc_status_t kci_oracle_softmax(kci_problem_t *problem, kc_error_t *error)
{
    const kci_array_t *x = &problem->inputs[0];
    kc_status_t status = kci_problem_shape(problem, x->rank, x->shape, error);
    if (status != KC_OK || x->count == 0) {
        return status;
    }
    int64_t axis = problem->op == KC_OP_HARD_MASKED_SOFTMAX
                       ? x->rank - 1
                       : problem->attributes.u.axis.axis;
    int64_t n = x->rank == 0 ? 1 : x->shape[axis];
    int64_t inner =
        x->rank == 0 ? 1 : kci_extent_product(x->shape, axis + 1, x->rank);
    for (int64_t outer = 0; outer < x->count / (n * inner); outer++) {
        for (int64_t i = 0; i < inner; i++) {
            slice_t slice = {problem, outer * n * inner + i, inner, n};
            evaluate_slice(problem, &slice);
        }
    }
    return KC_OK;
}

void kci_draw_softmax(kci_case_t *trial)
{
    int64_t shape[KC_MAX_RANK];
    int32_t rank = (int32_t)kci_draw_integer(&trial->draw, 0, 4);
    kci_draw_extents(&trial->draw, rank, kci_case_budget(trial, 1200), shape);
    kci_case_emptiness(trial, rank, shape);
    kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
    trial->attributes.u.axis.axis =
        rank == 0 ? 0 : kci_draw_integer(&trial->draw, 0, rank - 1);
    if (trial->op == KC_OP_HARD_MASKED_SOFTMAX) {
        trial->attributes.u.axis.axis = rank == 0 ? 0 : rank - 1;
        kci_case_add(trial, KC_DTYPE_BOOL, rank, shape, KCI_FILL_MASK);
    }
}
