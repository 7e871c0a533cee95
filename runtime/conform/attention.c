/* SPDX-License-Identifier: Apache-2.0
 *
 * Scaled dot-product attention, row by row: scores are folds of products,
 * scaled afterwards; softmax over the allowed keys; the values are folded
 * with the weights of the allowed keys. A blocked key takes no part, not even
 * times zero; a row without an allowed key is exact zeros.
 */
#include "conform/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Extents: leading product, queries, keys, depth, depth of the values. */
typedef struct extents {
    int64_t heads;
    int64_t queries;
    int64_t keys;
    int64_t depth;
    int64_t value_depth;
} extents_t;

static extents_t extents_of(const kci_problem_t *problem)
{
    const kci_array_t *q = &problem->inputs[0];
    const kci_array_t *v = &problem->inputs[2];
    return (extents_t){kci_extent_product(q->shape, 0, q->rank - 2),
                       q->shape[q->rank - 2], v->shape[v->rank - 2],
                       q->shape[q->rank - 1], v->shape[v->rank - 1]};
}

/* float32 of 1 / sqrt(float32 d), 1 for d = 0, unless something is said. */
static double scale_of(const kci_problem_t *problem, int64_t depth)
{
    double scale = problem->attributes.u.attention.scale;
    if (isnan(scale)) {
        scale = depth == 0 ? 1 : (double)(1 / sqrtf((float)depth));
    }
    return kci_precision_round(&problem->type, scale);
}

/* The mask is aligned to the right of [lead..., queries, keys]; an extent of
 * 1 and a missing axis stand for all places. */
static bool is_allowed(const kci_problem_t *problem, const int64_t *row,
                       int64_t key)
{
    const kci_array_t *mask = &problem->inputs[3];
    int32_t rank = problem->inputs[0].rank;
    if (problem->attributes.u.attention.causal && key > row[rank - 2]) {
        return false;
    }
    if (!kci_problem_has(problem, 3)) {
        return true;
    }
    int64_t index[KC_MAX_RANK];
    memcpy(index, row, sizeof index);
    index[rank - 1] = key;
    int64_t from[KC_MAX_RANK];
    for (int32_t i = 0; i < mask->rank; i++) {
        from[i] = mask->shape[i] == 1 ? 0 : index[rank - mask->rank + i];
    }
    return mask->values[kci_place_of(mask->rank, mask->shape, from)] != 0;
}

static kci_tracked_t score(const kci_problem_t *problem, const extents_t *e,
                           const double *query, const double *key)
{
    const kci_precision_t *t = &problem->type;
    kci_fold_t fold = kci_fold_begin(t);
    for (int64_t c = 0; c < e->depth; c++) {
        kci_fold_add(&fold, kci_tracked_multiply(t, kci_tracked_exact(query[c]),
                                                 kci_tracked_exact(key[c])));
    }
    return kci_tracked_multiply(t, kci_fold_sum(&fold),
                                kci_tracked_exact(scale_of(problem, e->depth)));
}

/*
 * Weights from scores, in place; blocked ones stay 0. The maximum only
 * shifts: exp(s - m) / sum exp(s - m) is the same number for every m, so the
 * largest of the exact scores serves and is taken as exact; the weights'
 * errors come from those of the scores. `written` subtracts the largest of
 * the written scores.
 */
static void softmax(const kci_problem_t *problem, const extents_t *e,
                    const bool *allowed, kci_tracked_t *scores)
{
    const kci_precision_t *t = &problem->type;
    kci_tracked_t largest = {0, 0, 0};
    bool has_any = false;
    for (int64_t j = 0; j < e->keys; j++) {
        if (allowed[j] && (!has_any || scores[j].value > largest.value)) {
            largest.value = scores[j].value;
        }
        if (allowed[j] && (!has_any || scores[j].written > largest.written)) {
            largest.written = scores[j].written;
        }
        has_any = has_any || allowed[j];
    }
    kci_fold_t fold = kci_fold_begin(t);
    for (int64_t j = 0; j < e->keys; j++) {
        scores[j] = allowed[j] ? kci_tracked_exp(t, kci_tracked_subtract(
                                                        t, scores[j], largest))
                               : kci_tracked_exact(0);
        kci_fold_add(&fold, scores[j]);
    }
    kci_tracked_t sum = kci_fold_sum(&fold);
    for (int64_t j = 0; j < e->keys; j++) {
        scores[j] = allowed[j] ? kci_tracked_divide(t, scores[j], sum)
                               : kci_tracked_exact(0);
    }
}

