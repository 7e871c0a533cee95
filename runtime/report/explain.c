/* SPDX-License-Identifier: Apache-2.0
 *
 * Explanations: every candidate for an operation in catalogue order, and the
 * first filter that each of them failed.
 */
#include "report/report.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

static const kci_demand_t *demand_of(const kc_plan_t *plan,
                                     const kci_plan_row_t *row)
{
    return plan->graph == NULL ? NULL : &plan->graph->demands[row->node];
}

static kc_status_t candidates_of(const kc_plan_t *plan,
                                 const kci_plan_row_t *row,
                                 kci_candidate_t **out_candidates,
                                 size_t *out_count, kc_error_t *error)
{
    return kci_plan_explain(plan->profile, row->op, demand_of(plan, row),
                            out_candidates, out_count, error);
}

static size_t widest_name(const kc_plan_t *plan,
                          const kci_candidate_t *candidates, size_t count)
{
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length =
            strlen(plan->profile->entries[candidates[i].entry].capsule->name);
        width = length > width ? length : width;
    }
    return width;
}

static void append_candidate(const kc_plan_t *plan,
                             const kci_candidate_t *candidate, size_t width,
                             kci_string_buffer_t *out)
{
    const kci_entry_t *entry = &plan->profile->entries[candidate->entry];
    kci_string_appendf(out, "  %-*s  %s", (int)width, entry->capsule->name,
                       kci_reason_label(candidate->reason));
    if (candidate->wanted[0] != '\0') {
        kci_string_appendf(out, ": wanted %s, found %s", candidate->wanted,
                           candidate->found);
    }
    kci_string_appendf(out, " (module %s)\n", entry->module->name);
}

static kc_status_t append_row(const kc_plan_t *plan, const kci_plan_row_t *row,
                              kci_string_buffer_t *out, kc_error_t *error)
{
    kci_candidate_t *candidates = NULL;
    size_t count = 0;
    KC_RETURN_IF_ERROR(candidates_of(plan, row, &candidates, &count, error));
    if (count == 0) {
        kci_string_append(out, "  no capsule of any module is for this "
                               "operation\n");
    }
    size_t width = widest_name(plan, candidates, count);
    for (size_t i = 0; i < count; i++) {
        append_candidate(plan, &candidates[i], width, out);
    }
    kci_free(candidates);
    return KC_OK;
}

static void append_policy(const kc_profile_t *profile, kci_string_buffer_t *out)
{
    char preference[KC_PROVIDER_SIZE + 16];
    kci_policy_format_preference(&profile->policy, preference,
                                 sizeof preference);
    kci_string_appendf(out,
                       "profile %s: device %s, provider %s, assurance %s, "
                       "vjp %s\n",
                       profile->name,
                       kci_label(&kci_devices, profile->policy.device),
                       preference, kci_policy_assurance_label(&profile->policy),
                       kci_label(&kci_vjp_modes, profile->policy.vjp_mode));
    kci_string_append(out, "available: devices");
    for (int32_t device = 0; device < KC_DEVICE_COUNT; device++) {
        if ((profile->device_bits & (1u << device)) != 0) {
            kci_string_appendf(out, " %s", kci_label(&kci_devices, device));
        }
    }
    kci_string_append(out, "; providers");
    for (size_t i = 0; i < profile->provider_count; i++) {
        kci_string_appendf(out, " %s", profile->providers[i]);
    }
    kci_string_append(out, "; modules");
    for (size_t i = 0; i < profile->module_count; i++) {
        kci_string_appendf(out, " %s", profile->modules[i]->name);
    }
    kci_string_append(out, "\n");
}

static kc_status_t explain_list(const kc_plan_t *plan, kci_string_buffer_t *out,
                                kc_error_t *error)
{
    for (size_t i = 0; i < plan->row_count; i++) {
        kci_string_appendf(out, "%s\n", kci_label(&kci_ops, plan->rows[i].op));
        KC_RETURN_IF_ERROR(append_row(plan, &plan->rows[i], out, error));
    }
    return KC_OK;
}

static kc_status_t explain_graph(const kc_plan_t *plan,
                                 const kci_group_t *groups, size_t count,
                                 kci_string_buffer_t *out, kc_error_t *error)
{
    for (size_t i = 0; i < count; i++) {
        const kci_plan_row_t *row = &plan->rows[groups[i].first_row];
        kci_string_append(out, "#");
        kci_report_group_nodes(plan, &groups[i], out);
        kci_string_appendf(out, " %s\n", kci_label(&kci_ops, row->op));
        KC_RETURN_IF_ERROR(append_row(plan, row, out, error));
    }
    return KC_OK;
}

kc_status_t kci_report_explain_text(const kc_plan_t *plan,
                                    kci_string_buffer_t *out, kc_error_t *error)
{
    append_policy(plan->profile, out);
    if (plan->graph == NULL) {
        return explain_list(plan, out, error);
    }
    kci_group_t *groups = NULL;
    size_t count = 0;
    KC_RETURN_IF_ERROR(kci_plan_group(plan, &groups, &count, error));
    kc_status_t status = explain_graph(plan, groups, count, out, error);
    kci_free(groups);
    return status;
}

kc_status_t kci_report_candidates_json(const kc_plan_t *plan,
                                       const kci_plan_row_t *row,
                                       json_t **out_json, kc_error_t *error)
{
    kci_candidate_t *candidates = NULL;
    size_t count = 0;
    KC_RETURN_IF_ERROR(candidates_of(plan, row, &candidates, &count, error));
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const kci_candidate_t *candidate = &candidates[i];
        const kci_entry_t *entry = &plan->profile->entries[candidate->entry];
        json_t *object = json_pack(
            "{s:s, s:s, s:s}", "capsule", entry->capsule->name, "module",
            entry->module->name, "reason", kci_reason_label(candidate->reason));
        if (candidate->wanted[0] != '\0') {
            json_object_set_new(object, "wanted",
                                json_string(candidate->wanted));
            json_object_set_new(object, "found", json_string(candidate->found));
        }
        json_array_append_new(list, object);
    }
    kci_free(candidates);
    if (list == NULL || json_array_size(list) != count) {
        json_decref(list);
        return kci_fail(error, KC_ERR_MEMORY, "out of memory: candidates");
    }
    *out_json = list;
    return KC_OK;
}
