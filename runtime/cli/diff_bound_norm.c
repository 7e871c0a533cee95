/* SPDX-License-Identifier: Apache-2.0
 *
 * layer_norm and batch_norm. Of c elements, none larger than M, the mean is
 * off by gamma(c) M; with s = sqrt(v + eps) so is x - mean, and s by as much
 * or by gamma(c) of itself. So xhat = (x - mean) / s is off by
 * (1 + |xhat|) kappa with kappa = gamma(c + 8) (M / s + 1). Given statistics
 * are the case of no sums: M is then |x| + |mean|.
 */
#include "cli/diff_bound.h"

#include <math.h>
#include <stdlib.h>

/* One set of elements that share mean and variance. */
typedef struct group {
    double sum;
    double largest;
    double mean;
    double deviation; /* s */
    double cotangent; /* the largest |g gamma| */
} group_t;

typedef struct norm {
    const cli_diff_question_t *question;
    group_t *groups;
    int64_t size;  /* elements of x */
    int64_t inner; /* elements of x for one step of a group or channel */
    int64_t channel_count;
    int64_t group_count;
    double length; /* elements of a group */
    int is_layer;
    int is_eval;
    int is_batch;
} norm_t;

static int64_t group_of(const norm_t *norm, int64_t index)
{
    int64_t outer = index / norm->inner;
    return norm->is_batch ? outer % norm->channel_count : outer;
}

/* Where gamma and beta of an element are. */
static int64_t channel_of(const norm_t *norm, int64_t index)
{
    return norm->is_layer ? index % norm->inner
                          : index / norm->inner % norm->channel_count;
}

static double parameter(const norm_t *norm, size_t operand, int64_t index,
                        double absent)
{
    const cli_diff_question_t *question = norm->question;
    return operand < question->operand_count && question->x[operand] != NULL
               ? question->x[operand][channel_of(norm, index)]
               : absent;
}

static void shape(norm_t *norm)
{
    const cli_diff_question_t *question = norm->question;
    const DLTensor *x = question->operands[0];
    const kc_attributes_t *attributes = question->attributes;
    int32_t axis =
        (int32_t)(norm->is_layer ? attributes->u.layer_norm.axis
                                 : attributes->u.batch_norm.channel_axis + 1);
    norm->size = cli_diff_size(x);
    norm->inner = 1;
    for (int32_t at = axis; at < x->ndim; at++) {
        norm->inner *= x->shape[at];
    }
    norm->inner = norm->inner > 0 ? norm->inner : 1;
    norm->channel_count = norm->is_layer ? norm->inner : x->shape[axis - 1];
    norm->channel_count = norm->channel_count > 0 ? norm->channel_count : 1;
    norm->group_count =
        norm->is_batch ? norm->channel_count : norm->size / norm->inner;
    norm->length = norm->group_count > 0
                       ? (double)norm->size / (double)norm->group_count
                       : 1.0;
}

static void measure(norm_t *norm, double eps)
{
    const cli_diff_question_t *question = norm->question;
    const double *x = question->x[0];
    for (int64_t idx = 0; idx < norm->size; idx++) {
        group_t *group = &norm->groups[group_of(norm, idx)];
        double mean = norm->is_eval ? fabs(parameter(norm, 3, idx, 0.0)) : 0.0;
        group->sum += x[idx];
        group->largest = fmax(group->largest, fabs(x[idx]) + mean);
        if (question->cotangent != NULL) {
            group->cotangent =
                fmax(group->cotangent, fabs(question->cotangent[idx] *
                                            parameter(norm, 1, idx, 1.0)));
        }
    }
    for (int64_t idx = 0; idx < norm->size; idx++) {
        group_t *group = &norm->groups[group_of(norm, idx)];
        group->mean = norm->is_eval ? parameter(norm, 3, idx, 0.0)
                                    : group->sum / norm->length;
        double off = x[idx] - group->mean;
        group->deviation += norm->is_eval ? 0.0 : off * off / norm->length;
        if (norm->is_eval) {
            group->deviation = fmax(parameter(norm, 4, idx, 1.0), 0.0);
        }
    }
    for (int64_t idx = 0; idx < norm->group_count; idx++) {
        norm->groups[idx].deviation = sqrt(norm->groups[idx].deviation + eps);
    }
}

