/* SPDX-License-Identifier: Apache-2.0
 *
 * Audit rows: what a plan rests on, copied out of the catalogue so that an
 * audit can be stored and compared after everything else is gone.
 */
#include "audit/audit.h"

#include "base/alloc.h"
#include "base/error.h"

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

/* Copies the capsules of the groups, each once. `places[entry]` becomes one
 * more than its place among the copies. */
static kc_status_t copy_capsules(const kc_plan_t *plan,
                                 const kci_group_t *groups, size_t count,
                                 uint32_t *places, kci_audit_t *audit,
                                 kc_error_t *error)
{
    uint32_t used = 0;
    for (size_t idx = 0; idx < count; idx++) {
        uint16_t entry = plan->rows[groups[idx].first_row].entry;
        if (places[entry] == 0) {
            places[entry] = ++used;
        }
    }
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(used, sizeof(kc_capsule_record_t), &memory, error));
    audit->capsules = memory;
    audit->capsule_count = used;
    for (size_t idx = 0; idx < plan->profile->entry_count; idx++) {
        if (places[idx] != 0) {
            audit->capsules[places[idx] - 1] =
                *plan->profile->entries[idx].capsule;
        }
    }
    return KC_OK;
}

static kc_status_t fill_rows(const kc_plan_t *plan, const kci_group_t *groups,
                             size_t count, const uint32_t *places,
                             kci_audit_t *audit, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kci_audit_row_t), &memory, error));
    audit->rows = memory;
    audit->row_count = count;
    for (size_t idx = 0; idx < count; idx++) {
        const kci_plan_row_t *row = &plan->rows[groups[idx].first_row];
        audit->rows[idx] = (kci_audit_row_t){
            row->op, row->node, &audit->capsules[places[row->entry] - 1]};
    }
    return KC_OK;
}

static kc_status_t fill_audit(const kc_plan_t *plan, const kci_group_t *groups,
                              size_t count, kci_audit_t *audit,
                              kc_error_t *error)
{
    void *places = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(plan->profile->entry_count,
                                       sizeof(uint32_t), &places, error));
    kc_status_t status =
        copy_capsules(plan, groups, count, places, audit, error);
    if (status == KC_OK) {
        status = fill_rows(plan, groups, count, places, audit, error);
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
    kci_audit_t audit = {NULL, 0, NULL, 0};
    kc_status_t status = fill_audit(plan, groups, count, &audit, error);
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
    kci_free(audit->capsules);
    *audit = (kci_audit_t){NULL, 0, NULL, 0};
}

bool kci_audit_equal(const kci_audit_t *a, const kci_audit_t *b)
{
    if (a->row_count != b->row_count) {
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
    return true;
}
