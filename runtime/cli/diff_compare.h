/* SPDX-License-Identifier: Apache-2.0
 *
 * Two arrays of one type and shape, element by element.
 */
#ifndef KC_CLI_DIFF_COMPARE_H
#define KC_CLI_DIFF_COMPARE_H

#include "cli/diff.h"

/* The elements of a dense tensor as doubles; the caller's (free). NULL: out
 * of memory. */
double *cli_diff_doubles(const DLTensor *view);

/* `rule` is what the comparison is held to; `allowed` has a place for each
 * element when it is DIFF_BOUNDED. */
void cli_diff_compare(const DLTensor *a, const DLTensor *b,
                      cli_diff_rule_t rule, const double *allowed,
                      cli_diff_error_t *out_error);

/* The errors of several operands as those of one rule: the worst is kept. */
void cli_diff_merge(cli_diff_error_t *into, const cli_diff_error_t *other);

#endif
