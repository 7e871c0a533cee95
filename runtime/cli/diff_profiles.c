/* SPDX-License-Identifier: Apache-2.0
 *
 * Two profiles in one runtime, and the plans of a graph under both: everything
 * is planned and accepted before anything runs.
 */
#include <string.h>

#include "cli/diff.h"
#include "cli/message.h"
#include "cli/subject.h"

static int load_profile(cli_diff_t *diff, int side)
{
    cli_options_t options = *diff->options;
    cli_context_t context = {diff->runtime, NULL};
    options.profile = diff->options->profiles.items[side];
    int code = cli_context_load(&options, &context);
    diff->profiles[side] = context.profile;
    return code;
}

/* Without gradients the policy in force has the VJP mode none, as in a run. */
static int settle_vjp(cli_diff_t *diff, int side)
{
    kc_policy_t policy = {.struct_size = sizeof policy};
    kc_profile_policy(diff->profiles[side], &policy);
    if (diff->options->wants_gradients) {
        return policy.vjp_mode != KC_VJP_NONE
                   ? CLI_DONE
                   : cli_refuse("diff: --gradients: profile %s has the VJP "
                                "mode none",
                                kc_profile_name(diff->profiles[side]));
    }
    cli_context_t context = {diff->runtime, diff->profiles[side]};
    policy.vjp_mode = KC_VJP_NONE;
    int code = cli_context_set_policy(&context, &policy);
    diff->profiles[side] = context.profile;
    return code;
}

static int open_session(cli_diff_t *diff, int side)
{
    kc_error_t error = KC_ERROR_INIT;
    uint32_t flags = diff->options->wants_gradients ? KC_SESSION_GRADIENTS : 0;
    kc_status_t status =
        kc_session_create(diff->runtime, diff->profiles[side], flags,
                          &diff->sessions[side], &error);
    return status == KC_OK ? CLI_DONE : cli_report_of_run(status, &error);
}

int cli_diff_open(cli_diff_t *diff)
{
    int code = cli_open_runtime(diff->options, diff->options->thread_count,
                                &diff->runtime);
    for (int side = 0; side < DIFF_SIDES && code == CLI_DONE; side++) {
        code = load_profile(diff, side);
        if (code == CLI_DONE) {
            code = settle_vjp(diff, side);
        }
        if (code == CLI_DONE) {
            code = open_session(diff, side);
        }
    }
    return code;
}

/* The places of all floating-point nodes, for kc_plan_gradients. */
static size_t list_float_nodes(const cli_diff_t *diff, uint32_t *ids)
{
    size_t count = 0;
    for (uint32_t idx = 0; idx < diff->node_count; idx++) {
        int32_t dtype = diff->nodes[idx].type.dtype;
        if (dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64) {
            ids[count++] = idx;
        }
    }
    return count;
}

static kc_status_t plan_side(cli_diff_t *diff, int side, kc_error_t *error)
{
    kc_profile_t *profile = diff->profiles[side];
    if (!diff->options->wants_gradients) {
        return kc_plan_graph(profile, diff->graph, &diff->plans[side], error);
    }
    kc_gradient_request_t request = {.struct_size = sizeof request,
                                     .nodes = diff->ids};
    request.node_count = list_float_nodes(diff, diff->ids);
    return kc_plan_gradients(profile, diff->graph, &request, &diff->plans[side],
                             error);
}

static void note_capsules(cli_diff_t *diff, int side)
{
    const kc_plan_t *plan = diff->plans[side];
    for (size_t idx = 0; idx < kc_plan_row_count(plan); idx++) {
        kc_plan_row_t row = {.struct_size = sizeof row};
        kc_plan_row(plan, idx, &row);
        diff->nodes[row.node].capsules[side] = row.capsule;
        diff->nodes[row.node].modules[side] = row.module_name;
    }
}

int cli_diff_plan(cli_diff_t *diff)
{
    for (int side = 0; side < DIFF_SIDES && diff->graph != NULL; side++) {
        kc_error_t error = KC_ERROR_INIT;
        kc_status_t status = plan_side(diff, side, &error);
        if (status != KC_OK) {
            return cli_report(status, &error);
        }
        int code = cli_accept(diff->plans[side], &diff->accepted[side]);
        if (code != CLI_DONE) {
            return code;
        }
        note_capsules(diff, side);
    }
    return CLI_DONE;
}

static const kc_capsule_record_t *
find_capsule(const kc_capsule_module_t *module, const char *name)
{
    size_t count = kc_capsule_module_capsule_count(module);
    for (size_t idx = 0; idx < count; idx++) {
        const kc_capsule_record_t *record =
            kc_capsule_module_capsule(module, idx);
        if (strcmp(record->name, name) == 0) {
            return record;
        }
    }
    return NULL;
}

void cli_diff_note_capsule(cli_diff_t *diff, int side, cli_diff_node_t *node,
                           const char *module, const char *capsule)
{
    const kc_profile_t *profile = diff->profiles[side];
    size_t count = kc_profile_module_count(profile);
    for (size_t idx = 0; idx < count; idx++) {
        const kc_capsule_module_t *at = kc_profile_module(profile, idx);
        if (strcmp(kc_capsule_module_name(at), module) == 0) {
            node->capsules[side] = find_capsule(at, capsule);
            node->modules[side] = kc_capsule_module_name(at);
        }
    }
}
