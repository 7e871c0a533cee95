/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the inner operations of a plan come from: a plan with gradients has
 * decided them node by node; of any other the table of operations says what
 * its capsules may need, and the inner choice who would serve it.
 */
#include "audit/inner_rows.h"

#include "audit/key_set.h"
#include "base/alloc.h"
#include "base/error.h"

static kc_status_t append(kci_inner_rows_t *rows, const kci_inner_row_t *row,
                          kc_error_t *error)
{
    void *items = rows->items;
    KC_RETURN_IF_ERROR(kci_grow_array(&items, &rows->capacity, rows->count + 1,
                                      sizeof(kci_inner_row_t), error));
    rows->items = items;
    rows->items[rows->count++] = *row;
    return KC_OK;
}

static kc_status_t append_ops(const kci_inner_plan_t *inner, uint64_t ops,
                              kc_call_kind_t kind, uint32_t owner,
                              kci_inner_rows_t *rows, kc_error_t *error)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        if ((ops & KCI_OP_BIT(op)) == 0) {
            continue;
        }
        kci_inner_row_t row = {.owner = owner,
                               .op = (uint16_t)op,
                               .entry =
                                   kci_shortlist_find(&inner->list, op, NULL),
                               .kind = (uint8_t)kind};
        KC_RETURN_IF_ERROR(append(rows, &row, error));
    }
    return KC_OK;
}

kc_status_t kci_inner_rows_add(const kci_inner_plan_t *inner,
                               const kc_policy_t *policy,
                               const kc_capsule_record_t *capsule,
                               uint32_t owner, kci_inner_rows_t *rows,
                               kc_error_t *error)
{
    KC_RETURN_IF_ERROR(append_ops(inner, kci_inner_forward_ops(capsule),
                                  KC_CALL_INNER_FORWARD, owner, rows, error));
    return append_ops(inner, kci_inner_vjp_ops(policy, capsule),
                      KC_CALL_INNER_VJP, owner, rows, error);
}

static kc_status_t add_by_operation(const kc_plan_t *plan,
                                    const kc_policy_t *policy,
                                    const kci_group_t *groups, size_t count,
                                    kci_inner_rows_t *rows, kc_error_t *error)
{
    kci_inner_plan_t inner;
    KC_RETURN_IF_ERROR(
        kci_inner_plan_create(plan->profile, policy, &inner, error));
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < count && status == KC_OK; idx++) {
        uint16_t entry = plan->rows[groups[idx].first_row].entry;
        if (entry == KCI_NO_ENTRY) {
            continue;
        }
        status = kci_inner_rows_add(&inner, policy,
                                    plan->profile->entries[entry].capsule,
                                    (uint32_t)idx, rows, error);
    }
    kci_inner_plan_release(&inner);
    return status;
}

/* The last group that begins at or before the node; rows are in the order of
 * nodes, and every node with inner operations of its own has a row. */
static uint32_t group_of(const kc_plan_t *plan, const kci_group_t *groups,
                         size_t count, uint32_t node)
{
    size_t low = 0;
    size_t high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (plan->rows[groups[middle].first_row].node <= node) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

static kc_status_t add_planned(const kc_plan_t *plan, const kci_group_t *groups,
                               size_t count, kci_inner_rows_t *rows,
                               kc_error_t *error)
{
    kci_key_set_t seen = {NULL, 0, 0};
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < plan->sub_row_count && status == KC_OK; idx++) {
        const kci_sub_row_t *sub = &plan->sub_rows[idx];
        uint32_t owner = sub->role == KC_CALL_SUM
                             ? KCI_NO_OWNER
                             : group_of(plan, groups, count, sub->node);
        kci_inner_row_t row = {.owner = owner,
                               .op = sub->op,
                               .entry = sub->entry,
                               .kind = sub->role};
        uint64_t key = (uint64_t)row.owner << 32 | (uint64_t)row.kind << 24 |
                       (uint64_t)row.op << 16;
        bool is_new = false;
        status = kci_key_set_add(&seen, key | row.entry, &is_new, error);
        if (status == KC_OK && is_new) {
            status = append(rows, &row, error);
        }
    }
    kci_key_set_release(&seen);
    return status;
}

static size_t bucket_of(const kci_inner_row_t *row, size_t owner_count)
{
    return row->owner == KCI_NO_OWNER ? owner_count : row->owner;
}

/* Forward rows run by rising, the others by falling node: counted out into
 * the order of owners; rows of one owner stay in their order. */
static kc_status_t sort_by_owner(kci_inner_rows_t *rows, size_t owner_count,
                                 kc_error_t *error)
{
    void *places = NULL;
    void *sorted = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(owner_count + 2, sizeof(size_t), &places, error));
    kc_status_t status =
        kci_alloc_array(rows->count, sizeof(kci_inner_row_t), &sorted, error);
    if (status != KC_OK) {
        kci_free(places);
        return status;
    }
    size_t *next = places;
    for (size_t idx = 0; idx < rows->count; idx++) {
        next[bucket_of(&rows->items[idx], owner_count) + 1]++;
    }
    for (size_t owner = 1; owner <= owner_count + 1; owner++) {
        next[owner] += next[owner - 1];
    }
    for (size_t idx = 0; idx < rows->count; idx++) {
        size_t bucket = bucket_of(&rows->items[idx], owner_count);
        ((kci_inner_row_t *)sorted)[next[bucket]++] = rows->items[idx];
    }
    kci_free(places);
    kci_free(rows->items);
    rows->items = sorted;
    rows->capacity = rows->count;
    return KC_OK;
}

kc_status_t kci_inner_rows_create(const kc_plan_t *plan,
                                  const kc_policy_t *policy,
                                  const kci_group_t *groups, size_t group_count,
                                  kci_inner_rows_t *out_rows, kc_error_t *error)
{
    kci_inner_rows_t rows = {NULL, 0, 0};
    kc_status_t status = KC_OK;
    if (plan->program == NULL) {
        status =
            add_by_operation(plan, policy, groups, group_count, &rows, error);
    } else {
        status = add_planned(plan, groups, group_count, &rows, error);
        if (status == KC_OK) {
            status = sort_by_owner(&rows, group_count, error);
        }
    }
    if (status != KC_OK) {
        kci_inner_rows_release(&rows);
        return status;
    }
    *out_rows = rows;
    return KC_OK;
}

void kci_inner_rows_release(kci_inner_rows_t *rows)
{
    kci_free(rows->items);
    *rows = (kci_inner_rows_t){NULL, 0, 0};
}
