/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans as text: a block an operation, a line a node, names, groups, or
 * everything there is to say of each selected capsule.
 */
#include "report/report.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "graph/kinds.h"
#include "report/rule_owner.h"

/* Longest description of a node: two shapes and a kind. */
#define NODE_TEXT_SIZE (2 * KCI_SHAPE_TEXT_SIZE)

static const kci_entry_t *entry_of(const kc_plan_t *plan,
                                   const kci_plan_row_t *row)
{
    return row->entry == KCI_NO_ENTRY ? NULL
                                      : &plan->profile->entries[row->entry];
}

static const char *name_of(const kc_plan_t *plan, const kci_plan_row_t *row)
{
    const kci_entry_t *entry = entry_of(plan, row);
    return entry == NULL ? "(none)" : entry->capsule->name;
}

/* The block that the seed prints for an operation of a list. */
static void append_block(const kci_entry_t *entry, kci_string_buffer_t *out)
{
    char sentence[256];
    const kc_capsule_record_t *capsule = entry->capsule;
    kci_evidence_sentence(&capsule->value, sentence, sizeof sentence);
    kci_string_appendf(out, "%s -> %s\n", kci_label(&kci_ops, capsule->op),
                       capsule->name);
    kci_string_appendf(out, "  provider %s, trust %s\n", capsule->provider,
                       kci_label(&kci_trusts, capsule->trust));
    kci_string_appendf(out, "  reduction %s\n",
                       kci_label(&kci_reductions, capsule->numerics.reduction));
    kci_string_appendf(out, "  value: %s\n", sentence);
}

static void append_list_rows(const kc_plan_t *plan, kci_string_buffer_t *out)
{
    for (size_t i = 0; i < plan->row_count; i++) {
        const kci_entry_t *entry = entry_of(plan, &plan->rows[i]);
        if (entry != NULL) {
            append_block(entry, out);
        }
    }
}

static void append_graph_rows(const kc_plan_t *plan, kci_string_buffer_t *out)
{
    char node_text[NODE_TEXT_SIZE];
    kci_string_appendf(out, "nodes %u, planned %zu\n", plan->graph->node_count,
                       plan->row_count - plan->failure_count);
    for (size_t i = 0; i < plan->row_count; i++) {
        const kci_plan_row_t *row = &plan->rows[i];
        kci_graph_describe_node(plan->graph, row->node, node_text,
                                sizeof node_text);
        kci_string_appendf(out, "  %u %s -> %s\n", row->node, node_text,
                           name_of(plan, row));
    }
}

static void append_names(const kc_plan_t *plan, kci_string_buffer_t *out)
{
    kci_string_appendf(out, "%s:", plan->profile->name);
    for (size_t i = 0; i < plan->row_count; i++) {
        kci_string_appendf(out, "%s %s", i == 0 ? "" : ",",
                           name_of(plan, &plan->rows[i]));
    }
    kci_string_append(out, "\n");
}

void kci_report_group_nodes(const kc_plan_t *plan, const kci_group_t *group,
                            kci_string_buffer_t *out)
{
    kci_string_append(out, "[");
    for (size_t i = 0; i < group->row_count; i++) {
        kci_string_appendf(out, "%s%u", i == 0 ? "" : ", ",
                           plan->rows[group->first_row + i].node);
    }
    kci_string_append(out, "]");
}

static void append_group_line(const kc_plan_t *plan, const kci_group_t *group,
                              const char *arrow, kci_string_buffer_t *out)
{
    const kci_plan_row_t *row = &plan->rows[group->first_row];
    kci_string_append(out, "#");
    kci_report_group_nodes(plan, group, out);
    kci_string_appendf(out, " %s %s%s\n", kci_label(&kci_ops, row->op), arrow,
                       name_of(plan, row));
}

static void append_groups(const kc_plan_t *plan, const kci_group_t *groups,
                          size_t count, kci_string_buffer_t *out)
{
    kci_string_appendf(out, "kernels %zu, groups %zu\n", plan->row_count,
                       count);
    for (size_t i = 0; i < count; i++) {
        kci_string_append(out, "  ");
        append_group_line(plan, &groups[i], "", out);
    }
}

static kc_status_t append_full(const kc_plan_t *plan, const kci_group_t *groups,
                               size_t count, kci_string_buffer_t *out,
                               kc_error_t *error)
{
    kci_rule_view_t view;
    KC_RETURN_IF_ERROR(kci_rule_view_create(plan, groups, count, &view, error));
    for (size_t i = 0; i < count; i++) {
        const kci_entry_t *entry =
            entry_of(plan, &plan->rows[groups[i].first_row]);
        append_group_line(plan, &groups[i], "-> ", out);
        if (entry != NULL) {
            kci_report_contract_text(entry->module, entry->capsule, out);
            kci_report_rule_text(&view, i, out);
        }
    }
    kci_report_sums_text(&view, out);
    kci_rule_view_release(&view);
    return KC_OK;
}

static kc_status_t append_by_groups(const kc_plan_t *plan, kc_plan_view_t view,
                                    kci_string_buffer_t *out, kc_error_t *error)
{
    kci_group_t *groups = NULL;
    size_t count = 0;
    kc_status_t status = kci_plan_group(plan, &groups, &count, error);
    if (status != KC_OK) {
        return status;
    }
    if (view == KC_PLAN_VIEW_GROUPS) {
        append_groups(plan, groups, count, out);
    } else {
        status = append_full(plan, groups, count, out, error);
    }
    kci_free(groups);
    return status;
}

kc_status_t kci_report_plan_text(const kc_plan_t *plan, kc_plan_view_t view,
                                 kci_string_buffer_t *out, kc_error_t *error)
{
    switch (view) {
    case KC_PLAN_VIEW_NAMES:
        append_names(plan, out);
        return KC_OK;
    case KC_PLAN_VIEW_GROUPS:
    case KC_PLAN_VIEW_FULL:
        return append_by_groups(plan, view, out, error);
    case KC_PLAN_VIEW_EXPLAIN:
        return kci_report_explain_text(plan, out, error);
    case KC_PLAN_VIEW_ROWS:
    default:
        if (plan->graph == NULL) {
            append_list_rows(plan, out);
        } else {
            append_graph_rows(plan, out);
        }
        return KC_OK;
    }
}
