/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations with indices. A gathered element is exact. Of scatter_add an
 * element that no index names is the base itself; another is the sum of base
 * and sources, 2 g Sum|t|.
 */
#include "conform/case.h"

#include <stdlib.h>

/* An index of the output along three axes: in front of the indexed one, on
 * it, behind it. */
static int64_t place(int64_t outer, int64_t extent, int64_t at, int64_t inner,
                     int64_t inner_count)
{
    return (outer * extent + at) * inner_count + inner;
}

static void gather(kci_problem_t *problem, int64_t extent, int64_t inner_count)
{
    const kci_array_t *indices = &problem->inputs[1];
    for (int64_t i = 0; i < problem->count; i++) {
        int64_t inner = i % inner_count;
        int64_t j = i / inner_count % indices->count;
        int64_t outer = i / inner_count / indices->count;
        int64_t from = place(outer, extent, (int64_t)indices->values[j], inner,
                             inner_count);
        kci_expect_exact(problem, i, problem->inputs[0].values[from]);
    }
}

/* Adds source after source, in the order of the indices. */
static void add_sources(const kci_problem_t *problem, int64_t extent,
                        int64_t inner_count, kci_fold_t *folds)
{
    const kci_array_t *indices = &problem->inputs[1];
    const kci_array_t *source = &problem->inputs[2];
    for (int64_t i = 0; i < source->count; i++) {
        int64_t inner = i % inner_count;
        int64_t j = i / inner_count % indices->count;
        int64_t outer = i / inner_count / indices->count;
        int64_t to = place(outer, extent, (int64_t)indices->values[j], inner,
                           inner_count);
        kci_fold_add(&folds[to], kci_tracked_exact(source->values[i]));
    }
}

static kc_status_t scatter(kci_problem_t *problem, int64_t extent,
                           int64_t inner_count, kc_error_t *error)
{
    kci_fold_t *folds = kci_conform_allocate(problem->count, sizeof *folds);
    if (folds == NULL) {
        return kci_conform_no_memory(error);
    }
    for (int64_t i = 0; i < problem->count; i++) {
        folds[i] =
            kci_fold_begin_at(&problem->type, problem->inputs[0].values[i]);
    }
    add_sources(problem, extent, inner_count, folds);
    for (int64_t i = 0; i < problem->count; i++) {
        if (folds[i].count == 1) {
            kci_expect_exact(problem, i, folds[i].value);
        } else {
            kci_expect(problem, i, kci_fold_sum(&folds[i]));
        }
    }
    free(folds);
    return KC_OK;
}

kc_status_t kci_oracle_index(kci_problem_t *problem, kc_error_t *error)
{
    int64_t axis = problem->attributes.u.axis.axis;
    const kci_array_t *x = &problem->inputs[0];
    int64_t shape[KC_MAX_RANK];
    for (int32_t i = 0; i < x->rank; i++) {
        bool is_gathered = i == axis && problem->op == KC_OP_GATHER;
        shape[i] = is_gathered ? problem->inputs[1].count : x->shape[i];
    }
    kc_status_t status = kci_problem_shape(problem, x->rank, shape, error);
    int64_t inner_count = kci_extent_product(shape, axis + 1, x->rank);
    if (status == KC_OK && problem->op == KC_OP_GATHER) {
        gather(problem, x->shape[axis], inner_count);
    } else if (status == KC_OK) {
        status = scatter(problem, x->shape[axis], inner_count, error);
    }
    return status;
}

void kci_draw_index(kci_case_t *trial)
{
    kci_draw_t *draw = &trial->draw;
    int64_t shape[KC_MAX_RANK];
    int32_t rank = (int32_t)kci_draw_integer(draw, 1, 4);
    kci_draw_extents(draw, rank, kci_case_budget(trial, 800), shape);
    kci_case_emptiness(trial, rank, shape);
    int64_t axis = kci_draw_integer(draw, 0, rank - 1);
    trial->attributes.u.axis.axis = axis;
    kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
    /* More indices than places, so that some come twice. */
    int64_t count = kci_draw_chance(draw, 8) || shape[axis] == 0
                        ? 0
                        : kci_draw_extent(draw, 2 * shape[axis]);
    int32_t dtype = kci_draw_chance(draw, 50) ? KC_DTYPE_I32 : KC_DTYPE_I64;
    kci_operand_t *indices =
        kci_case_add(trial, dtype, 1, &count, KCI_FILL_INDICES);
    indices->index_extent = shape[axis];
    if (trial->op == KC_OP_SCATTER_ADD) {
        shape[axis] = count;
        kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
    }
}
