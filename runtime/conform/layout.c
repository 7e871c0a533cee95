/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements that move and are not computed: every result is exact, for every
 * type.
 */
#include "conform/case.h"

#include <string.h>

#define PIECES_MAX 4

static void shape_of_result(const kci_problem_t *problem, int32_t *out_rank,
                            int64_t *shape)
{
    const kci_array_t *x = &problem->inputs[0];
    const kc_attributes_t *attributes = &problem->attributes;
    *out_rank = x->rank;
    memcpy(shape, x->shape, sizeof x->shape);
    switch (problem->op) {
    case KC_OP_RESHAPE:
    case KC_OP_BROADCAST:
        *out_rank = (int32_t)attributes->u.shape.rank;
        memcpy(shape, attributes->u.shape.shape, sizeof x->shape);
        break;
    case KC_OP_PERMUTE:
        for (int32_t i = 0; i < x->rank; i++) {
            shape[i] = x->shape[attributes->u.permute.perm[i]];
        }
        break;
    case KC_OP_SLICE:
        shape[attributes->u.slice.axis] = attributes->u.slice.length;
        break;
    default: /* concat */
        for (size_t i = 1; i < problem->input_count; i++) {
            shape[attributes->u.axis.axis] +=
                problem->inputs[i].shape[attributes->u.axis.axis];
        }
        break;
    }
}

/* Right-aligned; an extent of 1 stands for all places. */
static double broadcast(const kci_problem_t *problem, const int64_t *index)
{
    const kci_array_t *x = &problem->inputs[0];
    int64_t from[KC_MAX_RANK];
    for (int32_t i = 0; i < x->rank; i++) {
        int64_t at = index[problem->rank - x->rank + i];
        from[i] = x->shape[i] == 1 ? 0 : at;
    }
    return x->values[kci_place_of(x->rank, x->shape, from)];
}

static double permute(const kci_problem_t *problem, const int64_t *index)
{
    const kci_array_t *x = &problem->inputs[0];
    int64_t from[KC_MAX_RANK];
    for (int32_t i = 0; i < x->rank; i++) {
        from[problem->attributes.u.permute.perm[i]] = index[i];
    }
    return x->values[kci_place_of(x->rank, x->shape, from)];
}

static double slice(const kci_problem_t *problem, const int64_t *index)
{
    const kci_array_t *x = &problem->inputs[0];
    const kc_slice_attributes_t *cut = &problem->attributes.u.slice;
    int64_t from[KC_MAX_RANK];
    memcpy(from, index, sizeof from);
    from[cut->axis] += cut->start;
    return x->values[kci_place_of(x->rank, x->shape, from)];
}

static double concat(const kci_problem_t *problem, const int64_t *index)
{
    int64_t axis = problem->attributes.u.axis.axis;
    int64_t from[KC_MAX_RANK];
    const kci_array_t *piece = &problem->inputs[0];
    memcpy(from, index, sizeof from);
    while (from[axis] >= piece->shape[axis]) {
        from[axis] -= piece->shape[axis];
        piece++;
    }
    return piece->values[kci_place_of(piece->rank, piece->shape, from)];
}

static double moved(const kci_problem_t *problem, int64_t i,
                    const int64_t *index)
{
    switch (problem->op) {
    case KC_OP_RESHAPE:
        return problem->inputs[0].values[i];
    case KC_OP_BROADCAST:
        return broadcast(problem, index);
    case KC_OP_PERMUTE:
        return permute(problem, index);
    case KC_OP_SLICE:
        return slice(problem, index);
    default:
        return concat(problem, index);
    }
}

kc_status_t kci_oracle_layout(kci_problem_t *problem, kc_error_t *error)
{
    int64_t shape[KC_MAX_RANK];
    int64_t index[KC_MAX_RANK] = {0};
    int32_t rank = 0;
    shape_of_result(problem, &rank, shape);
    kc_status_t status = kci_problem_shape(problem, rank, shape, error);
    for (int64_t i = 0; status == KC_OK && i < problem->count; i++) {
        kci_expect_exact(problem, i, moved(problem, i, index));
        kci_next_index(rank, shape, index);
    }
    return status;
}

