/* SPDX-License-Identifier: Apache-2.0
 *
 * Evidence and claims as sentences, and what evidence a policy accepts.
 */
#include "audit/audit.h"

#include <stdio.h>
#include "audit/guards.h"
#include "base/label.h"

/* With receipts required only what the host itself can vouch for counts: its
 * own guards, and the absence of a VJP that is claimed to be absent. All else
 * counts by a receipt, and this build has none. */
static bool counts_without_receipt(const kc_contract_descriptor_t *descriptor)
{
    switch (descriptor->evidence) {
    case KC_EVIDENCE_RUNTIME_GUARD:
        return kci_guard_is_known(descriptor->source);
    case KC_EVIDENCE_NOT_APPLICABLE:
        return descriptor->claim == KC_CLAIM_VJP_UNAVAILABLE;
    default:
        return false;
    }
}

bool kci_policy_accepts_evidence(const kc_policy_t *policy,
                                 const kc_contract_descriptor_t *descriptor)
{
    if (policy->require_receipts) {
        return counts_without_receipt(descriptor);
    }
    return descriptor->evidence != KC_EVIDENCE_TRUSTED_BOUNDARY ||
           policy->allow_trusted_external;
}

void kci_evidence_sentence(const kc_contract_descriptor_t *descriptor,
                           char *out, size_t size)
{
    switch (descriptor->evidence) {
    case KC_EVIDENCE_RUNTIME_GUARD:
        snprintf(out, size, "guarded at runtime by %s", descriptor->source);
        return;
    case KC_EVIDENCE_TEST_SUITE:
        snprintf(out, size, "covered by test suite %s", descriptor->source);
        return;
    case KC_EVIDENCE_TRUSTED_BOUNDARY:
        snprintf(out, size, "trusted boundary: %s", descriptor->source);
        return;
    default:
        snprintf(out, size, "not applicable");
    }
}

void kci_claim_sentence(const kc_contract_descriptor_t *descriptor, char *out,
                        size_t size)
{
    const char *op = kci_label(&kci_ops, descriptor->op);
    switch (descriptor->claim) {
    case KC_CLAIM_SHAPE_SAFETY:
        snprintf(out, size, "inputs and outputs of %s obey its shape rule", op);
        return;
    case KC_CLAIM_LAYOUT_COMPATIBILITY:
        snprintf(out, size, "buffers of %s use the %s layout", op,
                 kci_label(&kci_layouts, descriptor->mode));
        return;
    case KC_CLAIM_VALUE_REFINEMENT:
        snprintf(out, size, "the forward value refines the meaning of %s", op);
        return;
    case KC_CLAIM_VJP_REFINEMENT:
        snprintf(out, size, "the %s VJP refines the meaning of %s",
                 kci_label(&kci_vjp_modes, descriptor->mode), op);
        return;
    default:
        snprintf(out, size, "no VJP of %s, intentionally", op);
    }
}
