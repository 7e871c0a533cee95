/* SPDX-License-Identifier: Apache-2.0
 *
 * Plan and gate first, in either mode, so that nothing runs of a graph that
 * cannot run whole and every reason is printed. Then eager mode accepts and
 * binds operation by operation in a session, graph mode runs the accepted
 * plan.
 */
#include <stdlib.h>

#include "cli/message.h"
#include "cli/run.h"
#include "cli/subject.h"

static int plan_and_accept(cli_run_t *run, kc_accepted_plan_t **out_accepted)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_plan_t *plan = NULL;
    kc_status_t status =
        kc_plan_graph(run->context.profile, run->graph, &plan, &error);
    if (status != KC_OK) {
        return cli_report(status, &error);
    }
    int code = cli_accept(plan, out_accepted);
    kc_plan_release(plan);
    return code;
}

static kc_status_t run_eagerly(cli_run_t *run, const DLTensor *const *inputs,
                               kc_tensor_t **outputs, kc_error_t *error)
{
    kc_session_t *session = NULL;
    uint32_t flags = run->options->keep_time ? KC_SESSION_TIME : 0;
    kc_status_t status = kc_session_create(
        run->context.runtime, run->context.profile, flags, &session, error);
    if (status == KC_OK) {
        status = kc_session_run_graph(session, run->graph, run->weights, inputs,
                                      run->input_count, outputs,
                                      run->output_count, error);
    }
    if (status == KC_OK) {
        status = kc_session_record(session, &run->record, error);
    }
    kc_session_release(session);
    return status;
}

static kc_status_t create_outputs(const cli_run_t *run, kc_tensor_t **outputs,
                                  DLTensor **views, kc_error_t *error)
{
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < run->output_count && status == KC_OK; idx++) {
        const kc_graph_port_t *type = &run->outputs[idx].type;
        status = kc_tensor_create(run->context.runtime, type->dtype, type->rank,
                                  type->dims, &outputs[idx], error);
        if (status == KC_OK) {
            views[idx] = kc_tensor_view(outputs[idx]);
        }
    }
    return status;
}

static kc_status_t run_accepted(cli_run_t *run, kc_accepted_plan_t *accepted,
                                const DLTensor *const *inputs,
                                kc_tensor_t **outputs, DLTensor **views,
                                kc_error_t *error)
{
    kc_executor_t *executor = NULL;
    uint32_t flags = (run->options->no_reuse ? KC_EXECUTOR_NO_REUSE : 0) |
                     (run->options->keep_time ? KC_EXECUTOR_TIME : 0);
    kc_status_t status = kc_executor_create(
        run->context.runtime, accepted, run->weights, flags, &executor, error);
    if (status == KC_OK) {
        status = create_outputs(run, outputs, views, error);
    }
    if (status == KC_OK) {
        status = kc_executor_run(executor, inputs, run->input_count, views,
                                 run->output_count, error);
    }
    if (status == KC_OK) {
        status = kc_executor_record(executor, &run->record, error);
    }
    kc_executor_release(executor);
    return status;
}

static int run_in_mode(cli_run_t *run, kc_accepted_plan_t *accepted)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status = KC_ERR_MEMORY;
    const DLTensor **inputs = calloc(run->input_count + 1, sizeof *inputs);
    DLTensor **views = calloc(run->output_count + 1, sizeof *views);
    kc_tensor_t **outputs = calloc(run->output_count + 1, sizeof *outputs);
    if (inputs != NULL && views != NULL && outputs != NULL) {
        for (size_t idx = 0; idx < run->input_count; idx++) {
            inputs[idx] = kc_tensor_view(run->inputs[idx].tensor);
        }
        status = run->is_graph_mode ? run_accepted(run, accepted, inputs,
                                                   outputs, views, &error)
                                    : run_eagerly(run, inputs, outputs, &error);
    }
    for (size_t idx = 0; outputs != NULL && idx < run->output_count; idx++) {
        run->outputs[idx].tensor = outputs[idx];
    }
    free((void *)inputs);
    free(views);
    free(outputs);
    return status == KC_OK ? CLI_DONE : cli_report_of_run(status, &error);
}

int cli_run_execute(cli_run_t *run)
{
    kc_accepted_plan_t *accepted = NULL;
    int code = plan_and_accept(run, &accepted);
    if (code == CLI_DONE) {
        code = run_in_mode(run, accepted);
    }
    kc_accepted_plan_release(accepted);
    return code;
}
