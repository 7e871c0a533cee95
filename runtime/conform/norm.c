/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalisation: y = (d / s) gamma + beta with d = x - mean and
 * s = sqrt(variance + eps), the variance being the mean of d^2. Everything is
 * tracked: what the mean is off passes into d, d into the variance.
 */
#include "conform/case.h"

#include <math.h>
#include <string.h>

/* Elements that share statistics: outer_count runs of `run` elements. */
typedef struct group {
    int64_t first;
    int64_t outer_count;
    int64_t outer_stride;
    int64_t run;
} group_t;

typedef struct statistics {
    kci_tracked_t mean;
    kci_tracked_t deviation; /* s */
} statistics_t;

static int64_t place(const group_t *group, int64_t j)
{
    return group->first + j / group->run * group->outer_stride + j % group->run;
}

static kci_tracked_t deviation(const kci_problem_t *problem,
                               kci_tracked_t variance, double eps)
{
    const kci_precision_t *t = &problem->type;
    return kci_tracked_sqrt(
        t, kci_tracked_add(t, variance, kci_tracked_constant(t, eps)));
}

static kci_tracked_t centred(const kci_problem_t *problem, int64_t at,
                             kci_tracked_t mean)
{
    return kci_tracked_subtract(
        &problem->type, kci_tracked_exact(problem->inputs[0].values[at]), mean);
}

static statistics_t measure(const kci_problem_t *problem, const group_t *group,
                            double eps)
{
    const kci_precision_t *t = &problem->type;
    int64_t count = group->outer_count * group->run;
    kci_fold_t sum = kci_fold_begin(t);
    kci_fold_t squares = kci_fold_begin(t);
    for (int64_t j = 0; j < count; j++) {
        double x = problem->inputs[0].values[place(group, j)];
        kci_fold_add(&sum, kci_tracked_exact(x));
    }
    kci_tracked_t mean = kci_fold_mean(&sum, count);
    for (int64_t j = 0; j < count; j++) {
        kci_tracked_t d = centred(problem, place(group, j), mean);
        kci_fold_add(&squares, kci_tracked_multiply(t, d, d));
    }
    return (statistics_t){
        mean, deviation(problem, kci_fold_mean(&squares, count), eps)};
}

/* An absent gamma is 1, an absent beta 0. */
static double parameter(const kci_problem_t *problem, size_t input, int64_t i,
                        double absent)
{
    return kci_problem_has(problem, input) ? problem->inputs[input].values[i]
                                           : absent;
}

static void normalise(kci_problem_t *problem, int64_t at,
                      const statistics_t *statistics, int64_t i)
{
    const kci_precision_t *t = &problem->type;
    kci_tracked_t unit = kci_tracked_divide(
        t, centred(problem, at, statistics->mean), statistics->deviation);
    kci_tracked_t scaled = kci_tracked_multiply(
        t, unit, kci_tracked_exact(parameter(problem, 1, i, 1)));
    kci_expect(problem, at,
               kci_tracked_add(t, scaled,
                               kci_tracked_exact(parameter(problem, 2, i, 0))));
}

/* Rows of the axes from `axis` on. */
static void layer_norm(kci_problem_t *problem)
{
    const kc_layer_norm_attributes_t *norm = &problem->attributes.u.layer_norm;
    int64_t row = kci_extent_product(problem->shape, norm->axis, problem->rank);
    for (int64_t first = 0; first < problem->count; first += row) {
        group_t group = {first, 1, 0, row};
        statistics_t statistics = measure(problem, &group, norm->eps);
        for (int64_t j = 0; j < row; j++) {
            normalise(problem, first + j, &statistics, j);
        }
    }
}

static statistics_t stored(const kci_problem_t *problem, int64_t channel,
                           double eps)
{
    double variance = problem->inputs[4].values[channel];
    variance = variance < 0 ? 0 : variance;
    return (statistics_t){kci_tracked_exact(problem->inputs[3].values[channel]),
                          deviation(problem, kci_tracked_exact(variance), eps)};
}

static void normalise_group(kci_problem_t *problem, const group_t *group,
                            int64_t channel)
{
    const kc_batch_norm_attributes_t *norm = &problem->attributes.u.batch_norm;
    statistics_t statistics = norm->mode == KC_BATCH_NORM_EVAL
                                  ? stored(problem, channel, norm->eps)
                                  : measure(problem, group, norm->eps);
    for (int64_t j = 0; j < group->outer_count * group->run; j++) {
        normalise(problem, place(group, j), &statistics, channel);
    }
}

