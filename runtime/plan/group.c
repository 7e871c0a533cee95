/* SPDX-License-Identifier: Apache-2.0
 *
 * Grouping of adjacent planned rows. A group is a row of the audit and says
 * nothing about fusion, so rows only share one when everything that their
 * contracts state is equal.
 */
#include "plan/plan.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"

static bool has_equal_descriptor(const kc_contract_descriptor_t *a,
                                 const kc_contract_descriptor_t *b)
{
    return a->claim == b->claim && a->op == b->op && a->mode == b->mode &&
           a->evidence == b->evidence && strcmp(a->summary, b->summary) == 0 &&
           strcmp(a->source, b->source) == 0;
}

static bool has_equal_numerics(const kc_numerical_policy_t *a,
                               const kc_numerical_policy_t *b)
{
    return a->reduction == b->reduction && strcmp(a->order, b->order) == 0 &&
           a->invariance == b->invariance && a->rounding == b->rounding &&
           a->subnormals == b->subnormals && a->contraction == b->contraction &&
           a->accumulation == b->accumulation &&
           a->reduced_precision == b->reduced_precision &&
           memcmp(a->spare, b->spare, sizeof a->spare) == 0;
}

static bool has_equal_limits(const kc_limits_t *a, const kc_limits_t *b)
{
    return a->dtypes == b->dtypes && a->ranks == b->ranks &&
           a->extent_max == b->extent_max && a->index_bits == b->index_bits &&
           a->layouts == b->layouts && a->mask_polarity == b->mask_polarity &&
           a->overwrites == b->overwrites &&
           a->input_count_max == b->input_count_max &&
           strcmp(a->instruction_set, b->instruction_set) == 0 &&
           memcmp(a->spare, b->spare, sizeof a->spare) == 0;
}

/* What follows the end of a text is not a field. */
bool kci_capsule_equal(const kc_capsule_record_t *a,
                       const kc_capsule_record_t *b)
{
    return memcmp(a, b, offsetof(kc_capsule_record_t, name)) == 0 &&
           strcmp(a->name, b->name) == 0 &&
           strcmp(a->provider, b->provider) == 0 &&
           has_equal_descriptor(&a->shape, &b->shape) &&
           has_equal_descriptor(&a->layout, &b->layout) &&
           has_equal_descriptor(&a->value, &b->value) &&
           has_equal_descriptor(&a->vjp, &b->vjp) &&
           has_equal_numerics(&a->numerics, &b->numerics) &&
           has_equal_limits(&a->limits, &b->limits);
}

/* The next provenance record of the capsule from `*place` on, or NULL. A
 * module in memory has none. */
static const kc_provenance_record_t *next_provenance(const kci_entry_t *entry,
                                                     size_t *place)
{
    const kci_module_file_t *file = entry->module->file;
    while (file != NULL && *place < file->provenance_count) {
        const kc_provenance_record_t *record = &file->provenance[(*place)++];
        if (strcmp(record->capsule, entry->capsule->name) == 0) {
            return record;
        }
    }
    return NULL;
}

static bool has_equal_record(const kc_provenance_record_t *a,
                             const kc_provenance_record_t *b)
{
    return a->kind == b->kind && a->obligation == b->obligation &&
           strcmp(a->path, b->path) == 0 && strcmp(a->symbol, b->symbol) == 0 &&
           strcmp(a->build_target, b->build_target) == 0;
}

static bool has_equal_provenance(const kci_entry_t *a, const kci_entry_t *b)
{
    size_t place_a = 0;
    size_t place_b = 0;
    for (;;) {
        const kc_provenance_record_t *left = next_provenance(a, &place_a);
        const kc_provenance_record_t *right = next_provenance(b, &place_b);
        if (left == NULL || right == NULL) {
            return left == right;
        }
        if (!has_equal_record(left, right)) {
            return false;
        }
    }
}

static bool share_group(const kc_plan_t *plan, const kci_plan_row_t *a,
                        const kci_plan_row_t *b)
{
    if (a->op != b->op) {
        return false;
    }
    if (a->entry == b->entry) {
        return true;
    }
    if (a->entry == KCI_NO_ENTRY || b->entry == KCI_NO_ENTRY) {
        return false;
    }
    const kci_entry_t *left = &plan->profile->entries[a->entry];
    const kci_entry_t *right = &plan->profile->entries[b->entry];
    return kci_capsule_equal(left->capsule, right->capsule) &&
           has_equal_provenance(left, right);
}

static size_t run_length(const kc_plan_t *plan, size_t first)
{
    size_t end = first + 1;
    while (end < plan->row_count &&
           share_group(plan, &plan->rows[end - 1], &plan->rows[end])) {
        end++;
    }
    return end - first;
}

kc_status_t kci_plan_group(const kc_plan_t *plan, kci_group_t **out_groups,
                           size_t *out_count, kc_error_t *error)
{
    void *groups = NULL;
    size_t capacity = 0;
    size_t count = 0;
    KC_RETURN_IF_ERROR(
        kci_grow_array(&groups, &capacity, 1, sizeof(kci_group_t), error));
    for (size_t first = 0; first < plan->row_count;) {
        kc_status_t status = kci_grow_array(&groups, &capacity, count + 1,
                                            sizeof(kci_group_t), error);
        if (status != KC_OK) {
            kci_free(groups);
            return status;
        }
        size_t length = run_length(plan, first);
        ((kci_group_t *)groups)[count++] = (kci_group_t){first, length};
        first += length;
    }
    *out_groups = groups;
    *out_count = count;
    return KC_OK;
}
