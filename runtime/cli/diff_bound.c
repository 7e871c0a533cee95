/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of what two evaluations of an operation may differ by. Both
 * are evaluations of one formula, so twice the error of one: to first order,
 * with gamma(n) = n u / (1 - n u) for n roundings on the way to an element.
 *
 * - exact: one correctly rounded operation, a choice or a copy an element.
 *   IEEE 754 leaves nothing open; the sign of a zero may still differ.
 * - sum: gamma(n) of the sum of the absolute values of the terms, which the
 *   operation gives when it is run on absolute values (catalogue 6.3).
 * - relative: a few roundings after one another, nothing that cancels.
 * - the others are derived where they are.
 */
#include "cli/diff_bound.h"

#include <math.h>
#include <kcapsule/tensor.h>

int64_t cli_diff_size(const DLTensor *view)
{
    return kc_tensor_element_count(view);
}

double cli_diff_gamma(const cli_diff_question_t *question, double n)
{
    double errors = n * question->unit;
    return errors < 0.5 ? errors / (1.0 - errors) : INFINITY;
}

double cli_diff_largest(const double *x, int64_t count)
{
    double largest = 0.0;
    for (int64_t idx = 0; idx < count; idx++) {
        if (isfinite(x[idx]) && fabs(x[idx]) > largest) {
            largest = fabs(x[idx]);
        }
    }
    return largest;
}

static void exact(const cli_diff_question_t *question, double *allowed)
{
    int64_t count = cli_diff_size(question->result);
    for (int64_t idx = 0; idx < count; idx++) {
        allowed[idx] = 0.0;
    }
}

/* Terms below the smallest normal number are rounded on their own. */
static void sum(const cli_diff_question_t *question, double *allowed)
{
    int64_t count = cli_diff_size(question->result);
    double length = cli_diff_length(question);
    double factor = 2.0 * cli_diff_gamma(question, length);
    for (int64_t idx = 0; idx < count; idx++) {
        allowed[idx] =
            factor * (question->terms[idx] + length * question->tiny);
    }
}

/* Squares of a difference are never negative: the value is the sum of its
 * terms, each with the error of the difference twice. */
static void squares(const cli_diff_question_t *question, double *allowed)
{
    int64_t count = cli_diff_size(question->result);
    double factor = 2.0 * cli_diff_gamma(question, cli_diff_length(question));
    for (int64_t idx = 0; idx < count; idx++) {
        allowed[idx] = factor * (fabs(question->value[idx]) + question->tiny);
    }
}

/* |Re|, |Im| and samples are at most the sum of all |x|, times what the
 * weights of the kept modes make of it; a transform has 2 n roundings a term
 * and twiddle factors of one rounding. */
static void fourier(const cli_diff_question_t *question, double *allowed)
{
    const kc_fft_attributes_t *fft = &question->attributes->u.fft;
    int64_t size = cli_diff_size(question->operands[0]);
    int64_t count = cli_diff_size(question->result);
    double magnitude = 0.0;
    double n = (double)(fft->n > 0 ? fft->n : 1);
    for (int64_t idx = 0; idx < size; idx++) {
        magnitude += fabs(question->x[0][idx]);
    }
    if (fft->transform == KC_FFT_SPECTRAL_CONV1D) {
        double weight = 0.0;
        for (size_t idx = 1; idx < question->operand_count; idx++) {
            weight += cli_diff_largest(question->x[idx],
                                       cli_diff_size(question->operands[idx]));
        }
        magnitude *= 2.0 * (double)fft->modes / n * weight;
    }
    for (int64_t idx = 0; idx < count; idx++) {
        allowed[idx] =
            2.0 * cli_diff_gamma(question, 4.0 * n + 16.0) * magnitude;
    }
}

#define EXACT                                                                  \
    {                                                                          \
        {DIFF_TERMS_NONE, exact, 0},                                           \
        {                                                                      \
            DIFF_TERMS_NONE, exact, 0                                          \
        }                                                                      \
    }
#define TABLE(...)                                                             \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define VALUE_OF(fill)                                                         \
    {                                                                          \
        DIFF_TERMS_NONE, fill, 0                                               \
    }
#define FUNCTION_OF(fill)                                                      \
    {                                                                          \
        DIFF_TERMS_NONE, fill, 1                                               \
    }
#define SUM_OF(terms)                                                          \
    {                                                                          \
        terms, sum, 0                                                          \
    }
#define NOT_STATED                                                             \
    {                                                                          \
        DIFF_TERMS_NONE, NULL, 0                                               \
    }
#define POINTWISE                                                              \
    TABLE(FUNCTION_OF(cli_diff_bound_pointwise),                               \
          FUNCTION_OF(cli_diff_bound_pointwise_gradient))
