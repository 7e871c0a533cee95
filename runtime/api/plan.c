/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans, explanations and the gate.
 */
#include <kcapsule/plan.h>

#include <string.h>

#include "api/argument.h"
#include "audit/accept.h"
#include "base/alloc.h"

kc_status_t kc_plan_ops(kc_profile_t *profile, const int32_t *ops, size_t count,
                        kc_plan_t **out_plan, kc_error_t *error)
{
    KC_REQUIRE(profile, error);
    KC_REQUIRE(ops, error);
    KC_REQUIRE(out_plan, error);
    return kci_plan_ops(profile, ops, count, out_plan, error);
}

kc_status_t kc_plan_graph(kc_profile_t *profile, kc_graph_t *graph,
                          kc_plan_t **out_plan, kc_error_t *error)
{
    KC_REQUIRE(profile, error);
    KC_REQUIRE(graph, error);
    KC_REQUIRE(out_plan, error);
    return kci_plan_graph(profile, graph, out_plan, error);
}

void kc_plan_release(kc_plan_t *plan)
{
    kci_plan_release(plan);
}

size_t kc_plan_row_count(const kc_plan_t *plan)
{
    return plan->row_count;
}

static const char *module_path(const kc_capsule_module_t *module)
{
    return module->file != NULL ? module->file->path : "";
}

void kc_plan_row(const kc_plan_t *plan, size_t index, kc_plan_row_t *out_row)
{
    if (index >= plan->row_count) {
        return;
    }
    const kci_plan_row_t *row = &plan->rows[index];
    const kci_entry_t *entry =
        row->entry == KCI_NO_ENTRY ? NULL : &plan->profile->entries[row->entry];
    out_row->node = row->node;
    out_row->op = row->op;
    out_row->capsule = entry != NULL ? entry->capsule : NULL;
    out_row->module_name = entry != NULL ? entry->module->name : "";
    out_row->module_path = entry != NULL ? module_path(entry->module) : "";
}

size_t kc_plan_failure_count(const kc_plan_t *plan)
{
    return plan->failure_count;
}

kc_status_t kc_plan_failure(const kc_plan_t *plan, size_t index,
                            char **out_line, kc_error_t *error)
{
    KC_REQUIRE(plan, error);
    KC_REQUIRE(out_line, error);
    for (size_t i = 0; i < plan->row_count; i++) {
        if (plan->rows[i].entry == KCI_NO_ENTRY && index-- == 0) {
            char line[KC_ERROR_MESSAGE_SIZE];
            kci_plan_failure_line(plan, &plan->rows[i], line, sizeof line);
            return kci_copy_string(line, out_line, error);
        }
    }
    return kci_fail(error, KC_ERR_ARGUMENT,
                    "kc_plan_failure: expected an index below %zu",
                    plan->failure_count);
}

static void fill_candidate(const kc_plan_t *plan, const kci_candidate_t *from,
                           kc_candidate_t *to)
{
    const kci_entry_t *entry = &plan->profile->entries[from->entry];
    to->struct_size = sizeof *to;
    to->reason = from->reason;
    to->capsule = entry->capsule;
    to->module_name = entry->module->name;
    memcpy(to->wanted, from->wanted, sizeof to->wanted);
    memcpy(to->found, from->found, sizeof to->found);
}

kc_status_t kc_plan_explain(const kc_plan_t *plan, size_t row,
                            kc_candidate_t **out_candidates, size_t *out_count,
                            kc_error_t *error)
{
    KC_REQUIRE(plan, error);
    KC_REQUIRE(out_candidates, error);
    KC_REQUIRE(out_count, error);
    if (row >= plan->row_count) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "kc_plan_explain: expected a row below %zu, found %zu",
                        plan->row_count, row);
    }
    const kci_plan_row_t *planned = &plan->rows[row];
    const kci_demand_t *demand =
        plan->graph != NULL ? &plan->graph->demands[planned->node] : NULL;
    kci_candidate_t *found = NULL;
    size_t count = 0;
    KC_RETURN_IF_ERROR(kci_plan_explain(plan->profile, planned->op, demand,
                                        &found, &count, error));
    void *memory = NULL;
    kc_status_t status =
        kci_alloc_array(count, sizeof(kc_candidate_t), &memory, error);
    kc_candidate_t *candidates = memory;
    for (size_t i = 0; status == KC_OK && i < count; i++) {
        fill_candidate(plan, &found[i], &candidates[i]);
    }
    kci_free(found);
    if (status == KC_OK) {
        *out_candidates = candidates;
        *out_count = count;
    }
    return status;
}

void kc_candidates_release(kc_candidate_t *candidates)
{
    kci_free(candidates);
}

static kc_status_t copy_failures(const kci_acceptance_failure_t *from,
                                 size_t count,
                                 kc_acceptance_failure_t **out_failures,
                                 kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(count, sizeof(kc_acceptance_failure_t),
                                       &memory, error));
    kc_acceptance_failure_t *failures = memory;
    for (size_t i = 0; i < count; i++) {
        failures[i].struct_size = sizeof failures[i];
        failures[i].kind = from[i].kind;
        failures[i].op = from[i].op;
        failures[i].obligation = from[i].obligation;
        memcpy(failures[i].capsule, from[i].capsule, sizeof from[i].capsule);
        memcpy(failures[i].line, from[i].line, sizeof from[i].line);
    }
    *out_failures = failures;
    return KC_OK;
}

kc_status_t kc_plan_accept(kc_plan_t *plan, kc_accepted_plan_t **out_accepted,
                           kc_acceptance_failure_t **out_failures,
                           size_t *out_failure_count, kc_error_t *error)
{
    KC_REQUIRE(plan, error);
    KC_REQUIRE(out_accepted, error);
    if (plan->graph == NULL) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "kc_plan_accept: expected a plan of a graph, found a "
                        "plan of %zu operations",
                        plan->row_count);
    }
    kci_acceptance_failure_t *failures = NULL;
    size_t count = 0;
    kc_status_t status = kci_accept_plan(
        plan, &plan->profile->policy, out_accepted, &failures, &count, error);
    if (status == KC_ERR_REJECTED && out_failures != NULL &&
        out_failure_count != NULL) {
        kc_status_t copied =
            copy_failures(failures, count, out_failures, error);
        if (copied == KC_OK) {
            *out_failure_count = count;
        }
        status = copied == KC_OK ? status : copied;
    }
    if (status == KC_OK && out_failures != NULL && out_failure_count != NULL) {
        *out_failures = NULL;
        *out_failure_count = 0;
    }
    kci_free(failures);
    return status;
}

void kc_failures_release(kc_acceptance_failure_t *failures)
{
    kci_free(failures);
}

void kc_accepted_plan_release(kc_accepted_plan_t *accepted)
{
    kci_accepted_plan_release(accepted);
}

kc_status_t kc_plan_check(const kc_plan_t *plan, const kc_policy_t *policy,
                          int32_t *out_is_accepted, kc_error_t *error)
{
    KC_REQUIRE(plan, error);
    KC_REQUIRE(out_is_accepted, error);
    policy = policy != NULL ? policy : &plan->profile->policy;
    kci_audit_t audit = {0};
    KC_RETURN_IF_ERROR(kci_audit_create(plan, &audit, error));
    kci_obligation_report_t *reports = NULL;
    size_t count = 0;
    kc_status_t status =
        kci_check_contracts(policy, &audit, &reports, &count, error);
    if (status == KC_OK) {
        *out_is_accepted = count == 0;
    }
    kci_free(reports);
    kci_audit_release(&audit);
    return status;
}
