/* SPDX-License-Identifier: Apache-2.0
 *
 * Which operations a capsule brings along, which of them a profile can serve,
 * and which capsule serves them. A composition is served only through
 * operations that are served without it: none justifies itself.
 */
#include "plan/inner.h"

#include "base/error.h"
#include "base/label.h"

kc_policy_t kci_inner_policy(const kc_policy_t *policy)
{
    kc_policy_t inner = *policy;
    inner.vjp_mode = KC_VJP_NONE;
    return inner;
}

uint64_t kci_inner_forward_ops(const kc_capsule_record_t *capsule)
{
    if (capsule->op < 0 || capsule->op >= KC_OP_COUNT ||
        !kci_is_composition(capsule->provider)) {
        return 0;
    }
    return kci_composition_inner_ops(capsule->op);
}

uint64_t kci_inner_vjp_ops(const kc_policy_t *policy,
                           const kc_capsule_record_t *capsule)
{
    if (!kci_policy_leaves_rule_to_tape(policy, capsule) ||
        !kci_vjp_is_composed(capsule->op, capsule->provider, capsule->device)) {
        return 0;
    }
    return kci_vjp_info(capsule->op)->inner_ops;
}

static uint64_t add_plannable(const kc_profile_t *profile, kci_case_t *request)
{
    uint64_t found = request->plannable_ops;
    for (size_t idx = 0; idx < profile->entry_count; idx++) {
        const kc_capsule_record_t *capsule = profile->entries[idx].capsule;
        request->entry = &profile->entries[idx];
        if (capsule->op >= 0 && capsule->op < KC_OP_COUNT &&
            (found & KCI_OP_BIT(capsule->op)) == 0 &&
            kci_case_judge(request) == KC_REASON_SELECTED) {
            found |= KCI_OP_BIT(capsule->op);
        }
    }
    return found;
}

/* The least set that holds every operation served by operations of the set:
 * it starts empty and grows, so that no cycle of compositions enters it. */
uint64_t kci_inner_plannable_ops(const kc_profile_t *profile,
                                 const kc_policy_t *policy,
                                 bool ignores_availability)
{
    KC_STATIC_ASSERT(KC_OP_COUNT <= 64, "one bit an operation");
    kc_policy_t inner = kci_inner_policy(policy);
    kci_case_t request = {.policy = &inner,
                          .numerics = profile->numerics,
                          .ignores_availability = ignores_availability};
    uint64_t before = 0;
    do {
        before = request.plannable_ops;
        request.plannable_ops = add_plannable(profile, &request);
    } while (request.plannable_ops != before);
    return before;
}

kc_status_t kci_inner_plan_create(const kc_profile_t *profile,
                                  const kc_policy_t *policy,
                                  kci_inner_plan_t *out_plan, kc_error_t *error)
{
    kci_inner_plan_t plan = {.profile = profile,
                             .policy = kci_inner_policy(policy)};
    KC_RETURN_IF_ERROR(
        kci_shortlist_create(profile, &plan.policy, &plan.list, error));
    *out_plan = plan;
    return KC_OK;
}

void kci_inner_plan_release(kci_inner_plan_t *plan)
{
    kci_shortlist_release(&plan->list);
}

kc_status_t kci_inner_plan_find(const kci_inner_plan_t *plan, int32_t op,
                                const kci_demand_t *demand, uint16_t *out_entry,
                                kc_error_t *error)
{
    uint16_t entry = kci_shortlist_find(&plan->list, op, demand);
    if (entry == KCI_NO_ENTRY) {
        return kci_fail(error, KC_ERR_NO_CAPSULE,
                        "no admissible kernel capsule for op %s on device %s",
                        kci_label(&kci_ops, op),
                        kci_label(&kci_devices, plan->policy.device));
    }
    *out_entry = entry;
    return KC_OK;
}
