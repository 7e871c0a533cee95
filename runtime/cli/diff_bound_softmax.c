/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax and its kin. With R the span of the (allowed, finite) arguments:
 * x - max is rounded once, which exp makes a relative error of R u; the sum
 * has n terms, none negative, each with that error; so a weight is off by
 * gamma(n + 8 + 2 R) of itself. A logarithm of the sum turns this into an
 * absolute error.
 */
#include "cli/diff_bound.h"

#include <math.h>

static int is_allowed(const cli_diff_question_t *question, int64_t index)
{
    return question->op != KC_OP_HARD_MASKED_SOFTMAX ||
           question->x[1][index] != 0.0;
}

/* Padding enters a smooth maximum as 0. */
static double span(const cli_diff_question_t *question)
{
    int is_pool = question->op == KC_OP_SMOOTH_MAX_POOL;
    double low = is_pool ? 0.0 : INFINITY;
    double high = is_pool ? 0.0 : -INFINITY;
    int64_t count = cli_diff_size(question->operands[0]);
    for (int64_t idx = 0; idx < count; idx++) {
        double x = question->x[0][idx];
        if (isfinite(x) && is_allowed(question, idx)) {
            low = fmin(low, x);
            high = fmax(high, x);
        }
    }
    return high > low ? high - low : 0.0;
}

/* Terms of one sum. */
static double row_length(const cli_diff_question_t *question)
{
    const DLTensor *x = question->operands[0];
    if (question->op == KC_OP_SMOOTH_MAX_POOL) {
        const kc_pool_attributes_t *pool = &question->attributes->u.pool;
        double cells = 1.0;
        for (int64_t axis = 0; axis < pool->spatial_rank; axis++) {
            cells *= (double)pool->kernel[axis];
        }
        return cells;
    }
    return x->ndim == 0 ? 1.0
                        : (double)x->shape[question->attributes->u.axis.axis];
}

void cli_diff_bound_softmax(const cli_diff_question_t *question,
                            double *allowed)
{
    int64_t count = cli_diff_size(question->result);
    double range = span(question);
    double n = row_length(question);
    double largest =
        cli_diff_largest(question->x[0], cli_diff_size(question->operands[0]));
    double beta = question->op == KC_OP_SMOOTH_MAX_POOL
                      ? fabs(question->attributes->u.pool.beta)
                      : 1.0;
    double weight = cli_diff_gamma(question, n + 8.0 + 2.0 * range);
    double logarithm = cli_diff_gamma(question, n + 8.0 + 4.0 * beta * range);
    for (int64_t idx = 0; idx < count; idx++) {
        double y = fabs(question->value[idx]);
        if (question->op == KC_OP_LOG_SOFTMAX) {
            allowed[idx] = 2.0 * logarithm * (1.0 + y);
        } else if (question->op == KC_OP_SMOOTH_MAX_POOL) {
            allowed[idx] =
                2.0 * logarithm / beta + 8.0 * question->unit * (y + largest);
        } else {
            allowed[idx] = 2.0 * weight * y + question->tiny;
        }
    }
}

/* y (g - sum g y): the bracket is at most twice the largest |g|. For
 * log_softmax g - exp(y) sum g. A pool adds weights times cotangents, which
 * is what its rule gives for |g|. */
void cli_diff_bound_softmax_gradient(const cli_diff_question_t *question,
                                     double *allowed)
{
    int64_t count = cli_diff_size(question->result);
    double range = span(question);
    double n = row_length(question);
    int is_pool = question->op == KC_OP_SMOOTH_MAX_POOL;
    double beta = is_pool ? fabs(question->attributes->u.pool.beta) : 1.0;
    double factor =
        2.0 * cli_diff_gamma(question, 2.0 * n + 16.0 + 8.0 * beta * range);
    double g =
        cli_diff_largest(question->cotangent, cli_diff_size(question->output));
    for (int64_t idx = 0; idx < count; idx++) {
        double terms = is_pool ? question->terms[idx]
                       : question->op == KC_OP_LOG_SOFTMAX
                           ? g + exp(question->forward[idx]) * n * g
                           : 2.0 * g * fabs(question->forward[idx]);
        allowed[idx] = factor * terms + (1.0 + g) * question->tiny;
    }
}
