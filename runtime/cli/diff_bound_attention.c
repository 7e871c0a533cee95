/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention. A score of depth d is off by E = gamma(d + 2) S, S the largest sum
 * of |q k scale| in its row; that makes a weight off by
 * rho = exp(2 E) - 1 + gamma(keys + 8 + 4 S) of itself, 2 S being the span of
 * the row. Blocked pairs take no part. The arithmetic here is in double and
 * serves bounds only.
 */
#include "cli/diff_bound.h"

#include <math.h>
#include <stdlib.h>
#include <kcapsule/tensor.h>

typedef struct heads {
    const cli_diff_question_t *question;
    int64_t count; /* leading axes as one */
    int64_t queries;
    int64_t keys;
    int64_t depth;
    int64_t value_depth;
    double scale;
    double *weights; /* of one row; 0 for a blocked key */
    double *parts;   /* of one row: sum |g v| of each key */
} heads_t;

/* The mask is aligned to the right of [lead..., queries, keys]. */
static int is_allowed(const heads_t *heads, int64_t head, int64_t query,
                      int64_t key)
{
    const cli_diff_question_t *question = heads->question;
    const DLTensor *q = question->operands[0];
    if (question->attributes->u.attention.causal && key > query) {
        return 0;
    }
    if (question->operand_count < 4 || question->x[3] == NULL) {
        return 1;
    }
    const DLTensor *mask = question->operands[3];
    int64_t place = 0;
    int64_t step = 1;
    for (int32_t idx = 1; idx <= mask->ndim; idx++) {
        int64_t extent = mask->shape[mask->ndim - idx];
        int64_t at = idx == 1   ? key
                     : idx == 2 ? query
                                : head % q->shape[q->ndim - idx];
        if (idx > 2) {
            head /= q->shape[q->ndim - idx];
        }
        place += (extent == 1 ? 0 : at) * step;
        step *= extent;
    }
    return question->x[3][place] != 0.0;
}

static int begin(heads_t *heads, const cli_diff_question_t *question)
{
    const DLTensor *q = question->operands[0];
    const DLTensor *v = question->operands[2];
    heads->question = question;
    heads->queries = q->shape[q->ndim - 2];
    heads->depth = q->shape[q->ndim - 1];
    heads->keys = v->shape[v->ndim - 2];
    heads->value_depth = v->shape[v->ndim - 1];
    heads->count = 1;
    for (int32_t axis = 0; axis < q->ndim - 2; axis++) {
        heads->count *= q->shape[axis];
    }
    heads->scale = question->attributes->u.attention.scale;
    if (isnan(heads->scale)) {
        heads->scale =
            heads->depth > 0 ? 1.0 / sqrt((double)heads->depth) : 1.0;
    }
    heads->weights = calloc((size_t)heads->keys + 1, sizeof(double));
    heads->parts = calloc((size_t)heads->keys + 1, sizeof(double));
    return heads->weights != NULL && heads->parts != NULL;
}

static void end(heads_t *heads)
{
    free(heads->weights);
    free(heads->parts);
}

static double dot(const double *a, const double *b, int64_t count,
                  double *out_absolute)
{
    double sum = 0.0;
    *out_absolute = 0.0;
    for (int64_t idx = 0; idx < count; idx++) {
        sum += a[idx] * b[idx];
        *out_absolute += fabs(a[idx] * b[idx]);
    }
    return sum;
}

static void normalise(heads_t *heads, double largest)
{
    double sum = 0.0;
    for (int64_t key = 0; key < heads->keys; key++) {
        double score = heads->weights[key];
        heads->weights[key] = isnan(score) ? 0.0 : exp(score - largest);
        sum += heads->weights[key];
    }
    for (int64_t key = 0; key < heads->keys && sum > 0.0; key++) {
        heads->weights[key] /= sum;
    }
}

/* The weights of a row, and how far they may be off, as rho. */
static double weigh(heads_t *heads, int64_t head, int64_t query)
{
    const cli_diff_question_t *question = heads->question;
    const double *q =
        question->x[0] + (head * heads->queries + query) * heads->depth;
    const double *k = question->x[1] + head * heads->keys * heads->depth;
    double largest = -INFINITY;
    double magnitude = 0.0;
    for (int64_t key = 0; key < heads->keys; key++) {
        double absolute = 0.0;
        heads->weights[key] = NAN;
        if (!is_allowed(heads, head, query, key)) {
            continue;
        }
        heads->weights[key] = heads->scale * dot(q, k + key * heads->depth,
                                                 heads->depth, &absolute);
        largest = fmax(largest, heads->weights[key]);
        magnitude = fmax(magnitude, fabs(heads->scale) * absolute);
    }
    normalise(heads, largest);
    double score =
        cli_diff_gamma(question, (double)heads->depth + 2.0) * magnitude;
    return expm1(2.0 * score) +
           cli_diff_gamma(question,
                          (double)heads->keys + 8.0 + 4.0 * magnitude);
}

