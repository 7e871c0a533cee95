/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of selection. A preference only moves candidates to the front:
 * it never overrides a filter.
 */
#include "plan/choose.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "plan/inner.h"

enum { PASS_PREFERRED, PASS_OTHERS, PASS_COUNT };

static uint32_t pass_of(const kc_policy_t *policy, const kci_entry_t *entry)
{
    bool is_preferred = policy->preference == KC_PREFERENCE_PREFER &&
                        strcmp(policy->provider, entry->capsule->provider) == 0;
    return is_preferred ? PASS_PREFERRED : PASS_OTHERS;
}

bool kci_eligible_next(const kc_profile_t *profile, int32_t op,
                       kci_case_t *request, kci_eligible_cursor_t *cursor,
                       uint16_t *out_entry)
{
    uint32_t first = profile->op_start[op];
    uint32_t count = profile->op_start[op + 1] - first;
    for (; cursor->pass < PASS_COUNT; cursor->pass++, cursor->place = 0) {
        while (cursor->place < count) {
            uint32_t entry = profile->by_op[first + cursor->place++];
            request->entry = &profile->entries[entry];
            if (pass_of(request->policy, request->entry) == cursor->pass &&
                kci_case_judge(request) == KC_REASON_SELECTED) {
                *out_entry = (uint16_t)entry;
                return true;
            }
        }
    }
    return false;
}

kc_status_t kci_shortlist_create(const kc_profile_t *profile,
                                 const kc_policy_t *policy,
                                 kci_shortlist_t *out_list, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(profile->entry_count,
                                       sizeof(kci_eligible_t), &memory, error));
    out_list->items = memory;
    kci_case_t request = {.policy = policy,
                          .numerics = profile->numerics,
                          .plannable_ops =
                              kci_inner_plannable_ops(profile, policy, false)};
    uint32_t count = 0;
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        out_list->start[op] = count;
        kci_eligible_cursor_t cursor = {0, 0};
        uint16_t entry = KCI_NO_ENTRY;
        while (kci_eligible_next(profile, op, &request, &cursor, &entry)) {
            const kc_capsule_record_t *capsule =
                profile->entries[entry].capsule;
            out_list->items[count].limits =
                kci_limits_flatten(&capsule->limits);
            out_list->items[count++].entry = entry;
        }
    }
    out_list->start[KC_OP_COUNT] = count;
    return KC_OK;
}

void kci_shortlist_release(kci_shortlist_t *list)
{
    kci_free(list->items);
    list->items = NULL;
}

uint16_t kci_plan_choose_direct(const kc_profile_t *profile, int32_t op,
                                const kci_demand_t *demand)
{
    if (op < 0 || op >= KC_OP_COUNT) {
        return KCI_NO_ENTRY;
    }
    kci_case_t request = {.policy = &profile->policy,
                          .demand = demand,
                          .numerics = profile->numerics,
                          .plannable_ops = kci_inner_plannable_ops(
                              profile, &profile->policy, true),
                          .ignores_availability = true};
    kci_eligible_cursor_t cursor = {0, 0};
    uint16_t entry = KCI_NO_ENTRY;
    return kci_eligible_next(profile, op, &request, &cursor, &entry)
               ? entry
               : KCI_NO_ENTRY;
}
