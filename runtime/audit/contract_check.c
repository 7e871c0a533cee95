/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract check: which obligations of an audit rest on evidence that an
 * assurance does not accept. It reads evidence, never the trust label.
 */
#include "audit/audit.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"

/* Somebody's operation by a capsule; `served` is no part of its identity. */
typedef struct subject {
    int32_t op;
    const kc_capsule_record_t *capsule; /* NULL: a free slot */
    const kc_capsule_record_t *served;
} subject_t;

/* Those that were reported, found again by hash: a plan repeats few capsules
 * many times. */
typedef struct row_set {
    subject_t *slots; /* owned; a power of two of them */
    size_t slot_count;
    size_t used_count;
} row_set_t;

typedef struct report_list {
    kci_obligation_report_t *items;
    size_t count;
    size_t capacity;
} report_list_t;

/* FNV-1a over operation and name. */
static size_t hash_subject(const subject_t *subject)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)subject->op;
    for (const char *text = subject->capsule->name; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return (size_t)(hash ^ hash >> 32);
}

static bool is_equal(const subject_t *a, const subject_t *b)
{
    return a->op == b->op && (a->capsule == b->capsule ||
                              kci_capsule_equal(a->capsule, b->capsule));
}

static subject_t *find_slot(const row_set_t *set, const subject_t *subject)
{
    size_t mask = set->slot_count - 1;
    size_t place = hash_subject(subject) & mask;
    while (set->slots[place].capsule != NULL &&
           !is_equal(&set->slots[place], subject)) {
        place = (place + 1) & mask;
    }
    return &set->slots[place];
}

static kc_status_t grow_set(row_set_t *set, kc_error_t *error)
{
    row_set_t grown = {NULL, set->slot_count == 0 ? 64 : set->slot_count * 2,
                       set->used_count};
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(grown.slot_count, sizeof(subject_t), &memory, error));
    grown.slots = memory;
    for (size_t idx = 0; idx < set->slot_count; idx++) {
        if (set->slots[idx].capsule != NULL) {
            *find_slot(&grown, &set->slots[idx]) = set->slots[idx];
        }
    }
    kci_free(set->slots);
    *set = grown;
    return KC_OK;
}

/* `*out_is_new` says whether no equal row was in the set before. */
static kc_status_t add_to_set(row_set_t *set, const subject_t *subject,
                              bool *out_is_new, kc_error_t *error)
{
    if (set->used_count * 2 >= set->slot_count) {
        KC_RETURN_IF_ERROR(grow_set(set, error));
    }
    subject_t *slot = find_slot(set, subject);
    *out_is_new = slot->capsule == NULL;
    if (*out_is_new) {
        *slot = *subject;
        set->used_count++;
    }
    return KC_OK;
}

static bool is_accepted(const kc_policy_t *policy, const subject_t *subject)
{
    for (int32_t idx = 0; idx < KC_OBLIGATION_COUNT; idx++) {
        if (!kci_policy_accepts_evidence(
                policy, kci_capsule_obligation(subject->capsule, idx))) {
            return false;
        }
    }
    return true;
}

static kc_status_t report_subject(report_list_t *list,
                                  const kc_policy_t *policy,
                                  const subject_t *subject, kc_error_t *error)
{
    for (int32_t idx = 0; idx < KC_OBLIGATION_COUNT; idx++) {
        const kc_contract_descriptor_t *descriptor =
            kci_capsule_obligation(subject->capsule, idx);
        if (kci_policy_accepts_evidence(policy, descriptor)) {
            continue;
        }
        void *items = list->items;
        KC_RETURN_IF_ERROR(
            kci_grow_array(&items, &list->capacity, list->count + 1,
                           sizeof(kci_obligation_report_t), error));
        list->items = items;
        list->items[list->count++] = (kci_obligation_report_t){
            subject->op, idx, subject->capsule, descriptor, subject->served};
    }
    return KC_OK;
}

static kc_status_t check_subject(const kc_policy_t *policy,
                                 const subject_t *subject, row_set_t *set,
                                 report_list_t *list, kc_error_t *error)
{
    if (is_accepted(policy, subject)) {
        return KC_OK;
    }
    bool is_new = false;
    KC_RETURN_IF_ERROR(add_to_set(set, subject, &is_new, error));
    return is_new ? report_subject(list, policy, subject, error) : KC_OK;
}

static kc_status_t check_rows(const kc_policy_t *policy,
                              const kci_audit_t *audit, row_set_t *set,
                              report_list_t *list, kc_error_t *error)
{
    for (size_t idx = 0; idx < audit->row_count; idx++) {
        const kci_audit_row_t *row = &audit->rows[idx];
        subject_t subject = {row->op, row->capsule, NULL};
        KC_RETURN_IF_ERROR(check_subject(policy, &subject, set, list, error));
    }
    for (size_t idx = 0; idx < audit->sub_row_count; idx++) {
        const kci_audit_sub_row_t *row = &audit->sub_rows[idx];
        subject_t subject = {row->op, row->capsule, NULL};
        if (row->row != KCI_NO_AUDIT_ROW) {
            subject.served = audit->rows[row->row].capsule;
        }
        KC_RETURN_IF_ERROR(check_subject(policy, &subject, set, list, error));
    }
    return KC_OK;
}

kc_status_t kci_check_contracts(const kc_policy_t *policy,
                                const kci_audit_t *audit,
                                kci_obligation_report_t **out,
                                size_t *out_count, kc_error_t *error)
{
    row_set_t set = {NULL, 0, 0};
    report_list_t list = {NULL, 0, 0};
    kc_status_t status = check_rows(policy, audit, &set, &list, error);
    kci_free(set.slots);
    if (status != KC_OK) {
        kci_free(list.items);
        return status;
    }
    *out = list.items;
    *out_count = list.count;
    return KC_OK;
}
