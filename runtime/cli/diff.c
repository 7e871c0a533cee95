/* SPDX-License-Identifier: Apache-2.0
 *
 * kcapsule diff: the order of the steps. Everything that can be refused is
 * refused before anything runs.
 */
#include "cli/diff.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/exit_guard.h"

static int read_seed(cli_diff_t *diff)
{
    const char *text = diff->options->seed;
    char *end = NULL;
    diff->seed = 1;
    if (text == NULL) {
        return CLI_DONE;
    }
    errno = 0;
    unsigned long long seed = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0) {
        return cli_refuse("diff: --seed: expected a number of 64 bits, found "
                          "`%s`",
                          text);
    }
    diff->seed = seed;
    return CLI_DONE;
}

static int check_options(cli_diff_t *diff)
{
    const cli_options_t *options = diff->options;
    int has_op = options->operand_count > 0;
    if (options->profiles.count != DIFF_SIDES) {
        return cli_refuse("diff: expected two profiles, -p A -p B, found %zu",
                          options->profiles.count);
    }
    if (has_op == (options->graph != NULL)) {
        return cli_refuse("diff: expected either --graph or an operation, "
                          "found %s",
                          has_op ? "both" : "neither");
    }
    if (!has_op && (options->shapes.count > 0 || options->attributes != NULL ||
                    options->dtype != NULL)) {
        return cli_refuse("diff: --shape, --attr and --dtype are of an "
                          "operation, not of a graph");
    }
    return read_seed(diff);
}

static int read_subject(cli_diff_t *diff)
{
    return diff->options->graph != NULL ? cli_diff_read_graph(diff)
                                        : cli_diff_read_op(diff);
}

static int report(cli_diff_t *diff)
{
    cli_diff_verdict_t verdict = cli_diff_judge(diff);
    if (diff->options->format == KC_FORMAT_JSON) {
        cli_diff_print_json(diff, &verdict);
    } else {
        cli_diff_print_text(diff, &verdict);
    }
    return verdict.outside > 0 ? CLI_NEGATIVE : CLI_DONE;
}

static void release(cli_diff_t *diff)
{
    for (uint32_t idx = 0; diff->nodes != NULL && idx < diff->node_count;
         idx++) {
        cli_diff_node_t *node = &diff->nodes[idx];
        kc_tensor_release(node->gradients[DIFF_A]);
        kc_tensor_release(node->gradients[DIFF_B]);
        /* B's may lie in the memory of A's */
        kc_tensor_release(node->values[DIFF_B]);
        kc_tensor_release(node->values[DIFF_A]);
    }
    free(diff->nodes);
    free(diff->ids);
    for (int side = 0; side < DIFF_SIDES; side++) {
        kc_accepted_plan_release(diff->accepted[side]);
        kc_plan_release(diff->plans[side]);
        kc_session_release(diff->sessions[side]);
        kc_profile_release(diff->profiles[side]);
    }
    kc_graph_release(diff->graph);
    kc_runtime_release(diff->runtime);
}

typedef int (*step_fn)(cli_diff_t *diff);

static const step_fn steps[] = {check_options,       cli_diff_open,
                                read_subject,        cli_diff_plan,
                                cli_diff_run_chains, cli_diff_run_gradients,
                                cli_diff_run_alone,  report};

int cli_diff(const cli_options_t *options)
{
    cli_diff_t diff = {.options = options};
    int code = CLI_DONE;
    cli_exit_guard_begin();
    for (size_t idx = 0;
         idx < sizeof steps / sizeof steps[0] && code == CLI_DONE; idx++) {
        code = steps[idx](&diff);
    }
    cli_exit_guard_end();
    release(&diff);
    return code;
}
