/* SPDX-License-Identifier: Apache-2.0
 *
 * kcapsule check: a graph goes through the complete gate under the profile's
 * own policy. A list of operations, or anything with --assurance, is only
 * classified; the plan stays the profile's.
 */
#include "cli/command.h"
#include "cli/subject.h"

static int print_verdict(kc_status_t status, char *text, int32_t is_accepted,
                         const kc_error_t *error)
{
    int code = cli_print_report(status, text, error);
    if (code != CLI_DONE) {
        return code;
    }
    return is_accepted ? CLI_DONE : CLI_NEGATIVE;
}

static int classify(const cli_options_t *options, const cli_context_t *context,
                    const kc_plan_t *plan)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t policy = {.struct_size = sizeof policy};
    char *text = NULL;
    int32_t is_accepted = 0;
    kc_profile_policy(context->profile, &policy);
    if (options->assurance != NULL) {
        kc_status_t status =
            kc_policy_set_assurance(&policy, options->assurance, &error);
        if (status != KC_OK) {
            return cli_report(status, &error);
        }
    }
    kc_status_t status = kc_report_check(plan, &policy, options->format, &text,
                                         &is_accepted, &error);
    return print_verdict(status, text, is_accepted, &error);
}

static int pass_gate(const cli_options_t *options, kc_plan_t *plan)
{
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    int32_t is_accepted = 0;
    kc_status_t status = kc_report_acceptance(plan, options->format, &text,
                                              &is_accepted, &error);
    return print_verdict(status, text, is_accepted, &error);
}

/* Nothing can be said of capsules that were not found; JSON then has the plan. */
static int report_incomplete(const cli_options_t *options,
                             const kc_plan_t *plan)
{
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    if (options->format == KC_FORMAT_JSON) {
        kc_status_t status = kc_report_plan(plan, KC_PLAN_VIEW_ROWS,
                                            options->format, &text, &error);
        int code = cli_print_report(status, text, &error);
        if (code != CLI_DONE) {
            return code;
        }
    }
    return cli_print_failures(plan);
}

static int judge(const cli_options_t *options, const cli_context_t *context,
                 kc_plan_t *plan)
{
    if (kc_plan_failure_count(plan) > 0) {
        return report_incomplete(options, plan);
    }
    if (options->graph != NULL && options->assurance == NULL) {
        return pass_gate(options, plan);
    }
    return classify(options, context, plan);
}

int cli_check(const cli_options_t *options)
{
    cli_context_t context = {NULL, NULL};
    kc_plan_t *plan = NULL;
    cli_options_t selection = *options;
    selection.assurance = NULL;
    int code = cli_context_open("check", &selection, &context);
    if (code == CLI_DONE) {
        code = cli_plan_subject("check", options, &context, &plan);
    }
    if (code == CLI_DONE) {
        code = judge(options, &context, plan);
    }
    kc_plan_release(plan);
    cli_context_close(&context);
    return code;
}