/* Shuffles the extents and now and then joins two or adds a 1. */
static void draw_reshape(kci_case_t *trial, int32_t rank, const int64_t *shape)
{
    kc_shape_attributes_t *target = &trial->attributes.u.shape;
    target->rank = rank;
    memcpy(target->shape, shape, (size_t)rank * sizeof *shape);
    for (int64_t i = 0; i + 1 < target->rank; i++) {
        int64_t other = kci_draw_integer(&trial->draw, i, target->rank - 1);
        int64_t extent = target->shape[i];
        target->shape[i] = target->shape[other];
        target->shape[other] = extent;
    }
    if (target->rank > 1 && kci_draw_chance(&trial->draw, 60)) {
        target->shape[target->rank - 2] *= target->shape[target->rank - 1];
        target->rank--;
    }
    if (kci_draw_chance(&trial->draw, 30)) {
        target->shape[target->rank++] = 1;
    }
}

/* Extents that become 1 in the source, and axes that it lacks. */
static void draw_broadcast(kci_case_t *trial, int32_t *rank, int64_t *shape)
{
    kc_shape_attributes_t *target = &trial->attributes.u.shape;
    target->rank = *rank;
    memcpy(target->shape, shape, (size_t)*rank * sizeof *shape);
    int32_t missing = (int32_t)kci_draw_integer(&trial->draw, 0, *rank);
    *rank -= missing;
    for (int32_t i = 0; i < *rank; i++) {
        shape[i] = kci_draw_chance(&trial->draw, 40) ? 1 : shape[i + missing];
    }
}

static void draw_permute(kci_case_t *trial, int32_t rank)
{
    kc_permute_attributes_t *permutation = &trial->attributes.u.permute;
    permutation->rank = rank;
    for (int32_t i = 0; i < rank; i++) {
        permutation->perm[i] = i;
    }
    for (int32_t i = 0; i + 1 < rank; i++) {
        int64_t other = kci_draw_integer(&trial->draw, i, rank - 1);
        int64_t axis = permutation->perm[i];
        permutation->perm[i] = permutation->perm[other];
        permutation->perm[other] = axis;
    }
}

static void draw_slice(kci_case_t *trial, int32_t rank, const int64_t *shape)
{
    kc_slice_attributes_t *cut = &trial->attributes.u.slice;
    cut->axis = kci_draw_integer(&trial->draw, 0, rank - 1);
    cut->start = kci_draw_integer(&trial->draw, 0, shape[cut->axis]);
    cut->length =
        kci_draw_integer(&trial->draw, 0, shape[cut->axis] - cut->start);
}

static void draw_concat(kci_case_t *trial, int32_t rank, int64_t *shape)
{
    int64_t pieces = kci_draw_integer(&trial->draw, 2, PIECES_MAX);
    int64_t axis = kci_draw_integer(&trial->draw, 0, rank - 1);
    trial->attributes.u.axis.axis = axis;
    for (int64_t i = 0; i < pieces; i++) {
        kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
        shape[axis] = kci_draw_integer(&trial->draw, 0, 9);
    }
}

void kci_draw_layout(kci_case_t *trial)
{
    int64_t shape[KC_MAX_RANK];
    bool needs_axis = trial->op == KC_OP_CONCAT || trial->op == KC_OP_SLICE;
    int32_t rank =
        (int32_t)kci_draw_integer(&trial->draw, needs_axis ? 1 : 0, 5);
    kci_draw_extents(&trial->draw, rank, kci_case_budget(trial, 1500), shape);
    kci_case_emptiness(trial, rank, shape);
    switch (trial->op) {
    case KC_OP_RESHAPE:
        draw_reshape(trial, rank, shape);
        break;
    case KC_OP_BROADCAST:
        draw_broadcast(trial, &rank, shape);
        break;
    case KC_OP_PERMUTE:
        draw_permute(trial, rank);
        break;
    case KC_OP_SLICE:
        draw_slice(trial, rank, shape);
        break;
    default:
        draw_concat(trial, rank, shape);
        return;
    }
    kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
}