/* Statistics of a channel over all other axes, or of a channel of a sample
 * over the axes behind it. */
static void batch_norm(kci_problem_t *problem)
{
    const kc_batch_norm_attributes_t *norm = &problem->attributes.u.batch_norm;
    int64_t axis = norm->channel_axis;
    int64_t channels = problem->shape[axis];
    int64_t before = kci_extent_product(problem->shape, 0, axis);
    int64_t behind =
        kci_extent_product(problem->shape, axis + 1, problem->rank);
    bool is_joint = norm->mode != KC_BATCH_NORM_SAMPLE;
    for (int64_t c = 0; c < channels; c++) {
        for (int64_t o = 0; o < (is_joint ? 1 : before); o++) {
            group_t group = {(o * channels + c) * behind, is_joint ? before : 1,
                             channels * behind, behind};
            normalise_group(problem, &group, c);
        }
    }
}

kc_status_t kci_oracle_norm(kci_problem_t *problem, kc_error_t *error)
{
    const kci_array_t *x = &problem->inputs[0];
    kc_status_t status = kci_problem_shape(problem, x->rank, x->shape, error);
    if (status != KC_OK) {
        return status;
    }
    if (problem->op == KC_OP_LAYER_NORM) {
        layer_norm(problem);
    } else {
        batch_norm(problem);
    }
    return KC_OK;
}

static double draw_eps(kci_draw_t *draw)
{
    static const double eps[] = {1e-5, 1e-5, 1e-3, 1e-12, 0.5};
    return eps[kci_draw_integer(draw, 0, 4)];
}

static void draw_layer_norm(kci_case_t *trial, int32_t rank,
                            const int64_t *shape)
{
    kc_layer_norm_attributes_t *norm = &trial->attributes.u.layer_norm;
    int32_t axis = (int32_t)kci_draw_integer(&trial->draw, 0, rank - 1);
    norm->axis = axis;
    norm->eps = draw_eps(&trial->draw);
    if (kci_draw_chance(&trial->draw, 75)) {
        kci_case_add(trial, trial->dtype, rank - axis, shape + axis,
                     KCI_FILL_VALUES);
        kci_case_add(trial, trial->dtype, rank - axis, shape + axis,
                     KCI_FILL_VALUES);
    }
}

/* A sample has its channels on axis 0 or 1: which axes in front of a later
 * channel axis are samples, the catalogue does not say. */
static void draw_batch_norm(kci_case_t *trial, int32_t rank,
                            const int64_t *shape)
{
    kc_batch_norm_attributes_t *norm = &trial->attributes.u.batch_norm;
    int64_t last = rank - 1;
    norm->mode = (int32_t)kci_draw_integer(&trial->draw, 0, 2);
    norm->mode = norm->mode == KC_BATCH_NORM_BATCH && last == 0
                     ? KC_BATCH_NORM_EVAL
                     : norm->mode;
    last = norm->mode == KC_BATCH_NORM_SAMPLE && last > 1 ? 1 : last;
    norm->channel_axis =
        kci_draw_integer(&trial->draw, norm->mode == KC_BATCH_NORM_BATCH, last);
    norm->eps = draw_eps(&trial->draw);
    const int64_t *channels = &shape[norm->channel_axis];
    kci_case_add(trial, trial->dtype, 1, channels, KCI_FILL_VALUES);
    kci_case_add(trial, trial->dtype, 1, channels, KCI_FILL_VALUES);
    if (norm->mode == KC_BATCH_NORM_EVAL) {
        kci_case_add(trial, trial->dtype, 1, channels, KCI_FILL_VALUES);
        kci_case_add(trial, trial->dtype, 1, channels, KCI_FILL_VARIANCE);
    }
}

/* No extent is 0: statistics of nothing have no meaning. */
void kci_draw_norm(kci_case_t *trial)
{
    int64_t shape[KC_MAX_RANK];
    int32_t rank = (int32_t)kci_draw_integer(&trial->draw, 1, 4);
    kci_draw_extents(&trial->draw, rank, kci_case_budget(trial, 1500), shape);
    kci_case_add(trial, trial->dtype, rank, shape, KCI_FILL_VALUES);
    if (trial->op == KC_OP_LAYER_NORM) {
        draw_layer_norm(trial, rank, shape);
    } else {
        draw_batch_norm(trial, rank, shape);
    }
}
