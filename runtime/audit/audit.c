/* SPDX-License-Identifier: Apache-2.0
 *
 * Audit rows: what a plan rests on, copied out of the catalogue so that an
 * audit can be stored and compared after everything else is gone.
 */
#include "audit/audit.h"

#include "audit/inner_rows.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

static kc_status_t fail_unplanned(const kc_plan_t *plan, kc_error_t *error)
{
    for (size_t idx = 0; idx < plan->row_count; idx++) {
        if (plan->rows[idx].entry == KCI_NO_ENTRY) {
            char line[KC_ERROR_MESSAGE_SIZE];
            kci_plan_failure_line(plan, &plan->rows[idx], line, sizeof line);
            return kci_fail(error, KC_ERR_NO_CAPSULE, "%s", line);
        }
    }
    return KC_OK;
}

/* What an audit is made from; all borrowed. `places[entry]` becomes one more
 * than the place of the entry's capsule among the copies. */
typedef struct source {
    const kc_plan_t *plan;
    const kci_group_t *groups;
    size_t group_count;
    const kci_inner_rows_t *inner;
    uint32_t *places;
    uint32_t used;
} source_t;

static void use_entry(source_t *source, uint16_t entry)
{
    if (source->places[entry] == 0) {
        source->places[entry] = ++source->used;
    }
}

static const kci_plan_row_t *row_of(const source_t *source, size_t group)
{
    return &source->plan->rows[source->groups[group].first_row];
}

static kc_status_t fail_inner(const source_t *source,
                              const kci_inner_row_t *row, kc_error_t *error)
{
    const kc_profile_t *profile = source->plan->profile;
    if (row->owner == KCI_NO_OWNER) {
        return kci_fail(error, KC_ERR_NO_CAPSULE,
                        "sum of cotangents: operation %s: no admissible "
                        "capsule on device %s",
                        kci_label(&kci_ops, row->op),
                        kci_label(&kci_devices, profile->policy.device));
    }
    const kci_plan_row_t *owner = row_of(source, row->owner);
    return kci_fail(error, KC_ERR_NO_CAPSULE,
                    "op %s, capsule %s: inner operation %s: no admissible "
                    "capsule on device %s",
                    kci_label(&kci_ops, owner->op),
                    profile->entries[owner->entry].capsule->name,
                    kci_label(&kci_ops, row->op),
                    kci_label(&kci_devices, profile->policy.device));
}

/* Copies the capsules of groups and inner operations, each once. */
static kc_status_t copy_capsules(source_t *source, kci_audit_t *audit,
                                 kc_error_t *error)
{
    const kc_profile_t *profile = source->plan->profile;
    for (size_t idx = 0; idx < source->group_count; idx++) {
        use_entry(source, row_of(source, idx)->entry);
    }
    for (size_t idx = 0; idx < source->inner->count; idx++) {
        const kci_inner_row_t *row = &source->inner->items[idx];
        if (row->entry == KCI_NO_ENTRY) {
            return fail_inner(source, row, error);
        }
        use_entry(source, row->entry);
    }
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        source->used, sizeof(kc_capsule_record_t), &memory, error));
    audit->capsules = memory;
    audit->capsule_count = source->used;
    for (size_t idx = 0; idx < profile->entry_count; idx++) {
        if (source->places[idx] != 0) {
            audit->capsules[source->places[idx] - 1] =
                *profile->entries[idx].capsule;
        }
    }
    return KC_OK;
}

static const kc_capsule_record_t *
copy_of(const source_t *source, const kci_audit_t *audit, uint16_t entry)
{
    return &audit->capsules[source->places[entry] - 1];
}

static kc_status_t fill_rows(const source_t *source, kci_audit_t *audit,
                             kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        source->group_count, sizeof(kci_audit_row_t), &memory, error));
    audit->rows = memory;
    audit->row_count = source->group_count;
    for (size_t idx = 0; idx < source->group_count; idx++) {
        const kci_plan_row_t *row = row_of(source, idx);
        audit->rows[idx] = (kci_audit_row_t){
            row->op, row->node, copy_of(source, audit, row->entry)};
    }
    KC_RETURN_IF_ERROR(kci_alloc_array(
        source->inner->count, sizeof(kci_audit_sub_row_t), &memory, error));
    audit->sub_rows = memory;
    audit->sub_row_count = source->inner->count;
    for (size_t idx = 0; idx < source->inner->count; idx++) {
        const kci_inner_row_t *row = &source->inner->items[idx];
        size_t owner =
            row->owner == KCI_NO_OWNER ? KCI_NO_AUDIT_ROW : row->owner;
        audit->sub_rows[idx] = (kci_audit_sub_row_t){
            owner, row->op, row->kind, copy_of(source, audit, row->entry)};
    }
    return KC_OK;
}

static kc_status_t fill_audit(source_t *source, kci_audit_t *audit,
                              kc_error_t *error)
{
    void *places = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(source->plan->profile->entry_count,
                                       sizeof(uint32_t), &places, error));
    source->places = places;
    kc_status_t status = copy_capsules(source, audit, error);
    if (status == KC_OK) {
        status = fill_rows(source, audit, error);
    }
    kci_free(places);
    return status;
}

kc_status_t kci_audit_create(const kc_plan_t *plan, kci_audit_t *out_audit,
                             kc_error_t *error)
{
    if (plan->failure_count > 0) {
        return fail_unplanned(plan, error);
    }
    kci_group_t *groups = NULL;
    size_t count = 0;
    KC_RETURN_IF_ERROR(kci_plan_group(plan, &groups, &count, error));
    kci_inner_rows_t inner = {NULL, 0, 0};
    kci_audit_t audit = {NULL, 0, NULL, 0, NULL, 0};
    kc_status_t status = kci_inner_rows_create(plan, &plan->profile->policy,
                                               groups, count, &inner, error);
    if (status == KC_OK) {
        source_t source = {plan, groups, count, &inner, NULL, 0};
        status = fill_audit(&source, &audit, error);
    }
    kci_inner_rows_release(&inner);
    kci_free(groups);
    if (status != KC_OK) {
        kci_audit_release(&audit);
        return status;
    }
    *out_audit = audit;
    return KC_OK;
}

void kci_audit_release(kci_audit_t *audit)
{
    kci_free(audit->rows);
    kci_free(audit->sub_rows);
    kci_free(audit->capsules);
    *audit = (kci_audit_t){NULL, 0, NULL, 0, NULL, 0};
}

static bool has_equal_sub_row(const kci_audit_sub_row_t *a,
                              const kci_audit_sub_row_t *b)
{
    return a->row == b->row && a->op == b->op && a->kind == b->kind &&
           kci_capsule_equal(a->capsule, b->capsule);
}

bool kci_audit_equal(const kci_audit_t *a, const kci_audit_t *b)
{
    if (a->row_count != b->row_count || a->sub_row_count != b->sub_row_count) {
        return false;
    }
    for (size_t idx = 0; idx < a->row_count; idx++) {
        const kci_audit_row_t *left = &a->rows[idx];
        const kci_audit_row_t *right = &b->rows[idx];
        if (left->op != right->op || left->first_node != right->first_node ||
            !kci_capsule_equal(left->capsule, right->capsule)) {
            return false;
        }
    }
    for (size_t idx = 0; idx < a->sub_row_count; idx++) {
        if (!has_equal_sub_row(&a->sub_rows[idx], &b->sub_rows[idx])) {
            return false;
        }
    }
    return true;
}
