/* SPDX-License-Identifier: Apache-2.0
 *
 * Which row of the record each call belongs to, numbered in the order of the
 * first use, so that a run has nothing to look for.
 */
#include "exec/executor_state.h"

#include "base/alloc.h"
#include "base/error.h"

/* Rows of one entry are a short list: roles, and whom they serve. */
typedef struct row_index {
    uint32_t *heads; /* one an entry: 1 + the row, 0: none */
    uint32_t *links; /* one a row, likewise */
    size_t link_capacity;
} row_index_t;

static const kci_entry_t *entry_of(const kc_executor_t *executor,
                                   uint16_t entry)
{
    return entry == KCI_NO_ENTRY
               ? NULL
               : &executor->accepted->plan->profile->entries[entry];
}

static kc_status_t find_row(kc_executor_t *executor, row_index_t *index,
                            kci_call_role_t role, uint16_t entry,
                            uint16_t served, uint32_t *out_row,
                            kc_error_t *error)
{
    const kci_entry_t *server = entry_of(executor, served);
    void *rows = executor->rows;
    void *links = index->links;
    for (uint32_t i = index->heads[entry]; i != 0; i = index->links[i - 1]) {
        const kci_record_entry_t *row = &executor->rows[i - 1];
        if (row->role == role && row->served == server) {
            *out_row = i - 1;
            return KC_OK;
        }
    }
    KC_RETURN_IF_ERROR(kci_grow_array(&rows, &executor->row_capacity,
                                      executor->row_count + 1,
                                      sizeof *executor->rows, error));
    executor->rows = rows;
    KC_RETURN_IF_ERROR(kci_grow_array(&links, &index->link_capacity,
                                      executor->row_count + 1,
                                      sizeof *index->links, error));
    index->links = links;
    executor->rows[executor->row_count] = (kci_record_entry_t){
        .entry = entry_of(executor, entry), .served = server, .role = role};
    index->links[executor->row_count] = index->heads[entry];
    *out_row = (uint32_t)executor->row_count++;
    index->heads[entry] = *out_row + 1;
    return KC_OK;
}

/* Capsules of the forward come before rules of the backward, both in the
 * order in which they run; the events have room for all. */
static void list_events(kc_executor_t *executor)
{
    const kci_program_t *program = executor->program;
    kci_event_t *next = executor->events;
    for (size_t i = 0; i < program->composed_count; i++) {
        const kci_program_composed_t *capsule = &program->composed[i];
        *next++ = (kci_event_t){.step = capsule->first_step,
                                .node = capsule->node,
                                .row = capsule->entry};
    }
    for (size_t i = 0; i < program->rule_count; i++) {
        const kci_program_rule_t *rule = &program->rules[i];
        if (rule->is_composed) { /* others are calls */
            *next++ = (kci_event_t){.step = rule->first_step,
                                    .node = rule->node,
                                    .row = rule->entry,
                                    .rule = rule};
        }
    }
    next->step = UINT32_MAX;
}

/* Until here the `row` of an event is the entry. */
static kc_status_t number_event(kc_executor_t *executor, row_index_t *index,
                                kci_event_t *event, kc_error_t *error)
{
    return find_row(executor, index,
                    event->rule == NULL ? KCI_CALL_FORWARD : KCI_CALL_VJP,
                    (uint16_t)event->row, KCI_NO_ENTRY, &event->row, error);
}

static kc_status_t number_rows(kc_executor_t *executor, row_index_t *index,
                               kc_error_t *error)
{
    kci_event_t *event = executor->events;
    for (uint32_t i = 0; i < executor->step_count; i++) {
        const kci_program_step_t *step = &executor->program->steps[i];
        for (; event->step <= i; event++) {
            KC_RETURN_IF_ERROR(number_event(executor, index, event, error));
        }
        KC_RETURN_IF_ERROR(
            find_row(executor, index, (kci_call_role_t)step->role, step->entry,
                     step->served, &executor->steps[i].row, error));
    }
    for (; event->step != UINT32_MAX; event++) {
        KC_RETURN_IF_ERROR(number_event(executor, index, event, error));
    }
    return KC_OK;
}

kc_status_t kci_executor_make_rows(kc_executor_t *executor, kc_error_t *error)
{
    const kci_program_t *program = executor->program;
    row_index_t index = {NULL, NULL, 0};
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(program->composed_count + program->rule_count + 1,
                        sizeof(kci_event_t), &memory, error));
    executor->events = memory;
    list_events(executor);
    KC_RETURN_IF_ERROR(
        kci_alloc_array(executor->accepted->plan->profile->entry_count,
                        sizeof(uint32_t), &memory, error));
    index.heads = memory;
    kc_status_t status = number_rows(executor, &index, error);
    kci_free(index.heads);
    kci_free(index.links);
    return status;
}
