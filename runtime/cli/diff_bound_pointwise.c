/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of one number. A good C library is within 1 ULP and the formula
 * adds two or three roundings, so 2 ULP a side and 4 between two sides: 8 u of
 * the result, or of what cancels on the way to it where the catalogue leaves
 * the formula open. A derivative has some roundings more: 16 u.
 */
#include "cli/diff_bound.h"

#include <math.h>

static double softplus(double x)
{
    return x > 0.0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* How large the logarithm makes what is lost in softplus(x) + eps. */
static double safe_log_scale(const cli_diff_question_t *question, int64_t index)
{
    double inner = softplus(question->x[0][index]) + question->x[1][0];
    return 1.0 + 1.0 / fabs(inner);
}

/* What an error of u is relative to, besides the result. */
static double scale_of_value(const cli_diff_question_t *question, int64_t index)
{
    switch (question->op) {
    case KC_OP_GELU: /* x (1 + t) / 2 with t from -1 to 1 */
        return fabs(question->x[0][index]);
    case KC_OP_TANH:     /* as 2 sigmoid(2 x) - 1 */
    case KC_OP_SOFTPLUS: /* as log(1 + e) */
        return 1.0;
    case KC_OP_SAFE_LOG:
        return safe_log_scale(question, index);
    default:
        return 0.0;
    }
}

void cli_diff_bound_pointwise(const cli_diff_question_t *question,
                              double *allowed)
{
    int64_t count = cli_diff_size(question->result);
    for (int64_t idx = 0; idx < count; idx++) {
        double scale =
            fmax(fabs(question->value[idx]), scale_of_value(question, idx));
        allowed[idx] = 8.0 * question->unit * scale + question->tiny;
    }
}

static double scale_of_gradient(const cli_diff_question_t *question,
                                int64_t index)
{
    double g = fabs(question->cotangent[index]);
    double x = fabs(question->x[0][index]);
    switch (question->op) {
    case KC_OP_SIGMOID: /* s (1 - s) */
    case KC_OP_TANH:    /* 1 - y^2 */
        return g;
    case KC_OP_GELU: /* x (1 - t^2) k (1 + 3 c x^2) / 2, where 1 - t^2
                      * cancels */
        return g * (1.0 + x + 0.125 * x * x * x);
    case KC_OP_SAFE_LOG:
        return fabs(question->value[index]) * safe_log_scale(question, index);
    default:
        return 0.0;
    }
}

void cli_diff_bound_pointwise_gradient(const cli_diff_question_t *question,
                                       double *allowed)
{
    int64_t count = cli_diff_size(question->result);
    for (int64_t idx = 0; idx < count; idx++) {
        double scale =
            fmax(fabs(question->value[idx]), scale_of_gradient(question, idx));
        allowed[idx] = 16.0 * question->unit * scale + question->tiny;
    }
}
