/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations with indices. A gathered element is exact. Of scatter_add an
 * element that no index names is the base itself; another is the sum of base
 * and sources, 2 g Sum|t|.
 */
#include "conform/case.h"

/* Place in an array whose axis has extent `extent`: outer and inner of the
 * axis are those of the output. */
typedef struct spot {
    int64_t outer;
    int64_t inner;
    int64_t inner_count;
} spot_t;

static int64_t place(const spot_t *spot, int64_t extent, int64_t at)
{
    return (spot->outer * extent + at) * spot->inner_count + spot->inner;
}

static void gather(kci_problem_t *problem, int64_t i, const spot_t *spot,
                   int64_t at)
{
    const kci_array_t *x = &problem->inputs[0];
    int64_t extent = x->shape[problem->attributes.u.axis.axis];
    int64_t from = (int64_t)problem->inputs[1].values[at];
    kci_expect_exact(problem, i, x->values[place(spot, extent, from)]);
}

static void scatter(kci_problem_t *problem, int64_t i, const spot_t *spot,
                    int64_t at)
{
    const kci_array_t *indices = &problem->inputs[1];
    kci_fold_t fold =
        kci_fold_begin_at(&problem->type, problem->inputs[0].values[i]);
    for (int64_t j = 0; j < indices->count; j++) {
        if ((int64_t)indices->values[j] == at) {
            int64_t from = place(spot, indices->count, j);
            kci_fold_add(&fold,
                         kci_tracked_exact(problem->inputs[2].values[from]));
        }
    }
    if (fold.count == 1) {
        kci_expect_exact(problem, i, fold.value);
    } else {
        kci_expect(problem, i, kci_fold_sum(&fold));
    }
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
    int64_t inner = kci_extent_product(shape, axis + 1, x->rank);
    for (int64_t i = 0; status == KC_OK && i < problem->count; i++) {
        spot_t spot = {i / inner / shape[axis], i % inner, inner};
        int64_t at = i / inner % shape[axis];
        if (problem->op == KC_OP_GATHER) {
            gather(problem, i, &spot, at);
        } else {
            scatter(problem, i, &spot, at);
        }
    }
    return status;
}

void kci_draw_index(kci_case_t *trial)
{
    kci_draw_t *draw = &trial->draw;
    int64_t shape[KC_MAX_RANK];
    int32_t rank = (int32_t)kci_draw_integer(draw, 1, 4);
    kci_draw_extents(draw, rank, 600, shape);
    kci_draw_emptiness(draw, rank, shape);
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
