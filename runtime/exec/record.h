/* SPDX-License-Identifier: Apache-2.0
 *
 * The run record: written by the code that calls handlers, from what it
 * called. One entry a capsule, in first-use order.
 */
#ifndef KC_EXEC_RECORD_H
#define KC_EXEC_RECORD_H

#include "dispatch/bind.h"
#include "exec/call_role.h"
#include "plan/plan.h"

/* `entry` is the capsule that was called; of a rule of the tape
 * (KCI_CALL_VJP) the one whose forward it belongs to. `served` is the capsule
 * that an inner operation works for; NULL for the others. */
typedef struct kci_record_entry {
    const kci_entry_t *entry;  /* borrowed from the profile of the record */
    const kci_entry_t *served; /* likewise */
    kci_call_role_t role;
    uint64_t call_count; /* handlers entered, failing ones too; of a composed
                          * rule how often it was applied */
    uint64_t time_ns;    /* total; 0 unless time is kept */
} kci_record_entry_t;

typedef struct kci_run_record {
    kc_profile_t *profile; /* retained */
    kc_policy_t policy;    /* in force, e.g. VJP mode none */
    uint32_t thread_count;
    bool has_time;
    kci_record_entry_t *entries;
    size_t entry_count;
    size_t entry_capacity;
    /* Graph runs: which entry of the profile served which node, in node
     * order; from the bindings that were called. */
    kci_plan_row_t *nodes;
    size_t node_count;
    size_t node_capacity;
} kci_run_record_t;

void kci_run_record_release(kci_run_record_t *record);
/* Room for so many entries and nodes, so that recording cannot fail. */
KC_MUST_USE kc_status_t kci_run_record_reserve(kci_run_record_t *record,
                                               size_t entry_count,
                                               size_t node_count,
                                               kc_error_t *error);
/* The place of a capsule in a role, added if new; with room reserved it
 * cannot fail. */
KC_MUST_USE kc_status_t kci_run_record_entry(
    kci_run_record_t *record, kci_call_role_t role, const kci_entry_t *entry,
    const kci_entry_t *served, size_t *out_index, kc_error_t *error);
/* One call of the entry at that place. */
void kci_run_record_call(kci_run_record_t *record, size_t index,
                         uint64_t time_ns);

#endif
