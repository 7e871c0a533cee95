/* SPDX-License-Identifier: Apache-2.0
 *
 * How far two results of one operation on the same operands may be apart. A
 * question is about the value (operand -1) or about the gradient of an
 * operand; an answer is a largest difference for each element.
 */
#ifndef KC_CLI_DIFF_BOUND_H
#define KC_CLI_DIFF_BOUND_H

#include "cli/diff.h"

/* All arrays are dense; those of operands that are absent are NULL. */
typedef struct cli_diff_question {
    int32_t op;
    int32_t operand; /* whose gradient; -1: the value */
    double unit;     /* u: 2^-24, or 2^-53 */
    double tiny;     /* the smallest normal number */
    const kc_attributes_t *attributes;
    const DLTensor *const *operands; /* types only */
    double *const *x;                /* the operands' elements */
    size_t operand_count;
    const DLTensor *output;  /* type of the forward value */
    const double *forward;   /* its elements, under A */
    const double *cotangent; /* NULL for the value */
    const DLTensor *result;  /* type of what is compared */
    const double *value;     /* its elements, under A */
    /* The same computed from absolute values: for each element the sum of
     * the absolute values of its terms; NULL unless it is asked for. */
    const double *terms;
} cli_diff_question_t;

/* What `terms` is computed from. */
typedef enum cli_diff_terms {
    DIFF_TERMS_NONE,
    DIFF_TERMS_COTANGENT, /* |cotangent|, operands as they are */
    DIFF_TERMS_VALUES,    /* |v| of attention, nothing else */
    DIFF_TERMS_ALL        /* absolute values of everything */
} cli_diff_terms_t;

typedef struct cli_diff_bound {
    cli_diff_terms_t terms;
    /* NULL: none is stated. */
    void (*fill)(const cli_diff_question_t *question, double *allowed);
    /* A function of the C library, or a formula around one, is in it: the
     * reference promises no bits for those on other machines, so equal
     * policies promise no equal bits. */
    int is_transcendental;
} cli_diff_bound_t;

/* diff_bound.c: the table. */
const cli_diff_bound_t *cli_diff_bound(int32_t op, int is_gradient);

/* n u / (1 - n u); INFINITY where that has no meaning. */
double cli_diff_gamma(const cli_diff_question_t *question, double n);
int64_t cli_diff_size(const DLTensor *view);
/* The largest absolute value of the finite elements. */
double cli_diff_largest(const double *x, int64_t count);

/* diff_bound_length.c: the longest sum in an element. */
double cli_diff_length(const cli_diff_question_t *question);

/* diff_bound_pointwise.c, diff_bound_norm.c, diff_bound_attention.c */
void cli_diff_bound_pointwise(const cli_diff_question_t *question,
                              double *allowed);
void cli_diff_bound_pointwise_gradient(const cli_diff_question_t *question,
                                       double *allowed);
void cli_diff_bound_softmax(const cli_diff_question_t *question,
                            double *allowed);
void cli_diff_bound_softmax_gradient(const cli_diff_question_t *question,
                                     double *allowed);
void cli_diff_bound_norm(const cli_diff_question_t *question, double *allowed);
void cli_diff_bound_norm_gradient(const cli_diff_question_t *question,
                                  double *allowed);
void cli_diff_bound_attention(const cli_diff_question_t *question,
                              double *allowed);
void cli_diff_bound_attention_gradient(const cli_diff_question_t *question,
                                       double *allowed);

#endif
