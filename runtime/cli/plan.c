/* SPDX-License-Identifier: Apache-2.0
 *
 * kcapsule plan: the chosen capsules in one of five views. A plan in which
 * an operation found no capsule prints only the failures, except that
 * --explain and JSON say all there is to say.
 */
#include "cli/command.h"
#include "cli/subject.h"

static int choose_view(const cli_options_t *options, kc_plan_view_t *out_view)
{
    int given = options->view_explain + options->view_names +
                options->view_groups + options->view_full;
    if (given > 1) {
        return cli_refuse("plan: give one of --explain, --names, --groups, "
                          "--full");
    }
    *out_view = options->view_explain  ? KC_PLAN_VIEW_EXPLAIN
                : options->view_names  ? KC_PLAN_VIEW_NAMES
                : options->view_groups ? KC_PLAN_VIEW_GROUPS
                : options->view_full   ? KC_PLAN_VIEW_FULL
                                       : KC_PLAN_VIEW_ROWS;
    return CLI_DONE;
}

static int print_plan(const kc_plan_t *plan, kc_plan_view_t view,
                      kc_format_t format)
{
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    if (kc_plan_failure_count(plan) > 0 && format == KC_FORMAT_TEXT &&
        view != KC_PLAN_VIEW_EXPLAIN) {
        return CLI_DONE;
    }
    kc_status_t status = kc_report_plan(plan, view, format, &text, &error);
    return cli_print_report(status, text, &error);
}

int cli_plan(const cli_options_t *options)
{
    cli_context_t context = {NULL, NULL};
    kc_plan_t *plan = NULL;
    kc_plan_view_t view = KC_PLAN_VIEW_ROWS;
    int code = choose_view(options, &view);
    if (code == CLI_DONE) {
        code = cli_context_open("plan", options, &context);
    }
    if (code == CLI_DONE) {
        code = cli_plan_subject("plan", options, &context, &plan);
    }
    if (code == CLI_DONE) {
        code = print_plan(plan, view, options->format);
    }
    if (code == CLI_DONE) {
        code = cli_print_failures(plan);
    }
    kc_plan_release(plan);
    cli_context_close(&context);
    return code;
}
