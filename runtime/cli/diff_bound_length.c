/* SPDX-License-Identifier: Apache-2.0
 *
 * How many roundings lie on the longest way to one element of a sum: as many
 * as it has terms, and a few for products, divisions and a bias.
 */
#include "cli/diff_bound.h"

static double extent(const cli_diff_question_t *question, size_t operand,
                     int32_t axis)
{
    const DLTensor *view = question->operands[operand];
    return (double)view->shape[axis < 0 ? view->ndim + axis : axis];
}

static double size_of(const DLTensor *view)
{
    int64_t count = cli_diff_size(view);
    return count > 0 ? (double)count : 1.0;
}

/* Elements of a tensor for each place along an axis of a weight. */
static double share(const DLTensor *view, const DLTensor *weight, int32_t axis)
{
    int64_t extent = weight->shape[axis];
    return size_of(view) / (double)(extent > 0 ? extent : 1);
}

static double window(const kc_pool_attributes_t *pool)
{
    double cells = 1.0;
    for (int64_t axis = 0; axis < pool->spatial_rank; axis++) {
        cells *= (double)pool->kernel[axis];
    }
    return cells;
}

static double length_of_value(const cli_diff_question_t *question)
{
    const kc_attributes_t *attributes = question->attributes;
    switch (question->op) {
    case KC_OP_REDUCE_SUM:
    case KC_OP_REDUCE_MEAN:
        return extent(question, 0, (int32_t)attributes->u.axis.axis) + 2.0;
    case KC_OP_SCATTER_ADD:
        return size_of(question->operands[1]) + 1.0;
    case KC_OP_MATMUL:
    case KC_OP_LINEAR:
        return extent(question, 0, -1) + 2.0;
    case KC_OP_MSE_LOSS:
        return size_of(question->operands[0]) + 5.0;
    case KC_OP_CONV:
        return share(question->operands[1], question->operands[1], 0) + 2.0;
    case KC_OP_CONV_TRANSPOSE:
        return share(question->operands[1], question->operands[1], 1) + 2.0;
    case KC_OP_AVG_POOL:
        return window(&attributes->u.pool) + 2.0;
    case KC_OP_SELECTIVE_SCAN: /* three roundings a step */
        return 3.0 * size_of(question->output) /
                   size_of(question->operands[3]) +
               2.0;
    default:
        return 8.0;
    }
}

/* Of the gradient of operand 1 and what follows it, or of operand 0. */
static double length_of_weight(const cli_diff_question_t *question)
{
    const DLTensor *weight = question->operands[1];
    switch (question->op) {
    case KC_OP_MATMUL:
        return extent(question, 0, -2);
    case KC_OP_LINEAR:
    case KC_OP_CONV:
        return share(question->output, weight, 0);
    default: /* conv_transpose */
        return question->operand == 1 ? share(question->operands[0], weight, 0)
                                      : share(question->output, weight, 1);
    }
}

static double length_of_data(const cli_diff_question_t *question)
{
    const DLTensor *weight = question->operands[1];
    switch (question->op) {
    case KC_OP_MATMUL:
        return extent(question, 1, -1);
    case KC_OP_LINEAR:
        return extent(question, 1, 0);
    case KC_OP_CONV:
        return share(weight, weight, 1);
    default: /* conv_transpose */
        return share(weight, weight, 0);
    }
}

static double length_of_gradient(const cli_diff_question_t *question)
{
    const kc_attributes_t *attributes = question->attributes;
    switch (question->op) {
    case KC_OP_MATMUL:
    case KC_OP_LINEAR:
    case KC_OP_CONV:
    case KC_OP_CONV_TRANSPOSE:
        return 2.0 + (question->operand == 0 ? length_of_data(question)
                                             : length_of_weight(question));
    case KC_OP_BROADCAST:
        return size_of(question->output) / size_of(question->operands[0]) + 1.0;
    case KC_OP_GATHER:
        return size_of(question->operands[1]) + 1.0;
    case KC_OP_MAX_POOL:
    case KC_OP_AVG_POOL: /* as many windows hold a cell as a window cells */
        return window(&attributes->u.pool) + 2.0;
    case KC_OP_SELECTIVE_SCAN: /* back and forth, then over everything */
        return 8.0 * size_of(question->output);
    default:
        return 8.0;
    }
}

double cli_diff_length(const cli_diff_question_t *question)
{
    return question->operand < 0 ? length_of_value(question)
                                 : length_of_gradient(question);
}
