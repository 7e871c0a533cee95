/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosing the capsule of an eager operation: plan, accept, bind, keep.
 * Failures are not kept: what was missing may be there at the next call.
 */
#include "exec/session_state.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "dispatch/demand.h"
#include "ops/vjp.h"

static kc_status_t refuse_unplanned(const kc_profile_t *profile, int32_t op,
                                    kc_error_t *error)
{
    return kci_fail(error, KC_ERR_NO_CAPSULE,
                    "no admissible kernel capsule for op %s on device %s",
                    kci_label(&kci_ops, op),
                    kci_label(&kci_devices, profile->policy.device));
}

/* What the planner answers for the operation alone. */
static kc_status_t plan_slot(kc_profile_t *profile, int32_t op,
                             kci_slot_t *slot, kc_error_t *error)
{
    kc_plan_t *plan = NULL;
    if (slot->is_planned) {
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(kci_plan_ops(profile, &op, 1, &plan, error));
    uint16_t entry = plan->rows[0].entry;
    if (entry == KCI_NO_ENTRY) {
        char line[KC_ERROR_MESSAGE_SIZE];
        kci_plan_failure_line(plan, &plan->rows[0], line, sizeof line);
        kci_plan_release(plan);
        return kci_fail(error, KC_ERR_NO_CAPSULE, "%s", line);
    }
    kci_plan_release(plan);
    slot->planned_entry = entry;
    slot->planned_limits =
        kci_limits_flatten(&profile->entries[entry].capsule->limits);
    slot->is_planned = true;
    return KC_OK;
}

/* What the planner answers for these operands. */
static kc_status_t plan_with_demand(const kc_profile_t *profile, int32_t op,
                                    const kci_demand_t *demand,
                                    uint16_t *out_entry, kc_error_t *error)
{
    kci_candidate_t *candidates = NULL;
    size_t count = 0;
    uint16_t entry = KCI_NO_ENTRY;
    KC_RETURN_IF_ERROR(
        kci_plan_explain(profile, op, demand, &candidates, &count, error));
    for (size_t i = 0; i < count; i++) {
        if (candidates[i].reason == KC_REASON_SELECTED) {
            entry = candidates[i].entry;
        }
    }
    kci_free(candidates);
    if (entry == KCI_NO_ENTRY) {
        return refuse_unplanned(profile, op, error);
    }
    *out_entry = entry;
    return KC_OK;
}

static void choice_destroy(kci_choice_t *choice)
{
    kci_accepted_kernel_release(choice->kernel);
    kci_free(choice);
}

/* Entries are those of the session's profile in both tables, so that a record
 * refers to one catalogue. */
static kc_status_t accept_and_bind(const kc_session_t *session,
                                   const kci_slot_table_t *table, int32_t op,
                                   kci_choice_t *choice, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        kci_accept_kernel(session->profile, &table->profile->policy, op,
                          choice->entry, &choice->kernel, NULL, NULL, error));
    const kci_entry_t *entry =
        &session->profile->entries[choice->kernel->entry];
    if (!kci_is_composition(entry->capsule->provider)) {
        return kci_bind(entry, session->host, &choice->binding, error);
    }
    choice->binding =
        (kci_binding_t){.entry = entry,
                        .file = entry->module->file,
                        .limits = kci_limits_flatten(&entry->capsule->limits)};
    return KC_OK;
}

static kc_status_t bound_choice(const kc_session_t *session,
                                kci_slot_table_t *table, int32_t op,
                                uint16_t entry, kci_choice_t **out_choice,
                                kc_error_t *error)
{
    void *memory = NULL;
    kci_slot_t *slot = &table->slots[op];
    for (kci_choice_t *choice = slot->choices; choice != NULL;
         choice = choice->next) {
        if (choice->entry == entry) {
            *out_choice = choice;
            return KC_OK;
        }
    }
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kci_choice_t), &memory, error));
    kci_choice_t *choice = memory;
    choice->entry = entry;
    choice->record_index = KCI_NOT_RECORDED;
    kc_status_t status = accept_and_bind(session, table, op, choice, error);
    if (status != KC_OK) {
        choice_destroy(choice);
        return status;
    }
    choice->next = slot->choices;
    slot->choices = choice;
    *out_choice = choice;
    return KC_OK;
}

static bool equal_demands(const kci_demand_t *a, const kci_demand_t *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           a->input_count == b->input_count && a->extent_max == b->extent_max &&
           a->element_max == b->element_max;
}

static kc_status_t choose_within_limits(const kc_session_t *session,
                                        kci_slot_table_t *table, int32_t op,
                                        const kci_demand_t *demand,
                                        kci_choice_t **out_choice,
                                        kc_error_t *error)
{
    uint16_t entry = KCI_NO_ENTRY;
    kci_slot_t *slot = &table->slots[op];
    if (slot->has_last && equal_demands(&slot->last_demand, demand)) {
        *out_choice = slot->last_choice;
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(
        plan_with_demand(table->profile, op, demand, &entry, error));
    KC_RETURN_IF_ERROR(
        bound_choice(session, table, op, entry, out_choice, error));
    slot->last_demand = *demand;
    slot->last_choice = *out_choice;
    slot->has_last = true;
    return KC_OK;
}

kc_status_t kci_session_choose(kc_session_t *session, kci_slot_table_t *table,
                               int32_t op, const DLTensor *const *inputs,
                               size_t input_count, const DLTensor *output,
                               kci_choice_t **out_choice, kc_error_t *error)
{
    kci_slot_t *slot = &table->slots[op];
    kci_demand_t demand;
    KC_RETURN_IF_ERROR(plan_slot(table->profile, op, slot, error));
    /* Operands that no planner can judge go on to the guards' refusal. */
    if (kci_operand_demand(op, inputs, input_count, output, true, &demand) &&
        kci_limits_judge(&slot->planned_limits, &demand) !=
            KC_REASON_SELECTED) {
        return choose_within_limits(session, table, op, &demand, out_choice,
                                    error);
    }
    KC_RETURN_IF_ERROR(bound_choice(session, table, op, slot->planned_entry,
                                    out_choice, error));
    slot->primary = *out_choice;
    return KC_OK;
}

static void slot_release(kci_slot_t *slot)
{
    kci_choice_t *choice = slot->choices;
    while (choice != NULL) {
        kci_choice_t *next = choice->next;
        choice_destroy(choice);
        choice = next;
    }
    *slot = (kci_slot_t){0};
}

void kci_slot_table_release(kci_slot_table_t *table)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        slot_release(&table->slots[op]);
    }
    kci_profile_release(table->profile);
    table->profile = NULL;
}
