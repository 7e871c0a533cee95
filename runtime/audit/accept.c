/* SPDX-License-Identifier: Apache-2.0
 *
 * The gate: the only maker of accepted kernels and accepted plans. The full
 * policy is asked again here, whoever made the plan.
 */
#include "audit/accept_failures.h"
#include "audit/key_set.h"

#include "base/alloc.h"
#include "base/error.h"
#include "registry/policy.h"

static kc_status_t reject(kci_failure_list_t *failures,
                          kci_acceptance_failure_t **out_failures,
                          size_t *out_failure_count, kc_error_t *error)
{
    kc_status_t status =
        kci_fail(error, KC_ERR_REJECTED, "%s", failures->items[0].line);
    if (out_failure_count != NULL) {
        *out_failure_count = failures->count;
    }
    if (out_failures != NULL) {
        *out_failures = failures->items;
    } else {
        kci_free(failures->items);
    }
    return status;
}

static void report_none(kci_acceptance_failure_t **out_failures,
                        size_t *out_failure_count)
{
    if (out_failures != NULL) {
        *out_failures = NULL;
    }
    if (out_failure_count != NULL) {
        *out_failure_count = 0;
    }
}

static kc_status_t create_kernel(kc_profile_t *profile,
                                 const kc_policy_t *policy, int32_t op,
                                 uint16_t entry,
                                 kc_accepted_kernel_t **out_kernel,
                                 kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kc_accepted_kernel_t), &memory, error));
    kc_accepted_kernel_t *kernel = memory;
    atomic_init(&kernel->reference_count, 1);
    kernel->op = op;
    kernel->entry = entry;
    kernel->profile = kci_profile_retain(profile);
    kernel->policy = *policy;
    *out_kernel = kernel;
    return KC_OK;
}

static kc_status_t check_request(const kc_profile_t *profile,
                                 const kc_policy_t *policy, int32_t op,
                                 uint16_t entry, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_policy_check(policy, error));
    if (op < 0 || op >= KC_OP_COUNT) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "operation %d: expected 0 to %d", op, KC_OP_COUNT - 1);
    }
    if (entry >= profile->entry_count) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "capsule %u: expected a place below %zu in the "
                        "catalogue",
                        (unsigned)entry, profile->entry_count);
    }
    return KC_OK;
}

/* The capsule and the inner operations that it brings along. */
static kc_status_t judge_kernel(const kc_profile_t *profile,
                                const kc_policy_t *policy, int32_t op,
                                uint16_t entry, kci_failure_list_t *failures,
                                kc_error_t *error)
{
    const kc_capsule_record_t *capsule = profile->entries[entry].capsule;
    KC_RETURN_IF_ERROR(
        kci_acceptance_judge(profile, policy, op, entry, failures, error));
    if (kci_policy_inner_ops(policy, capsule) == 0) {
        return KC_OK;
    }
    kci_inner_plan_t inner;
    KC_RETURN_IF_ERROR(kci_inner_plan_create(profile, policy, &inner, error));
    kci_inner_rows_t rows = {NULL, 0, 0};
    kc_status_t status =
        kci_inner_rows_add(&inner, policy, capsule, 0, &rows, error);
    for (size_t idx = 0; idx < rows.count && status == KC_OK; idx++) {
        status = kci_acceptance_judge_inner(profile, &inner.policy, op, entry,
                                            &rows.items[idx], failures, error);
    }
    kci_inner_rows_release(&rows);
    kci_inner_plan_release(&inner);
    return status;
}

kc_status_t kci_accept_kernel(kc_profile_t *profile, const kc_policy_t *policy,
                              int32_t planned_op, uint16_t entry,
                              kc_accepted_kernel_t **out_kernel,
                              kci_acceptance_failure_t **out_failures,
                              size_t *out_failure_count, kc_error_t *error)
{
    report_none(out_failures, out_failure_count);
    KC_RETURN_IF_ERROR(
        check_request(profile, policy, planned_op, entry, error));
    kci_failure_list_t failures = {NULL, 0, 0};
    kc_status_t status =
        judge_kernel(profile, policy, planned_op, entry, &failures, error);
    if (status != KC_OK) {
        kci_free(failures.items);
        return status;
    }
    if (failures.count > 0) {
        return reject(&failures, out_failures, out_failure_count, error);
    }
    return create_kernel(profile, policy, planned_op, entry, out_kernel, error);
}

/* Asks once for each pair of operation and capsule: `asked[entry]` has a bit
 * for each operation. */
static kc_status_t judge_groups(const kc_plan_t *plan,
                                const kc_policy_t *policy,
                                const kci_group_t *groups, size_t count,
                                kci_failure_list_t *failures, kc_error_t *error)
{
    KC_STATIC_ASSERT(KC_OP_COUNT <= 64, "one bit an operation");
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(plan->profile->entry_count,
                                       sizeof(uint64_t), &memory, error));
    uint64_t *asked = memory;
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < count && status == KC_OK; idx++) {
        const kci_plan_row_t *row = &plan->rows[groups[idx].first_row];
        uint64_t bit = UINT64_C(1) << row->op;
        if ((asked[row->entry] & bit) == 0) {
            asked[row->entry] |= bit;
            status = kci_acceptance_judge(plan->profile, policy, row->op,
                                          row->entry, failures, error);
        }
    }
    kci_free(memory);
    return status;
}

