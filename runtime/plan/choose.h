/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice per operation, computed once for a profile: all eligible
 * capsules in the order in which selection takes them. The capsule of a node
 * is then the first of its operation whose limits its demand keeps.
 */
#ifndef KC_PLAN_CHOOSE_H
#define KC_PLAN_CHOOSE_H

#include "plan/admissible.h"
#include "plan/plan.h"

typedef struct kci_eligible {
    kci_flat_limits_t limits;
    uint16_t entry;
} kci_eligible_t;

/* Those of an operation: items[start[op]] .. items[start[op + 1] - 1]. */
typedef struct kci_shortlist {
    kci_eligible_t *items; /* owned */
    uint32_t start[KC_OP_COUNT + 1];
} kci_shortlist_t;

/* Under `policy`, which may be another than the profile's. */
KC_MUST_USE kc_status_t kci_shortlist_create(const kc_profile_t *profile,
                                             const kc_policy_t *policy,
                                             kci_shortlist_t *out_list,
                                             kc_error_t *error);
void kci_shortlist_release(kci_shortlist_t *list);

/* `demand` may be NULL: limits are not asked. */
static inline uint16_t kci_shortlist_find(const kci_shortlist_t *list,
                                          int32_t op,
                                          const kci_demand_t *demand)
{
    for (uint32_t idx = list->start[op]; idx < list->start[op + 1]; idx++) {
        const kci_eligible_t *item = &list->items[idx];
        if (demand == NULL ||
            kci_limits_judge(&item->limits, demand) == KC_REASON_SELECTED) {
            return item->entry;
        }
    }
    return KCI_NO_ENTRY;
}

/* A walk over the eligible entries of an operation in the order in which
 * selection takes them: with `prefer`, the provider's first, then the rest;
 * each part in catalogue order. Starts from a cursor of zeros. */
typedef struct kci_eligible_cursor {
    uint32_t pass;
    uint32_t place;
} kci_eligible_cursor_t;

/* False at the end. `request->entry` is set for each candidate. */
bool kci_eligible_next(const kc_profile_t *profile, int32_t op,
                       kci_case_t *request, kci_eligible_cursor_t *cursor,
                       uint16_t *out_entry);

#endif
