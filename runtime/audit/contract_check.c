/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract check: which obligations of an audit rest on evidence that an
 * assurance does not accept. It reads evidence, never the trust label.
 */
#include "audit/audit.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"

/* Rows that were reported, found again by hash: a plan repeats few capsules
 * many times. */
typedef struct row_set {
    const kci_audit_row_t **slots; /* owned; a power of two of them */
    size_t slot_count;
    size_t used_count;
} row_set_t;

typedef struct report_list {
    kci_obligation_report_t *items;
    size_t count;
    size_t capacity;
} report_list_t;

/* FNV-1a over operation and name. */
static size_t hash_row(const kci_audit_row_t *row)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)row->op;
    for (const char *text = row->capsule->name; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return (size_t)(hash ^ hash >> 32);
}

static bool is_equal_row(const kci_audit_row_t *a, const kci_audit_row_t *b)
{
    return a->op == b->op && (a->capsule == b->capsule ||
                              kci_capsule_equal(a->capsule, b->capsule));
}

static const kci_audit_row_t **find_slot(const row_set_t *set,
                                         const kci_audit_row_t *row)
{
    size_t mask = set->slot_count - 1;
    size_t place = hash_row(row) & mask;
    while (set->slots[place] != NULL && !is_equal_row(set->slots[place], row)) {
        place = (place + 1) & mask;
    }
    return &set->slots[place];
}

static kc_status_t grow_set(row_set_t *set, kc_error_t *error)
{
    row_set_t grown = {NULL, set->slot_count == 0 ? 64 : set->slot_count * 2,
                       set->used_count};
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        grown.slot_count, sizeof(kci_audit_row_t *), &memory, error));
    grown.slots = memory;
    for (size_t idx = 0; idx < set->slot_count; idx++) {
        if (set->slots[idx] != NULL) {
            *find_slot(&grown, set->slots[idx]) = set->slots[idx];
        }
    }
    kci_free((void *)set->slots);
    *set = grown;
    return KC_OK;
}

/* `*out_is_new` says whether no equal row was in the set before. */
static kc_status_t add_to_set(row_set_t *set, const kci_audit_row_t *row,
                              bool *out_is_new, kc_error_t *error)
{
    if (set->used_count * 2 >= set->slot_count) {
        KC_RETURN_IF_ERROR(grow_set(set, error));
    }
    const kci_audit_row_t **slot = find_slot(set, row);
    *out_is_new = *slot == NULL;
    if (*out_is_new) {
        *slot = row;
        set->used_count++;
    }
    return KC_OK;
}

static bool is_accepted(const kc_policy_t *policy, const kci_audit_row_t *row)
{
    for (int32_t idx = 0; idx < KC_OBLIGATION_COUNT; idx++) {
        if (!kci_policy_accepts_evidence(
                policy, kci_capsule_obligation(row->capsule, idx))) {
            return false;
        }
    }
    return true;
}

static kc_status_t report_row(report_list_t *list, const kc_policy_t *policy,
                              const kci_audit_row_t *row, kc_error_t *error)
{
    for (int32_t idx = 0; idx < KC_OBLIGATION_COUNT; idx++) {
        const kc_contract_descriptor_t *descriptor =
            kci_capsule_obligation(row->capsule, idx);
        if (kci_policy_accepts_evidence(policy, descriptor)) {
            continue;
        }
        void *items = list->items;
        KC_RETURN_IF_ERROR(
            kci_grow_array(&items, &list->capacity, list->count + 1,
                           sizeof(kci_obligation_report_t), error));
        list->items = items;
        list->items[list->count++] =
            (kci_obligation_report_t){row->op, idx, row->capsule, descriptor};
    }
    return KC_OK;
}

static kc_status_t check_rows(const kc_policy_t *policy,
                              const kci_audit_t *audit, row_set_t *set,
                              report_list_t *list, kc_error_t *error)
{
    for (size_t idx = 0; idx < audit->row_count; idx++) {
        const kci_audit_row_t *row = &audit->rows[idx];
        if (is_accepted(policy, row)) {
            continue;
        }
        bool is_new = false;
        KC_RETURN_IF_ERROR(add_to_set(set, row, &is_new, error));
        if (is_new) {
            KC_RETURN_IF_ERROR(report_row(list, policy, row, error));
        }
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
    kci_free((void *)set.slots);
    if (status != KC_OK) {
        kci_free(list.items);
        return status;
    }
    *out = list.items;
    *out_count = list.count;
    return KC_OK;
}
