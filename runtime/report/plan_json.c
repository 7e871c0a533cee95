/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans as JSON: profile and policy, every row, every failure with all of
 * its candidates, and what the view asks for beyond that.
 */
#include "report/report.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "graph/kinds.h"
#include "report/rule_owner.h"

static void add_selected(json_t *object, const kc_plan_t *plan,
                         const kci_plan_row_t *row, kc_plan_view_t view)
{
    const kci_entry_t *entry = &plan->profile->entries[row->entry];
    const kc_capsule_record_t *capsule = entry->capsule;
    json_object_set_new(object, "capsule", json_string(capsule->name));
    json_object_set_new(object, "provider", json_string(capsule->provider));
    json_object_set_new(object, "device",
                        json_string(kci_label(&kci_devices, capsule->device)));
    json_object_set_new(object, "trust",
                        json_string(kci_label(&kci_trusts, capsule->trust)));
    json_object_set_new(
        object, "reduction",
        json_string(kci_label(&kci_reductions, capsule->numerics.reduction)));
    json_object_set_new(object, "module", json_string(entry->module->name));
    if (entry->module->file != NULL) {
        json_object_set_new(object, "file",
                            json_string(entry->module->file->path));
        json_object_set_new(object, "sha256",
                            json_string(entry->module->file->sha256));
    }
    if (view == KC_PLAN_VIEW_FULL) {
        json_object_set_new(object, "contract",
                            kci_report_contract_json(entry->module, capsule));
    }
}

static void add_failure(json_t *object, const kc_plan_t *plan,
                        const kci_plan_row_t *row)
{
    char line[KC_ERROR_MESSAGE_SIZE];
    kci_plan_failure_line(plan, row, line, sizeof line);
    json_object_set_new(object, "capsule", json_null());
    json_object_set_new(object, "failure", json_string(line));
}

static kc_status_t row_json(const kc_plan_t *plan, const kci_plan_row_t *row,
                            kc_plan_view_t view, json_t **out_json,
                            kc_error_t *error)
{
    json_t *object = json_pack("{s:I, s:s}", "node", (json_int_t)row->node,
                               "op", kci_label(&kci_ops, row->op));
    if (plan->graph != NULL) {
        const kci_kind_t *kind = kci_kind(plan->graph->nodes[row->node].kind);
        json_object_set_new(object, "kind", json_string(kind->label));
    }
    bool is_planned = row->entry != KCI_NO_ENTRY;
    if (is_planned) {
        add_selected(object, plan, row, view);
    } else {
        add_failure(object, plan, row);
    }
    if (!is_planned || view == KC_PLAN_VIEW_EXPLAIN) {
        json_t *candidates = NULL;
        kc_status_t status =
            kci_report_candidates_json(plan, row, &candidates, error);
        if (status != KC_OK) {
            json_decref(object);
            return status;
        }
        json_object_set_new(object, "candidates", candidates);
    }
    *out_json = object;
    return KC_OK;
}

static kc_status_t rows_json(const kc_plan_t *plan, kc_plan_view_t view,
                             json_t *list, kc_error_t *error)
{
    for (size_t i = 0; i < plan->row_count; i++) {
        json_t *object = NULL;
        KC_RETURN_IF_ERROR(
            row_json(plan, &plan->rows[i], view, &object, error));
        if (json_array_append_new(list, object) != 0) {
            return kci_fail(error, KC_ERR_MEMORY, "out of memory: plan");
        }
    }
    return KC_OK;
}

static json_t *group_json(const kc_plan_t *plan, const kci_group_t *group)
{
    const kci_plan_row_t *row = &plan->rows[group->first_row];
    json_t *nodes = json_array();
    for (size_t i = 0; i < group->row_count; i++) {
        json_array_append_new(
            nodes, json_integer(plan->rows[group->first_row + i].node));
    }
    const char *name = row->entry == KCI_NO_ENTRY
                           ? NULL
                           : plan->profile->entries[row->entry].capsule->name;
    return json_pack("{s:o, s:s, s:s?}", "nodes", nodes, "op",
                     kci_label(&kci_ops, row->op), "capsule", name);
}

static kc_status_t groups_json(const kc_plan_t *plan, json_t *list,
                               kc_error_t *error)
{
    kci_group_t *groups = NULL;
    size_t count = 0;
    KC_RETURN_IF_ERROR(kci_plan_group(plan, &groups, &count, error));
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, group_json(plan, &groups[i]));
    }
    kci_free(groups);
    return json_array_size(list) == count
               ? KC_OK
               : kci_fail(error, KC_ERR_MEMORY, "out of memory: groups");
}

static json_t *header_json(const kc_plan_t *plan)
{
    json_t *object = json_pack(
        "{s:s, s:i, s:o}", "format", "kcapsule-plan", "version", 1, "profile",
        kci_report_policy_json(plan->profile, &plan->profile->policy));
    if (plan->graph != NULL) {
        json_object_set_new(object, "graph",
                            json_pack("{s:s, s:s, s:I}", "source",
                                      plan->graph->source, "sha256",
                                      plan->graph->sha256, "nodes",
                                      (json_int_t)plan->graph->node_count));
    }
    json_object_set_new(
        object, "planned",
        json_integer((json_int_t)(plan->row_count - plan->failure_count)));
    json_object_set_new(object, "failed",
                        json_integer((json_int_t)plan->failure_count));
    return object;
}

/* Adds owners and inner operations to rows that were planned: each row is a
 * group of its own. */
static kc_status_t add_rules(const kc_plan_t *plan, json_t *object,
                             json_t *rows, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(plan->row_count, sizeof(kci_group_t), &memory, error));
    kci_group_t *groups = memory;
    for (size_t i = 0; i < plan->row_count; i++) {
        groups[i] = (kci_group_t){i, 1};
    }
    kci_rule_view_t view;
    kc_status_t status =
        kci_rule_view_create(plan, groups, plan->row_count, &view, error);
    if (status != KC_OK) {
        kci_free(groups);
        return status;
    }
    for (size_t i = 0; i < plan->row_count; i++) {
        if (plan->rows[i].entry != KCI_NO_ENTRY) {
            kci_report_rule_json(&view, i, json_array_get(rows, i));
        }
    }
    if (plan->program != NULL) {
        json_object_set_new(object, "sums", kci_report_sums_json(&view));
    }
    kci_rule_view_release(&view);
    kci_free(groups);
    return KC_OK;
}

kc_status_t kci_report_plan_json(const kc_plan_t *plan, kc_plan_view_t view,
                                 json_t **out_json, kc_error_t *error)
{
    json_t *object = header_json(plan);
    json_t *rows = json_array();
    json_object_set_new(object, "rows", rows);
    kc_status_t status = rows_json(plan, view, rows, error);
    if (status == KC_OK && view == KC_PLAN_VIEW_FULL) {
        status = add_rules(plan, object, rows, error);
    }
    if (status == KC_OK && view == KC_PLAN_VIEW_GROUPS) {
        json_t *groups = json_array();
        json_object_set_new(object, "groups", groups);
        status = groups_json(plan, groups, error);
    }
    if (status != KC_OK) {
        json_decref(object);
        return status;
    }
    *out_json = object;
    return KC_OK;
}
