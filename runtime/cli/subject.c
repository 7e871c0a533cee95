/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations or graph of the command line to a plan.
 */
#include "cli/subject.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/message.h"

static int plan_operations(const cli_options_t *options, kc_profile_t *profile,
                           kc_plan_t **out_plan)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status = KC_OK;
    int32_t *ops = calloc(options->operand_count, sizeof *ops);
    if (ops == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    for (size_t idx = 0; idx < options->operand_count && status == KC_OK;
         idx++) {
        status = kc_op_parse(options->operands[idx], &ops[idx], &error);
    }
    if (status == KC_OK) {
        status =
            kc_plan_ops(profile, ops, options->operand_count, out_plan, &error);
    }
    free(ops);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

static int plan_graph(const char *path, kc_profile_t *profile,
                      kc_plan_t **out_plan)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    kc_status_t status = kc_graph_read(path, &graph, &error);
    if (status == KC_OK) {
        status = kc_plan_graph(profile, graph, out_plan, &error);
    }
    kc_graph_release(graph);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

int cli_plan_subject(const char *command, const cli_options_t *options,
                     const cli_context_t *context, kc_plan_t **out_plan)
{
    if (options->graph != NULL && options->operand_count > 0) {
        return cli_refuse("%s: give operations or --graph, not both: %s",
                          command, options->operands[0]);
    }
    if (options->graph != NULL) {
        return plan_graph(options->graph, context->profile, out_plan);
    }
    if (options->operand_count == 0) {
        return cli_refuse("%s: give operations (`kcapsule ops` lists them) "
                          "or --graph",
                          command);
    }
    return plan_operations(options, context->profile, out_plan);
}

int cli_print_failures(const kc_plan_t *plan)
{
    size_t count = kc_plan_failure_count(plan);
    for (size_t idx = 0; idx < count; idx++) {
        kc_error_t error = KC_ERROR_INIT;
        char *line = NULL;
        kc_status_t status = kc_plan_failure(plan, idx, &line, &error);
        if (status != KC_OK) {
            return cli_report(status, &error);
        }
        fprintf(stderr, "%s\n", line);
        kc_text_release(line);
    }
    return count > 0 ? CLI_NEGATIVE : CLI_DONE;
}

static int report_rejection(kc_status_t status, const kc_error_t *error,
                            const kc_acceptance_failure_t *failures,
                            size_t count)
{
    if (status != KC_ERR_REJECTED || count == 0) {
        return cli_report(status, error);
    }
    for (size_t idx = 0; idx < count; idx++) {
        cli_say("rejected: %s", failures[idx].line);
    }
    return cli_exit_code(status);
}

int cli_accept(kc_plan_t *plan, kc_accepted_plan_t **out_accepted)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_acceptance_failure_t *failures = NULL;
    size_t failure_count = 0;
    int code = cli_print_failures(plan);
    if (code != CLI_DONE) {
        return code;
    }
    kc_status_t status =
        kc_plan_accept(plan, out_accepted, &failures, &failure_count, &error);
    if (status != KC_OK) {
        code = report_rejection(status, &error, failures, failure_count);
    }
    kc_failures_release(failures);
    return code;
}
