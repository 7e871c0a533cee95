/* SPDX-License-Identifier: Apache-2.0
 *
 * The filters of admission in the order of their reason codes. Evidence is
 * not among them: what a contract rests on is the matter of the gate.
 */
#include "plan/admissible.h"

#include <string.h>
#include "ops/op_info.h"
#include "plan/inner.h"

bool kci_policy_accepts_trust(const kc_policy_t *policy, int32_t trust)
{
    return trust == KC_TRUST_CHECKED || policy->allow_trusted_external != 0;
}

bool kci_policy_accepts_provider(const kc_policy_t *policy,
                                 const char *provider)
{
    return policy->preference != KC_PREFERENCE_ONLY ||
           strcmp(policy->provider, provider) == 0;
}

static bool is_known_operation(int32_t op)
{
    return op >= 0 && op < KC_OP_COUNT;
}

bool kci_policy_accepts_vjp(const kc_policy_t *policy,
                            const kc_capsule_record_t *capsule)
{
    if (policy->vjp_mode == KC_VJP_NONE || !is_known_operation(capsule->op) ||
        !kci_op_info(capsule->op)->requires_vjp) {
        return true;
    }
    /* A composition has no kernel that could own a rule. */
    if (capsule->vjp_mode == KC_VJP_BACKEND &&
        kci_is_composition(capsule->provider)) {
        return false;
    }
    if (policy->vjp_mode == KC_VJP_BACKEND) {
        return capsule->vjp_mode == KC_VJP_BACKEND;
    }
    return capsule->vjp_mode == KC_VJP_TORCHLEAN_TAPE ||
           capsule->vjp_mode == KC_VJP_BACKEND;
}

bool kci_policy_leaves_rule_to_tape(const kc_policy_t *policy,
                                    const kc_capsule_record_t *capsule)
{
    return policy->vjp_mode == KC_VJP_TORCHLEAN_TAPE &&
           capsule->vjp_mode == KC_VJP_TORCHLEAN_TAPE &&
           is_known_operation(capsule->op) &&
           kci_op_info(capsule->op)->requires_vjp;
}

bool kci_policy_rule_runs(const kc_policy_t *policy,
                          const kc_capsule_record_t *capsule)
{
    return !kci_policy_leaves_rule_to_tape(policy, capsule) ||
           kci_vjp_runs_on(capsule->op, capsule->provider, capsule->device);
}

kci_saved_gap_t kci_policy_rule_gap(const kc_policy_t *policy,
                                    const kc_capsule_record_t *capsule)
{
    if (!kci_policy_leaves_rule_to_tape(policy, capsule)) {
        return (kci_saved_gap_t){0, 0};
    }
    const kci_vjp_info_t *rule = kci_vjp_info(capsule->op);
    return (kci_saved_gap_t){rule->saved_inputs & ~capsule->saved_inputs,
                             rule->saved_outputs & ~capsule->saved_outputs};
}

uint64_t kci_policy_inner_ops(const kc_policy_t *policy,
                              const kc_capsule_record_t *capsule)
{
    return kci_inner_forward_ops(capsule) | kci_inner_vjp_ops(policy, capsule);
}

typedef kc_reason_t (*filter_fn)(const kci_case_t *request);

static kc_reason_t filter_available_device(const kci_case_t *request)
{
    return request->ignores_availability || request->entry->is_device_available
               ? KC_REASON_SELECTED
               : KC_REASON_DEVICE_UNAVAILABLE;
}

static kc_reason_t filter_available_provider(const kci_case_t *request)
{
    return request->ignores_availability ||
                   request->entry->is_provider_available
               ? KC_REASON_SELECTED
               : KC_REASON_PROVIDER_UNAVAILABLE;
}

static kc_reason_t filter_forward(const kci_case_t *request)
{
    return request->entry->capsule->supports_forward ? KC_REASON_SELECTED
                                                     : KC_REASON_NO_FORWARD;
}

static kc_reason_t filter_alignment(const kci_case_t *request)
{
    return request->entry->is_aligned ? KC_REASON_SELECTED
                                      : KC_REASON_MISALIGNED;
}

static kc_reason_t filter_trust(const kci_case_t *request)
{
    return kci_policy_accepts_trust(request->policy,
                                    request->entry->capsule->trust)
               ? KC_REASON_SELECTED
               : KC_REASON_TRUST;
}

static kc_reason_t filter_provider(const kci_case_t *request)
{
    return kci_policy_accepts_provider(request->policy,
                                       request->entry->capsule->provider)
               ? KC_REASON_SELECTED
               : KC_REASON_PROVIDER;
}

static kc_reason_t filter_device(const kci_case_t *request)
{
    return request->entry->capsule->device == request->policy->device
               ? KC_REASON_SELECTED
               : KC_REASON_DEVICE;
}

static kc_reason_t filter_vjp(const kci_case_t *request)
{
    return kci_policy_accepts_vjp(request->policy, request->entry->capsule)
               ? KC_REASON_SELECTED
               : KC_REASON_VJP;
}

static kc_reason_t filter_rule_device(const kci_case_t *request)
{
    return kci_policy_rule_runs(request->policy, request->entry->capsule)
               ? KC_REASON_SELECTED
               : KC_REASON_RULE_DEVICE;
}

static kc_reason_t filter_rule_saved(const kci_case_t *request)
{
    kci_saved_gap_t gap =
        kci_policy_rule_gap(request->policy, request->entry->capsule);
    return gap.inputs == 0 && gap.outputs == 0 ? KC_REASON_SELECTED
                                               : KC_REASON_RULE_SAVED;
}

static kc_reason_t filter_inner(const kci_case_t *request)
{
    uint64_t ops =
        kci_policy_inner_ops(request->policy, request->entry->capsule);
    return (ops & ~request->plannable_ops) == 0 ? KC_REASON_SELECTED
                                                : KC_REASON_INNER;
}

static kc_reason_t filter_limits(const kci_case_t *request)
{
    if (request->demand == NULL) {
        return KC_REASON_SELECTED;
    }
    kci_flat_limits_t limits =
        kci_limits_flatten(&request->entry->capsule->limits);
    return kci_limits_judge(&limits, request->demand);
}

static kc_reason_t filter_determinism(const kci_case_t *request)
{
    uint32_t invariance = request->entry->capsule->numerics.invariance;
    bool is_wanted = (request->numerics & KC_NUMERICS_DETERMINISTIC) != 0;
    return !is_wanted || (invariance & 1u << KC_INVARIANT_RUN) != 0
               ? KC_REASON_SELECTED
               : KC_REASON_NONDETERMINISTIC;
}

static kc_reason_t filter_operation(const kci_case_t *request)
{
    return is_known_operation(request->entry->capsule->op)
               ? KC_REASON_SELECTED
               : KC_REASON_UNKNOWN_OPERATION;
}

static const filter_fn filters[] = {
    filter_available_device,
    filter_available_provider,
    filter_forward,
    filter_alignment,
    filter_trust,
    filter_provider,
    filter_device,
    filter_vjp,
    filter_rule_device,
    filter_rule_saved,
    filter_inner,
    filter_limits,
    filter_determinism,
    filter_operation,
};

kc_reason_t kci_case_judge(const kci_case_t *request)
{
    for (size_t idx = 0; idx < sizeof filters / sizeof *filters; idx++) {
        kc_reason_t reason = filters[idx](request);
        if (reason != KC_REASON_SELECTED) {
            return reason;
        }
    }
    return KC_REASON_SELECTED;
}