#define SUMS TABLE(SUM_OF(DIFF_TERMS_ALL), SUM_OF(DIFF_TERMS_ALL))
#define SOFTMAX                                                                \
    TABLE(FUNCTION_OF(cli_diff_bound_softmax),                                 \
          FUNCTION_OF(cli_diff_bound_softmax_gradient))
#define NORM                                                                   \
    TABLE(VALUE_OF(cli_diff_bound_norm), VALUE_OF(cli_diff_bound_norm_gradient))

/* Value, then gradient. */
static const cli_diff_bound_t bounds[KC_OP_COUNT][2] = {
    [KC_OP_RAND_UNIFORM] = EXACT,
    [KC_OP_BERNOULLI_MASK] = EXACT,
    [KC_OP_ADD] = EXACT,
    [KC_OP_SUB] = EXACT,
    [KC_OP_MUL] = EXACT,
    [KC_OP_SCALE] = EXACT,
    [KC_OP_ABS] = EXACT,
    /* slopes 1 / (2 sqrt x), 1 / x, 1 / x^2: a few roundings */
    [KC_OP_SQRT] = TABLE(VALUE_OF(exact), VALUE_OF(squares)),
    [KC_OP_CLAMP] = EXACT,
    [KC_OP_MAX] = EXACT,
    [KC_OP_MIN] = EXACT,
    [KC_OP_RELU] = EXACT,
    [KC_OP_GELU] = POINTWISE,
    [KC_OP_SIGMOID] = POINTWISE,
    [KC_OP_TANH] = POINTWISE,
    [KC_OP_SOFTPLUS] = POINTWISE,
    [KC_OP_EXP] = POINTWISE,
    [KC_OP_LOG] =
        TABLE(FUNCTION_OF(cli_diff_bound_pointwise), VALUE_OF(squares)),
    [KC_OP_SIN] = POINTWISE,
    [KC_OP_COS] = POINTWISE,
    [KC_OP_INV] = TABLE(VALUE_OF(exact), VALUE_OF(squares)),
    [KC_OP_SAFE_LOG] = POINTWISE,
    [KC_OP_LOG_SOFTMAX] = SOFTMAX,
    [KC_OP_SOFTMAX] = SOFTMAX,
    [KC_OP_HARD_MASKED_SOFTMAX] = SOFTMAX,
    [KC_OP_REDUCE_SUM] = TABLE(SUM_OF(DIFF_TERMS_ALL), VALUE_OF(exact)),
    [KC_OP_REDUCE_MEAN] = SUMS,
    [KC_OP_RESHAPE] = EXACT,
    [KC_OP_PERMUTE] = EXACT,
    [KC_OP_BROADCAST] = TABLE(VALUE_OF(exact), SUM_OF(DIFF_TERMS_ALL)),
    [KC_OP_CONCAT] = EXACT,
    [KC_OP_SLICE] = EXACT,
    [KC_OP_GATHER] = TABLE(VALUE_OF(exact), SUM_OF(DIFF_TERMS_ALL)),
    [KC_OP_SCATTER_ADD] = TABLE(SUM_OF(DIFF_TERMS_ALL), VALUE_OF(exact)),
    [KC_OP_MATMUL] = SUMS,
    [KC_OP_LINEAR] = SUMS,
    [KC_OP_MSE_LOSS] = TABLE(VALUE_OF(squares), VALUE_OF(squares)),
    [KC_OP_LAYER_NORM] = NORM,
    [KC_OP_BATCH_NORM] = NORM,
    [KC_OP_CONV] = SUMS,
    [KC_OP_CONV_TRANSPOSE] = SUMS,
    /* absolute values would have other winners */
    [KC_OP_MAX_POOL] = TABLE(VALUE_OF(exact), SUM_OF(DIFF_TERMS_COTANGENT)),
    [KC_OP_SMOOTH_MAX_POOL] =
        TABLE(FUNCTION_OF(cli_diff_bound_softmax),
              {DIFF_TERMS_COTANGENT, cli_diff_bound_softmax_gradient, 1}),
    [KC_OP_AVG_POOL] = SUMS,
    /* nobody promises the twiddle factors to the bit */
    [KC_OP_FFT_FNO] = TABLE(FUNCTION_OF(fourier), NOT_STATED),
    [KC_OP_SELECTIVE_SCAN] = SUMS,
    [KC_OP_SCALED_DOT_PRODUCT_ATTENTION] =
        TABLE({DIFF_TERMS_VALUES, cli_diff_bound_attention, 1},
              {DIFF_TERMS_COTANGENT, cli_diff_bound_attention_gradient, 1}),
};

const cli_diff_bound_t *cli_diff_bound(int32_t op, int is_gradient)
{
    return &bounds[op][is_gradient != 0];
}
