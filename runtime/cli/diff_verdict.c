/* SPDX-License-Identifier: Apache-2.0
 *
 * Where two profiles part, and whether they may: counted from what was found.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cli/diff.h"

static void count(const cli_diff_error_t *error, cli_diff_verdict_t *verdict)
{
    verdict->outside += error->outside > 0;
    verdict->without_bound += error->open > 0;
}

cli_diff_verdict_t cli_diff_judge(const cli_diff_t *diff)
{
    cli_diff_verdict_t verdict = {diff->node_count, diff->node_count, 0, 0};
    for (uint32_t idx = 0; idx < diff->node_count; idx++) {
        const cli_diff_node_t *node = &diff->nodes[idx];
        if (node->chain.different > 0 && verdict.first == diff->node_count) {
            verdict.first = idx;
        }
        if (node->chain_gradient.different > 0) {
            verdict.first_gradient = idx;
        }
        count(&node->alone, &verdict);
        count(&node->alone_gradient, &verdict);
    }
    return verdict;
}

void cli_diff_number(double value, int digits, char out[CLI_DIFF_NUMBER_SIZE])
{
    const char *point = localeconv()->decimal_point;
    size_t length = strlen(point);
    snprintf(out, CLI_DIFF_NUMBER_SIZE, "%.*g", digits, value);
    char *at = length > 0 ? strstr(out, point) : NULL;
    if (at != NULL) {
        *at = '.';
        memmove(at + 1, at + length, strlen(at + length) + 1);
    }
}