static void give_up(const cli_diff_question_t *question, double *allowed)
{
    int64_t count = cli_diff_size(question->result);
    for (int64_t idx = 0; idx < count; idx++) {
        allowed[idx] = INFINITY;
    }
}

/* sum a v with a off by rho: terms are sum a |v|. */
void cli_diff_bound_attention(const cli_diff_question_t *question,
                              double *allowed)
{
    heads_t heads = {.question = NULL};
    if (!begin(&heads, question)) {
        end(&heads);
        give_up(question, allowed);
        return;
    }
    double sum = cli_diff_gamma(question, (double)heads.keys + 4.0);
    for (int64_t row = 0; row < heads.count * heads.queries; row++) {
        double rho = weigh(&heads, row / heads.queries, row % heads.queries);
        for (int64_t c = 0; c < heads.value_depth; c++) {
            int64_t place = row * heads.value_depth + c;
            allowed[place] =
                2.0 * (rho + sum) * question->terms[place] + question->tiny;
        }
    }
    end(&heads);
}

/* Of the row, in `parts`: a (P + D) with P = sum |g v| and D = sum a P, which
 * a (dA - sum dA a) has as its terms. */
static void share_out(heads_t *heads, int64_t head, int64_t query)
{
    const cli_diff_question_t *question = heads->question;
    const double *g = question->cotangent +
                      (head * heads->queries + query) * heads->value_depth;
    const double *v = question->x[2] + head * heads->keys * heads->value_depth;
    double sum = 0.0;
    for (int64_t key = 0; key < heads->keys; key++) {
        heads->parts[key] = 0.0;
        if (heads->weights[key] > 0.0) {
            (void)dot(g, v + key * heads->value_depth, heads->value_depth,
                      &heads->parts[key]);
            sum += heads->weights[key] * heads->parts[key];
        }
    }
    for (int64_t key = 0; key < heads->keys; key++) {
        heads->parts[key] = heads->weights[key] * (heads->parts[key] + sum);
    }
}

/* dQ = sum over keys of dS K, dK = sum over queries of dS Q. */
static void add_row(heads_t *heads, int64_t head, int64_t query, double factor,
                    double *allowed)
{
    const cli_diff_question_t *question = heads->question;
    int64_t depth = heads->depth;
    int64_t row = (head * heads->queries + query) * depth;
    for (int64_t key = 0; key < heads->keys; key++) {
        int64_t at = (head * heads->keys + key) * depth;
        double part = factor * fabs(heads->scale) * heads->parts[key];
        for (int64_t c = 0; c < depth && part > 0.0; c++) {
            if (question->operand == 0) {
                allowed[row + c] += part * fabs(question->x[1][at + c]);
            } else {
                allowed[at + c] += part * fabs(question->x[0][row + c]);
            }
        }
    }
}

static void of_values(heads_t *heads, double rho, double *allowed)
{
    const cli_diff_question_t *question = heads->question;
    int64_t count = cli_diff_size(question->result);
    double sum = cli_diff_gamma(question, (double)heads->queries + 4.0);
    for (int64_t idx = 0; idx < count; idx++) {
        allowed[idx] =
            2.0 * (rho + sum) * question->terms[idx] + question->tiny;
    }
}

void cli_diff_bound_attention_gradient(const cli_diff_question_t *question,
                                       double *allowed)
{
    heads_t heads = {.question = NULL};
    int64_t count = cli_diff_size(question->result);
    double worst = 0.0;
    if (!begin(&heads, question)) {
        end(&heads);
        give_up(question, allowed);
        return;
    }
    for (int64_t idx = 0; idx < count; idx++) {
        allowed[idx] = question->tiny;
    }
    double length = (double)(heads.value_depth + 2 * heads.keys) + 16.0 +
                    (double)heads.queries;
    double sum = cli_diff_gamma(question, length);
    for (int64_t row = 0; row < heads.count * heads.queries; row++) {
        int64_t head = row / heads.queries;
        int64_t query = row % heads.queries;
        double rho = weigh(&heads, head, query);
        worst = fmax(worst, rho);
        if (question->operand < 2) {
            share_out(&heads, head, query);
            add_row(&heads, head, query, 2.0 * (2.0 * rho + sum), allowed);
        }
    }
    if (question->operand == 2) {
        of_values(&heads, worst, allowed);
    }
    end(&heads);
}