/* `owner` is NULL for the sums of the tape, which belong to no capsule. */
static kc_status_t
judge_inner_row(const kc_plan_t *plan, const kc_policy_t *inner_policy,
                const kci_plan_row_t *owner, const kci_inner_row_t *row,
                kci_failure_list_t *failures, kc_error_t *error)
{
    if (owner != NULL) {
        return kci_acceptance_judge_inner(plan->profile, inner_policy,
                                          owner->op, owner->entry, row,
                                          failures, error);
    }
    KC_RETURN_IF_ERROR(
        check_request(plan->profile, inner_policy, row->op, row->entry, error));
    return kci_acceptance_judge(plan->profile, inner_policy, row->op,
                                row->entry, failures, error);
}

/* Asks once for each pair of pairs, whichever rule or composition it is. */
static kc_status_t
judge_inner_rows(const kc_plan_t *plan, const kc_policy_t *policy,
                 const kci_group_t *groups, const kci_inner_rows_t *rows,
                 kci_failure_list_t *failures, kc_error_t *error)
{
    kc_policy_t inner = kci_inner_policy(policy);
    kci_key_set_t asked = {NULL, 0, 0};
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < rows->count && status == KC_OK; idx++) {
        const kci_inner_row_t *row = &rows->items[idx];
        const kci_plan_row_t *owner =
            row->owner == KCI_NO_OWNER
                ? NULL
                : &plan->rows[groups[row->owner].first_row];
        uint64_t key = (uint64_t)row->op << 16 | row->entry;
        if (owner != NULL) {
            key |= (uint64_t)(owner->op + 1) << 40 | (uint64_t)owner->entry
                                                         << 24;
        }
        bool is_new = false;
        status = kci_key_set_add(&asked, key, &is_new, error);
        if (status == KC_OK && is_new) {
            status = judge_inner_row(plan, &inner, owner, row, failures, error);
        }
    }
    kci_key_set_release(&asked);
    return status;
}

static kc_status_t judge_plan(const kc_plan_t *plan, const kc_policy_t *policy,
                              const kci_group_t *groups, size_t count,
                              kci_failure_list_t *failures, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        judge_groups(plan, policy, groups, count, failures, error));
    kci_inner_rows_t rows;
    KC_RETURN_IF_ERROR(
        kci_inner_rows_create(plan, policy, groups, count, &rows, error));
    kc_status_t status =
        judge_inner_rows(plan, policy, groups, &rows, failures, error);
    kci_inner_rows_release(&rows);
    return status;
}

static kc_status_t check_plan(const kc_plan_t *plan, const kc_policy_t *policy,
                              kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_policy_check(policy, error));
    if (plan->graph == NULL) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "expected the plan of a graph, found that of a list");
    }
    for (size_t idx = 0; idx < plan->row_count; idx++) {
        if (plan->rows[idx].entry == KCI_NO_ENTRY) {
            char line[KC_ERROR_MESSAGE_SIZE];
            kci_plan_failure_line(plan, &plan->rows[idx], line, sizeof line);
            return kci_fail(error, KC_ERR_REJECTED, "%s", line);
        }
    }
    return KC_OK;
}

/* Moves the groups on KC_OK. */
static kc_status_t create_accepted(kc_plan_t *plan, const kc_policy_t *policy,
                                   kci_group_t *groups, size_t count,
                                   kc_accepted_plan_t **out_accepted,
                                   kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(1, sizeof(kc_accepted_plan_t), &memory, error));
    kc_accepted_plan_t *accepted = memory;
    atomic_init(&accepted->reference_count, 1);
    accepted->plan = kci_plan_retain(plan);
    accepted->groups = groups;
    accepted->group_count = count;
    accepted->policy = *policy;
    *out_accepted = accepted;
    return KC_OK;
}

kc_status_t kci_accept_plan(kc_plan_t *plan, const kc_policy_t *policy,
                            kc_accepted_plan_t **out_accepted,
                            kci_acceptance_failure_t **out_failures,
                            size_t *out_failure_count, kc_error_t *error)
{
    report_none(out_failures, out_failure_count);
    KC_RETURN_IF_ERROR(check_plan(plan, policy, error));
    kci_group_t *groups = NULL;
    size_t count = 0;
    KC_RETURN_IF_ERROR(kci_plan_group(plan, &groups, &count, error));
    kci_failure_list_t failures = {NULL, 0, 0};
    kc_status_t status =
        judge_plan(plan, policy, groups, count, &failures, error);
    if (status == KC_OK && failures.count == 0) {
        status =
            create_accepted(plan, policy, groups, count, out_accepted, error);
        groups = status == KC_OK ? NULL : groups;
    }
    kci_free(groups);
    if (status == KC_OK && failures.count > 0) {
        return reject(&failures, out_failures, out_failure_count, error);
    }
    kci_free(failures.items);
    return status;
}

void kci_accepted_kernel_release(kc_accepted_kernel_t *kernel)
{
    if (kernel == NULL ||
        atomic_fetch_sub_explicit(&kernel->reference_count, 1,
                                  memory_order_acq_rel) != 1) {
        return;
    }
    kci_profile_release(kernel->profile);
    kci_free(kernel);
}

kc_accepted_plan_t *kci_accepted_plan_retain(kc_accepted_plan_t *accepted)
{
    atomic_fetch_add_explicit(&accepted->reference_count, 1,
                              memory_order_relaxed);
    return accepted;
}

void kci_accepted_plan_release(kc_accepted_plan_t *accepted)
{
    if (accepted == NULL ||
        atomic_fetch_sub_explicit(&accepted->reference_count, 1,
                                  memory_order_acq_rel) != 1) {
        return;
    }
    kci_plan_release(accepted->plan);
    kci_free(accepted->groups);
    kci_free(accepted);
}
