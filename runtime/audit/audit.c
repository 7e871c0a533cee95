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

static void fill_rows(const kc_plan_t *plan, const kci_group_t *groups,
                      kci_audit_row_t *rows, size_t count)
{
    for (size_t idx = 0; idx < count; idx++) {
        const kci_plan_row_t *row = &plan->rows[groups[idx].first_row];
        rows[idx].op = row->op;
        rows[idx].first_node = row->node;
        rows[idx].capsule = *plan->profile->entries[row->entry].capsule;
    }
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
    void *memory = NULL;
    kc_status_t status =
        kci_alloc_array(count, sizeof(kci_audit_row_t), &memory, error);
    if (status == KC_OK) {
        fill_rows(plan, groups, memory, count);
        out_audit->rows = memory;
        out_audit->row_count = count;
    }
    kci_free(groups);
    return status;
}

void kci_audit_release(kci_audit_t *audit)
{
    kci_free(audit->rows);
    audit->rows = NULL;
    audit->row_count = 0;
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
            !kci_capsule_equal(&left->capsule, &right->capsule)) {
            return false;
        }
    }
    return true;
}
