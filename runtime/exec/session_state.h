/* SPDX-License-Identifier: Apache-2.0
 *
 * What a session keeps: for each operation the capsules it has planned,
 * accepted and bound, and the record of what it called.
 */
#ifndef KC_EXEC_SESSION_STATE_H
#define KC_EXEC_SESSION_STATE_H

#include <stdatomic.h>
#include "exec/session.h"

#define KCI_NOT_RECORDED SIZE_MAX

/* One accepted and bound capsule. The binding of a composition (provider
 * torchlean) has no handler: the session runs what it is composed of. */
typedef struct kci_choice {
    uint16_t entry;
    kc_accepted_kernel_t *kernel; /* owned: the gate's word for it */
    kci_binding_t binding;
    /* Where the last call of it is in the record: KCI_NOT_RECORDED until
     * called. One of a session's own operations is always in one place. */
    size_t record_index;
    kci_call_role_t role;
    const kci_entry_t *served;
    struct kci_choice *next; /* others of the same operation */
} kci_choice_t;

/* The capsule that the planner gives without a look at operands serves as
 * long as they keep its limits; others are planned again with what they are. */
typedef struct kci_slot {
    kci_choice_t *primary; /* NULL until bound; owned through `choices` */
    kci_choice_t *choices; /* owned list, all that were bound */
    bool is_planned;
    uint16_t planned_entry;
    kci_flat_limits_t planned_limits;
    bool has_last; /* the last answer for broken limits */
    kci_demand_t last_demand;
    kci_choice_t *last_choice;
} kci_slot_t;

/* The answers under one policy. */
typedef struct kci_slot_table {
    /* Retained; planned under its policy. Entries of the answers are places
     * in the catalogue, which are the same in the session's own profile. */
    kc_profile_t *profile;
    kci_slot_t slots[KC_OP_COUNT];
} kci_slot_table_t;

struct kc_session {
    _Atomic int reference_count;
    kci_host_t *host;      /* retained */
    kc_profile_t *profile; /* retained; with the policy in force */
    kci_run_record_t record;
    uint64_t random_counter;
    kci_slot_table_t own;   /* what was asked for */
    kci_slot_table_t inner; /* what compositions are made of */
};

/* Why a call is made, for the record. */
typedef struct kci_call_reason {
    kci_call_role_t role;
    const kci_entry_t *served; /* NULL unless an inner operation */
} kci_call_reason_t;

/* For operands that the primary of the slot cannot take, or when there is
 * none yet. */
KC_MUST_USE kc_status_t kci_session_choose(
    kc_session_t *session, kci_slot_table_t *table, int32_t op,
    const DLTensor *const *inputs, size_t input_count, const DLTensor *output,
    kci_choice_t **out_choice, kc_error_t *error);
void kci_slot_table_release(kci_slot_table_t *table);

/* One call with everything checked; tells which capsule was asked. */
KC_MUST_USE kc_status_t kci_session_call(kc_session_t *session, int32_t op,
                                         const kc_attributes_t *attributes,
                                         const DLTensor *const *inputs,
                                         size_t input_count, DLTensor *output,
                                         const kci_choice_t **out_choice,
                                         kc_error_t *error);
/* An inner operation; `reason` says of what. */
KC_MUST_USE kc_status_t kci_session_call_inner(
    kc_session_t *session, int32_t op, const kc_attributes_t *attributes,
    const DLTensor *const *inputs, size_t input_count, DLTensor *output,
    const kci_call_reason_t *reason, kc_error_t *error);
/* A capsule that is a composition, with everything checked: the operations
 * it is made of. `attributes` are resolved in place. */
KC_MUST_USE kc_status_t kci_session_call_composed(
    kc_session_t *session, const kci_choice_t *choice,
    kc_attributes_t *attributes, const DLTensor *const *inputs,
    size_t input_count, DLTensor *output, kc_error_t *error);

#endif
