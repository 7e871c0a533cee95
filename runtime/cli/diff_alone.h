/* SPDX-License-Identifier: Apache-2.0
 *
 * What values and derivative rules of single nodes have in common: operands
 * of absolute values, and the arrays of a question about bounds.
 */
#ifndef KC_CLI_DIFF_ALONE_H
#define KC_CLI_DIFF_ALONE_H

#include "cli/diff_bound.h"

/* A copy with the signs off. */
kc_status_t cli_diff_absolute(const cli_diff_t *diff, const DLTensor *view,
                              kc_tensor_t **out_tensor, kc_error_t *error);
/* Puts such copies in the place of the operands that `terms` means; `owned`
 * has room for each operand and is released by the caller in any case. */
kc_status_t cli_diff_absolute_operands(const cli_diff_t *diff,
                                       cli_diff_terms_t terms,
                                       cli_diff_operands_t *operands,
                                       kc_tensor_t **owned, kc_error_t *error);
/* The smaller of two, element by element; the caller's (free). NULL: out of
 * memory. */
double *cli_diff_smaller(kc_tensor_t *const tensors[DIFF_SIDES]);

/* A question with its arrays, all owned. */
typedef struct cli_diff_allowed {
    cli_diff_question_t question;
    double *x[KC_MAX_INPUTS];
    size_t operand_count;
    double *forward;
    double *value;
    double *cotangent;
    double *terms;
    double *allowed; /* a place for each element of the result */
} cli_diff_allowed_t;
/* 0: out of memory. To be ended in either case; `result` is A's. */
int cli_diff_allowed_begin(const cli_diff_t *diff, uint32_t index,
                           const cli_diff_operands_t *operands,
                           const DLTensor *result,
                           cli_diff_allowed_t *out_allowed);
void cli_diff_allowed_end(cli_diff_allowed_t *allowed);

#endif