/* 0: out of memory. */
static int begin(norm_t *norm, const cli_diff_question_t *question)
{
    const kc_attributes_t *attributes = question->attributes;
    norm->question = question;
    norm->is_layer = question->op == KC_OP_LAYER_NORM;
    int32_t mode =
        norm->is_layer ? KC_BATCH_NORM_SAMPLE : attributes->u.batch_norm.mode;
    norm->is_eval = mode == KC_BATCH_NORM_EVAL;
    norm->is_batch = mode != KC_BATCH_NORM_SAMPLE;
    shape(norm);
    norm->groups = calloc((size_t)norm->group_count + 1, sizeof *norm->groups);
    if (norm->groups == NULL) {
        return 0;
    }
    measure(norm, norm->is_layer ? attributes->u.layer_norm.eps
                                 : attributes->u.batch_norm.eps);
    return 1;
}

static double kappa(const norm_t *norm, const group_t *group)
{
    double length = norm->is_eval ? 0.0 : norm->length;
    return cli_diff_gamma(norm->question, length + 16.0) *
           (group->largest / group->deviation + 1.0);
}

static double scaled(const norm_t *norm, const group_t *group, int64_t index)
{
    double x = norm->question->x[0][index];
    return fabs(x - group->mean) / group->deviation;
}

static void give_up(const cli_diff_question_t *question, double *allowed)
{
    int64_t count = cli_diff_size(question->result);
    for (int64_t idx = 0; idx < count; idx++) {
        allowed[idx] = INFINITY;
    }
}

/* y = xhat gamma + beta */
void cli_diff_bound_norm(const cli_diff_question_t *question, double *allowed)
{
    norm_t norm = {.question = NULL};
    if (!begin(&norm, question)) {
        give_up(question, allowed);
        return;
    }
    for (int64_t idx = 0; idx < norm.size; idx++) {
        const group_t *group = &norm.groups[group_of(&norm, idx)];
        double weight = fabs(parameter(&norm, 1, idx, 1.0));
        double bias = fabs(parameter(&norm, 2, idx, 0.0));
        double xhat = scaled(&norm, group, idx);
        allowed[idx] = 2.0 * weight * (1.0 + xhat) * kappa(&norm, group) +
                       8.0 * question->unit * (weight * xhat + bias);
    }
    free(norm.groups);
}

/* (h - mean h - xhat mean(h xhat)) / s with h = g gamma, |h| <= H: every part
 * is off by at most (1 + |xhat|) kappa H, of which there are eight. */
static void of_x(const norm_t *norm, double *allowed)
{
    for (int64_t idx = 0; idx < norm->size; idx++) {
        const group_t *group = &norm->groups[group_of(norm, idx)];
        allowed[idx] = 16.0 * (1.0 + scaled(norm, group, idx)) *
                       kappa(norm, group) * group->cotangent / group->deviation;
    }
}

/* sum g xhat, and sum g */
static void of_parameter(const norm_t *norm, double *allowed)
{
    const cli_diff_question_t *question = norm->question;
    int64_t count = cli_diff_size(question->result);
    double rows = (double)norm->size / (double)(count > 0 ? count : 1) + 2.0;
    double sum = cli_diff_gamma(question, rows);
    for (int64_t idx = 0; idx < count; idx++) {
        allowed[idx] = 0.0;
    }
    for (int64_t idx = 0; idx < norm->size; idx++) {
        const group_t *group = &norm->groups[group_of(norm, idx)];
        double xhat = question->operand == 1 ? scaled(norm, group, idx) : 0.0;
        double off = question->operand == 1 ? kappa(norm, group) : 0.0;
        allowed[channel_of(norm, idx)] +=
            2.0 * fabs(question->cotangent[idx]) * (1.0 + xhat) * (off + sum);
    }
}

void cli_diff_bound_norm_gradient(const cli_diff_question_t *question,
                                  double *allowed)
{
    norm_t norm = {.question = NULL};
    if (!begin(&norm, question)) {
        give_up(question, allowed);
        return;
    }
    if (question->operand == 0) {
        of_x(&norm, allowed);
    } else {
        of_parameter(&norm, allowed);
    }
    free(norm.groups);
}
