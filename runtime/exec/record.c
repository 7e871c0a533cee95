/* SPDX-License-Identifier: Apache-2.0
 *
 * The run record as a list: places are found by the entry's address, which
 * the profile keeps for as long as the record lives.
 */
#include "exec/record.h"

#include "base/alloc.h"
#include "base/error.h"

void kci_run_record_release(kci_run_record_t *record)
{
    kci_free(record->entries);
    kci_free(record->nodes);
    kci_profile_release(record->profile);
    *record = (kci_run_record_t){0};
}

kc_status_t kci_run_record_reserve(kci_run_record_t *record, size_t entry_count,
                                   size_t node_count, kc_error_t *error)
{
    void *entries = record->entries;
    void *nodes = record->nodes;
    KC_RETURN_IF_ERROR(kci_grow_array(&entries, &record->entry_capacity,
                                      entry_count, sizeof *record->entries,
                                      error));
    record->entries = entries;
    KC_RETURN_IF_ERROR(kci_grow_array(&nodes, &record->node_capacity,
                                      node_count, sizeof *record->nodes,
                                      error));
    record->nodes = nodes;
    return KC_OK;
}

kc_status_t kci_run_record_entry(kci_run_record_t *record, kci_call_role_t role,
                                 const kci_entry_t *entry,
                                 const kci_entry_t *served, size_t *out_index,
                                 kc_error_t *error)
{
    for (size_t i = 0; i < record->entry_count; i++) {
        const kci_record_entry_t *known = &record->entries[i];
        if (known->entry == entry && known->served == served &&
            known->role == role) {
            *out_index = i;
            return KC_OK;
        }
    }
    KC_RETURN_IF_ERROR(kci_run_record_reserve(record, record->entry_count + 1,
                                              record->node_count, error));
    record->entries[record->entry_count] =
        (kci_record_entry_t){.entry = entry, .served = served, .role = role};
    *out_index = record->entry_count++;
    return KC_OK;
}

void kci_run_record_call(kci_run_record_t *record, size_t index,
                         uint64_t time_ns)
{
    record->entries[index].call_count++;
    record->entries[index].time_ns += time_ns;
}