static void evaluate_row(kci_problem_t *problem, const extents_t *e,
                         int64_t row, const bool *allowed,
                         kci_tracked_t *weights)
{
    int64_t head = row / e->queries;
    const double *query = problem->inputs[0].values + row * e->depth;
    const double *values =
        problem->inputs[2].values + head * e->keys * e->value_depth;
    bool has_any = false;
    for (int64_t j = 0; j < e->keys; j++) {
        const double *key =
            problem->inputs[1].values + (head * e->keys + j) * e->depth;
        if (allowed[j]) {
            weights[j] = score(problem, e, query, key);
            has_any = true;
        }
    }
    softmax(problem, e, allowed, weights);
    for (int64_t c = 0; c < e->value_depth; c++) {
        kci_fold_t fold = kci_fold_begin(&problem->type);
        for (int64_t j = 0; j < e->keys; j++) {
            double value = values[j * e->value_depth + c];
            if (allowed[j]) {
                kci_fold_add(&fold,
                             kci_tracked_multiply(&problem->type, weights[j],
                                                  kci_tracked_exact(value)));
            }
        }
        int64_t at = row * e->value_depth + c;
        if (has_any) {
            kci_expect(problem, at, kci_fold_sum(&fold));
        } else {
            kci_expect_exact(problem, at, 0);
        }
    }
}

static void evaluate_rows(kci_problem_t *problem, const extents_t *e,
                          bool *allowed, kci_tracked_t *weights)
{
    int64_t index[KC_MAX_RANK] = {0};
    int32_t rank = problem->inputs[0].rank;
    for (int64_t row = 0; row < e->heads * e->queries; row++) {
        for (int64_t j = 0; j < e->keys; j++) {
            allowed[j] = is_allowed(problem, index, j);
        }
        evaluate_row(problem, e, row, allowed, weights);
        kci_next_index(rank - 1, problem->inputs[0].shape, index);
    }
}

kc_status_t kci_oracle_attention(kci_problem_t *problem, kc_error_t *error)
{
    extents_t e = extents_of(problem);
    const kci_array_t *q = &problem->inputs[0];
    int64_t shape[KC_MAX_RANK];
    memcpy(shape, q->shape, sizeof shape);
    shape[q->rank - 1] = e.value_depth;
    kc_status_t status = kci_problem_shape(problem, q->rank, shape, error);
    bool *allowed = kci_conform_allocate(e.keys, sizeof *allowed);
    kci_tracked_t *weights = kci_conform_allocate(e.keys, sizeof *weights);
    if (status == KC_OK && (allowed == NULL || weights == NULL)) {
        status = kci_conform_no_memory(error);
    }
    if (status == KC_OK) {
        evaluate_rows(problem, &e, allowed, weights);
    }
    free(allowed);
    free(weights);
    return status;
}

/* [queries, keys] with leading axes that may be missing or 1. */
static void draw_mask(kci_case_t *trial, int32_t rank, const int64_t *scores)
{
    int32_t missing = (int32_t)kci_draw_integer(&trial->draw, 0, rank);
    int64_t shape[KC_MAX_RANK];
    for (int32_t i = 0; i < rank - missing; i++) {
        shape[i] = kci_draw_chance(&trial->draw, 15) ? 1 : scores[missing + i];
    }
    kci_case_add(trial, KC_DTYPE_BOOL, rank - missing, shape, KCI_FILL_MASK);
}

void kci_draw_attention(kci_case_t *trial)
{
    kci_draw_t *draw = &trial->draw;
    kc_attention_attributes_t *attention = &trial->attributes.u.attention;
    int64_t sides[3]; /* queries, keys, depth */
    int64_t shape[KC_MAX_RANK];
    int32_t lead = (int32_t)kci_draw_integer(draw, 0, 2);
    kci_draw_extents(draw, lead, 6, shape);
    kci_case_emptiness(trial, lead, shape);
    kci_draw_extents(draw, 3, kci_case_budget(trial, 4000), sides);
    int64_t value_depth =
        kci_draw_chance(draw, 50) ? sides[2] : kci_draw_integer(draw, 0, 9);
    sides[2] = kci_draw_chance(draw, 3) ? 0 : sides[2];
    attention->causal = kci_draw_chance(draw, 40);
    attention->scale =
        kci_draw_chance(draw, 60) ? NAN : kci_draw_real(draw, -2, 2);
    shape[lead] = sides[0];
    shape[lead + 1] = sides[2];
    kci_case_add(trial, trial->dtype, lead + 2, shape, KCI_FILL_VALUES);
    shape[lead] = sides[1];
    kci_case_add(trial, trial->dtype, lead + 2, shape, KCI_FILL_VALUES);
    shape[lead + 1] = value_depth;
    kci_case_add(trial, trial->dtype, lead + 2, shape, KCI_FILL_VALUES);
    shape[lead] = sides[0];
    shape[lead + 1] = sides[1];
    if (kci_draw_chance(draw, 55)) {
        draw_mask(trial, lead + 2, shape);
    }
}
