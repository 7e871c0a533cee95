/* SPDX-License-Identifier: Apache-2.0
 *
 * Of a plan with gradients its program says which nodes have a rule; of any
 * other every capsule is spoken of as if a gradient went through it.
 */
#include "report/rule_owner.h"

#include "base/alloc.h"
#include "base/error.h"
#include "exec/program.h"
#include "ops/op_info.h"

static kc_status_t note_rules(const kc_plan_t *plan, bool **out_has_rule,
                              kc_error_t *error)
{
    const kci_program_t *program = plan->program;
    void *memory = NULL;
    if (program == NULL) {
        *out_has_rule = NULL;
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(
        kci_alloc_array(plan->graph->node_count, sizeof(bool), &memory, error));
    for (size_t idx = 0; idx < program->rule_count; idx++) {
        ((bool *)memory)[program->rules[idx].node] = true;
    }
    *out_has_rule = memory;
    return KC_OK;
}

kc_status_t kci_rule_view_create(const kc_plan_t *plan,
                                 const kci_group_t *groups, size_t group_count,
                                 kci_rule_view_t *out_view, kc_error_t *error)
{
    kci_rule_view_t view = {
        .plan = plan, .groups = groups, .group_count = group_count};
    KC_RETURN_IF_ERROR(note_rules(plan, &view.has_rule, error));
    kc_status_t status = kci_inner_rows_create(
        plan, &plan->profile->policy, groups, group_count, &view.rows, error);
    if (status != KC_OK) {
        kci_rule_view_release(&view);
        return status;
    }
    *out_view = view;
    return KC_OK;
}

void kci_rule_view_release(kci_rule_view_t *view)
{
    kci_inner_rows_release(&view->rows);
    kci_free(view->has_rule);
    view->has_rule = NULL;
}

static bool is_reached(const kci_rule_view_t *view, const kci_group_t *group)
{
    if (view->has_rule == NULL) {
        return true;
    }
    for (size_t idx = 0; idx < group->row_count; idx++) {
        if (view->has_rule[view->plan->rows[group->first_row + idx].node]) {
            return true;
        }
    }
    return false;
}

kci_rule_owner_t kci_rule_view_owner(const kci_rule_view_t *view, size_t group)
{
    const kc_profile_t *profile = view->plan->profile;
    const kci_plan_row_t *row =
        &view->plan->rows[view->groups[group].first_row];
    const kc_capsule_record_t *capsule = profile->entries[row->entry].capsule;
    if (profile->policy.vjp_mode == KC_VJP_NONE) {
        return KCI_OWNER_NOT_ASKED;
    }
    if (!kci_op_info(row->op)->requires_vjp) {
        return KCI_OWNER_LEAF;
    }
    if (!is_reached(view, &view->groups[group])) {
        return KCI_OWNER_NOT_REACHED;
    }
    if (capsule->vjp_mode == KC_VJP_BACKEND) {
        return KCI_OWNER_KERNEL;
    }
    return kci_vjp_is_composed(row->op, capsule->provider, capsule->device)
               ? KCI_OWNER_COMPOSED
               : KCI_OWNER_RUNTIME;
}

static const kci_inner_row_t *rows_of(kci_rule_view_t *view, uint32_t owner,
                                      size_t *out_count)
{
    const kci_inner_rows_t *rows = &view->rows;
    while (view->next < rows->count && rows->items[view->next].owner < owner) {
        view->next++;
    }
    size_t end = view->next;
    while (end < rows->count && rows->items[end].owner == owner) {
        end++;
    }
    *out_count = end - view->next;
    return *out_count == 0 ? NULL : &rows->items[view->next];
}

const kci_inner_row_t *kci_rule_view_rows(kci_rule_view_t *view, size_t group,
                                          size_t *out_count)
{
    return rows_of(view, (uint32_t)group, out_count);
}

const kci_inner_row_t *kci_rule_view_sums(kci_rule_view_t *view,
                                          size_t *out_count)
{
    return rows_of(view, KCI_NO_OWNER, out_count);
}
